// Wire contract of sessions, completions and callbacks.
import { Type, type Static } from 'typebox';
import { statePrompts } from './states/state-prompts.js';
import { WebhookSecret, WebhookUrl } from './webhooks.js';
import {
  closed,
  Json,
  Name,
  Nullable,
  orderedPageQuery,
  Pointer,
  Timestamp,
  Version,
  Violation,
} from './common.js';
import { jsonSchema } from './states/patches.js';

export const Contract = Type.Object(
  { pointer: Pointer, schema: jsonSchema('JSON Schema of the value at the pointer') },
  closed,
);
export type Contract = Static<typeof Contract>;

export const CompletionOptions = Type.Object(
  {
    mode: Type.Optional(Type.Enum(['always', 'unless_satisfied', 'never'])),
    contract: Type.Optional(Contract),
    write_scope: Type.Optional(Type.Array(Pointer, { maxItems: 100 })),
    await_state: Type.Optional(
      Type.Boolean({ description: 'Hold the child to a workflow state that its root opens later' }),
    ),
    max_attempts: Type.Optional(Type.Integer({ minimum: 1, maximum: 10 })),
    timeout_ms: Type.Optional(Type.Integer({ minimum: 100, maximum: 86_400_000 })),
    retry_delay_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 3_600_000 })),
  },
  closed,
);
export type CompletionOptions = Static<typeof CompletionOptions>;

export const DeliveryMode = Type.Enum(['resume', 'pull', 'webhook']);

export const SessionCreate = Type.Object(
  {
    session_id: Type.Optional(
      Type.String({
        pattern: '^ses_[A-Za-z0-9_-]{1,60}$',
        description: 'ses_ and up to 60 letters, digits, _ and -',
      }),
    ),
    session_name: Type.Optional(Name),
    parent_session_id: Type.Optional(Type.String()),
    parent_session_name: Type.Optional(Type.String()),
    agent_name: Type.Optional(Name),
    project_dir: Type.Optional(Type.String({ minLength: 1, maxLength: 4096 })),
    callback: Type.Optional(Type.Boolean()),
    delivery: Type.Optional(DeliveryMode),
    callback_url: Type.Optional(WebhookUrl),
    callback_secret: Type.Optional(WebhookSecret),
    completion: Type.Optional(CompletionOptions),
    ...statePrompts,
    external: Type.Optional(Type.Boolean()),
    heartbeat_timeout_ms: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 31_536_000_000,
        description:
          'Of an external child: after so long without a sign of life it is lost; 0 for never (docs/lifecycle.md)',
      }),
    ),
  },
  closed,
);
export type SessionCreate = Static<typeof SessionCreate>;

export const SessionStatus = Type.Enum(['pending', 'running', 'finished', 'failed', 'stopped']);
/** How the work of a session ended. */
export const WorkOutcome = Type.Enum(['completed', 'failed', 'stopped', 'timed_out', 'lost']);
export const UpdateStatus = Type.Enum(['pending', 'completed', 'failed', 'skipped']);

const session = {
  session_id: Type.String(),
  session_name: Type.String(),
  status: SessionStatus,
  parent_session_id: Nullable(Type.String()),
  parent_session_name: Nullable(Type.String()),
  root_session_id: Type.String(),
  workflow_state_id: Nullable(Type.String()),
  state_update_status: Nullable(UpdateStatus),
  agent_name: Nullable(Type.String()),
  project_dir: Nullable(Type.String()),
  executor_type: Nullable(Type.String()),
  executor_session_id: Nullable(Type.String()),
  hostname: Nullable(Type.String()),
  callback: Type.Boolean(),
  delivery: DeliveryMode,
  /** Present if the delivery is `webhook`. */
  callback_url: Type.Optional(Type.String()),
  external: Type.Boolean(),
  /** Present if it was turned off. */
  state_context: Type.Optional(Type.Boolean()),
  state_summary: Type.Optional(Type.Boolean()),
  record: Type.Optional(Type.Boolean()),
  /** Present if it was set. */
  heartbeat_timeout_ms: Type.Optional(Type.Integer({ minimum: 0 })),
  /** Present if the session sends heartbeats. */
  last_heartbeat_at: Type.Optional(Timestamp),
  generation: Type.Integer({ minimum: 1 }),
  depth: Type.Integer({ minimum: 0 }),
  created_at: Timestamp,
  updated_at: Timestamp,
  last_resumed_at: Nullable(Timestamp),
};
export const SessionView = Type.Object(session);
export type SessionView = Static<typeof SessionView>;

/** The reply to the creation of a session. Only this reply contains the secret that signs its callbacks. */
export const SessionCreated = Type.Object({ ...session, callback_secret: Type.Optional(Type.String()) });
export type SessionCreated = Static<typeof SessionCreated>;

/** A session with its descendants. */
export interface SessionTree extends SessionView {
  readonly children: readonly SessionTree[];
}
export const SessionTree = Type.Unsafe<SessionTree>(
  Type.Object({
    ...session,
    children: Type.Array(Type.Unsafe({ title: 'SessionTree', type: 'object' })),
  }),
);

export const SessionListQuery = Type.Object(
  {
    ...orderedPageQuery,
    root_session: Type.Optional(Type.String()),
    parent_session: Type.Optional(Type.String()),
    executor_session: Type.Optional(
      Type.String({ maxLength: 512, description: "The client's own id of the conversation" }),
    ),
    status: Type.Optional(SessionStatus),
    state_update_status: Type.Optional(UpdateStatus),
  },
  closed,
);
export type SessionListQuery = Static<typeof SessionListQuery>;

export const SessionResult = Type.Object({
  session_id: Type.String(),
  status: SessionStatus,
  result_text: Nullable(Type.String()),
  result_data: Json,
});
export type SessionResult = Static<typeof SessionResult>;

export const SessionEvent = Type.Object(
  {
    type: Type.Enum(['session_start', 'message', 'heartbeat', 'session_stop', 'session_end']),
    result_text: Type.Optional(Type.String()),
    result_data: Type.Optional(Json),
    message: Type.Optional(Json),
    executor_session_id: Type.Optional(Type.String({ maxLength: 512 })),
    reason: Type.Optional(Type.String({ maxLength: 2048, description: 'Why it ended; of a session_end' })),
  },
  closed,
);
export type SessionEvent = Static<typeof SessionEvent>;

export const UpdateRequest = Type.Object({
  attempt: Type.Integer(),
  of: Type.Integer(),
  prompt: Type.String(),
});

export const SessionEventAnswer = Type.Object({
  state_update_status: Nullable(UpdateStatus),
  request: Type.Optional(UpdateRequest),
});
export type SessionEventAnswer = Static<typeof SessionEventAnswer>;

export const AttemptView = Type.Object({
  attempt: Type.Integer(),
  run_id: Nullable(Type.String()),
  prompt_level: Type.Integer(),
  outcome: Type.Enum([
    'open',
    'recorded',
    'no_write',
    'contract_failed',
    'timed_out',
    'agent_failed',
    'environment',
    'cancelled',
    'configuration',
    'prompt_too_long',
  ]),
  errors: Type.Array(Violation),
  started_at: Timestamp,
  ended_at: Nullable(Timestamp),
});

const completion = {
  session_id: Type.String(),
  generation: Type.Integer(),
  state_update_status: Nullable(UpdateStatus),
  attempt: Type.Integer(),
  max_attempts: Type.Integer(),
  contract: Nullable(Contract),
  write_scope: Nullable(Type.Array(Pointer)),
  await_state: Type.Optional(Type.Boolean()),
  mode: Type.Enum(['always', 'unless_satisfied', 'never']),
  attempts: Type.Array(AttemptView),
  contract_broken: Nullable(
    Type.Object({ by: Nullable(Type.String()), version: Version, errors: Type.Array(Violation) }),
  ),
  reason: Nullable(Type.String()),
  due_at: Type.Optional(
    Nullable(
      Type.String({
        format: 'date-time',
        description: 'When the coordinator acts next, such as at the end of an attempt',
      }),
    ),
  ),
  released_at: Nullable(Timestamp),
  request: Type.Optional(UpdateRequest),
};
export const CompletionView = Type.Object(completion);
export type CompletionView = Static<typeof CompletionView>;

/** A completion in a list, with its session. */
export const CompletionListed = Type.Object({
  ...completion,
  session_name: Type.String(),
  session_status: SessionStatus,
  root_session_id: Type.String(),
});
export type CompletionListed = Static<typeof CompletionListed>;

export const CompletionListQuery = Type.Object(
  { ...orderedPageQuery, status: Type.Optional(UpdateStatus), root_session: Type.Optional(Type.String()) },
  closed,
);
export type CompletionListQuery = Static<typeof CompletionListQuery>;

export const Reason = Type.Object(
  {
    reason: Type.Optional(
      Type.String({
        pattern: '\\S',
        maxLength: 2048,
        description: 'Why, with at least one character that is not white space',
      }),
    ),
  },
  closed,
);
export type Reason = Static<typeof Reason>;

/** The longest time to wait, such as `30s`, `500ms` or `1m`. */
export const Wait = Type.String({
  pattern: '^[0-9]{1,6}(ms|s|m)?$',
  description: 'How long to wait, such as 30s',
});
export const WaitQuery = Type.Object({ wait: Type.Optional(Wait) }, closed);
export type WaitQuery = Static<typeof WaitQuery>;

export const SessionDeleteQuery = Type.Object(
  {
    cascade: Type.Optional(
      Type.Boolean({ description: 'true: a root takes its workflow state with it, in the same commit' }),
    ),
  },
  closed,
);
