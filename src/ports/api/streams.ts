// Wire contract of streams: what is sent as things happen.
import { Type, type Static } from 'typebox';
import type { JsonObject } from '../../domain/json.js';
import { closed } from './common.js';

export const StreamEvent = Type.Object({
  id: Type.String({
    description: 'Place in the stream, to go on from: a version of a state, or a position in all of it',
  }),
  event: Type.Enum([
    'workflow_state_updated',
    'workflow_state_deleted',
    'session_updated',
    'run_updated',
    'completion_updated',
    'callback_updated',
    'snapshot',
    'bookmark',
    'dropped',
  ]),
  data: Type.Unsafe<JsonObject>({ type: 'object' }),
});
export type StreamEvent = Static<typeof StreamEvent>;

export const StateStreamQuery = Type.Object(
  {
    since: Type.Optional(
      Type.Integer({ minimum: 0, description: 'The version after which to begin; the present by default' }),
    ),
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
