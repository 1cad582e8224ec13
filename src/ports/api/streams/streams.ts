// Wire contract of streams: events sent as they happen.
import { Type, type Static } from 'typebox';
import * as changes from './changes.js';
import { closed, Timestamp, versionBefore } from '../common.js';
import { StateEnvelope } from '../states/states.js';

const id = Type.String({
  description: 'Place in the stream, to go on from: a version of a state, or a position in all of it',
});
const at = { timestamp: Timestamp };
const dropped = {
  reason: Type.Enum(['too_slow', 'stopping', 'expired', 'unavailable', 'refused'], {
    description:
      'refused: it cannot go on, and `error` and `detail` say why. All others: go on from the last id. unavailable: the database cannot be read now, and `error` and `detail` say why',
  }),
  error: Type.Optional(Type.String()),
  detail: Type.Optional(Type.String()),
};

/** An event of a stream. `event` discriminates. */
export const StreamEvent = Type.Union([
  Type.Object({ id, event: Type.Literal('workflow_state_updated'), data: Type.Object(changes.stateUpdated) }),
  Type.Object({
    id,
    event: Type.Literal('workflow_state_deleted'),
    data: Type.Object({ ...changes.stateDeleted, ...at }),
  }),
  Type.Object({
    id,
    event: Type.Literal('session_updated'),
    data: Type.Object({ ...changes.sessionUpdated, ...at }),
  }),
  Type.Object({
    id,
    event: Type.Literal('run_updated'),
    data: Type.Object({ ...changes.runUpdated, ...at }),
  }),
  Type.Object({
    id,
    event: Type.Literal('completion_updated'),
    data: Type.Object({ ...changes.completionUpdated, ...at }),
  }),
  Type.Object({
    id,
    event: Type.Literal('callback_updated'),
    data: Type.Object({ ...changes.callbackUpdated, ...at }),
  }),
  Type.Object({ id, event: Type.Literal('snapshot'), data: StateEnvelope }),
  Type.Object({ id, event: Type.Literal('bookmark'), data: Type.Object({}) }),
  Type.Object({ id, event: Type.Literal('dropped'), data: Type.Object(dropped) }),
]);
export type StreamEvent = Static<typeof StreamEvent>;

export const StateStreamQuery = Type.Object(
  {
    since: Type.Optional(versionBefore('The version after which to begin; the present by default')),
    snapshot: Type.Optional(
      Type.Boolean({ description: 'Begin with the whole state; where a place is named, it counts instead' }),
    ),
  },
  closed,
);
export type StateStreamQuery = Static<typeof StateStreamQuery>;

export const Position = Type.String({
  pattern: '^[0-9]{1,15}-[0-9]{1,15}$',
  description: 'A position, as an event or a bookmark names it in its id',
});

export const StreamQuery = Type.Object(
  {
    root_session: Type.Optional(Type.String()),
    state_id: Type.Optional(Type.String()),
    since: Type.Optional(Position),
  },
  closed,
);
export type StreamQuery = Static<typeof StreamQuery>;
