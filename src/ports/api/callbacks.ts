// Wire contract of callbacks: the messages to parents.
import { Type, type Static } from 'typebox';
import { closed, Nullable, orderedPageQuery, Timestamp, Version } from './common.js';
import { DeliveryMode, UpdateStatus, WorkOutcome } from './sessions.js';

export const CallbackStatus = Type.Enum(['held', 'queued', 'delivered', 'acknowledged', 'dead']);

export const CallbackView = Type.Object({
  callback_id: Type.String(),
  parent_session_id: Type.String(),
  child_session_id: Type.String(),
  status: CallbackStatus,
  delivery: DeliveryMode,
  run_id: Nullable(Type.String()),
  outcome: Nullable(WorkOutcome),
  message: Nullable(Type.String()),
  reason: Nullable(Type.String()),
  metadata: Type.Object({
    callback_source: Type.String(),
    workflow_state_version: Nullable(Version),
    state_update_status: Nullable(UpdateStatus),
  }),
  created_at: Timestamp,
  delivered_at: Nullable(Timestamp),
});
export type CallbackView = Static<typeof CallbackView>;

/** Callbacks for a parent that pulls, up to the size of one message. */
export const PulledCallbacks = Type.Object({
  items: Type.Array(CallbackView),
  next_cursor: Type.Null(),
  remaining: Type.Optional(
    Type.Integer({ minimum: 0, description: 'How many more wait, to be had by the next pull' }),
  ),
  state_summary: Type.Optional(
    Type.String({
      description: 'Text for a prompt with these callbacks: the members of the state that changed last',
    }),
  ),
});
export type PulledCallbacks = Static<typeof PulledCallbacks>;

export const CallbackListQuery = Type.Object(
  {
    ...orderedPageQuery,
    status: Type.Optional(CallbackStatus),
    root_session: Type.Optional(Type.String()),
    child_session: Type.Optional(Type.String({ description: 'Only those of this child, id or name' })),
  },
  closed,
);
export type CallbackListQuery = Static<typeof CallbackListQuery>;
