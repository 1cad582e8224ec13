// Wire contract of runs and runners.
import { Type, type Static } from 'typebox';
import { AgentOfRun } from './agents.js';
import { closed, Json, JsonRecord, Name, Nullable, orderedPageQuery, Timestamp } from './common.js';
import { CompletionOptions, Wait } from './sessions.js';
import { statePrompts } from './states/state-prompts.js';

const Text = Type.String({ minLength: 1, maxLength: 4096 });
const Tags = Type.Array(Type.String({ minLength: 1, maxLength: 128 }), { maxItems: 32 });

export const DemandsBody = Type.Object(
  { hostname: Type.Optional(Text), executor_type: Type.Optional(Text), tags: Type.Optional(Tags) },
  closed,
);

export const RunType = Type.Enum(['start_session', 'resume_session']);
/** Requested work, a state update, or the delivery of callbacks. */
export const RunPurpose = Type.Enum(['work', 'state_update', 'callback']);

export const RunCreate = Type.Object(
  {
    type: RunType,
    session_id: Type.Optional(
      Type.String({ description: 'Of a new session: ses_ and up to 60 letters, digits, _ and -' }),
    ),
    session_name: Type.Optional(Name),
    prompt: Type.String({ minLength: 1 }),
    agent_name: Type.Optional(Name),
    project_dir: Type.Optional(Text),
    parent_session_id: Type.Optional(Type.String()),
    parent_session_name: Type.Optional(Type.String()),
    callback: Type.Optional(Type.Boolean()),
    delivery: Type.Optional(Type.Enum(['resume', 'pull'])),
    completion: Type.Optional(CompletionOptions),
    ...statePrompts,
    demands: Type.Optional(DemandsBody),
    timeout_ms: Type.Optional(Type.Integer({ minimum: 100, maximum: 604_800_000 })),
    metadata: Type.Optional(JsonRecord),
  },
  closed,
);
export type RunCreate = Static<typeof RunCreate>;

export const RunStatus = Type.Enum([
  'pending',
  'claimed',
  'running',
  'stopping',
  'completed',
  'failed',
  'stopped',
  'timed_out',
]);

/** Why a run failed. The last two causes are permanent: there is no retry. */
export const FailureCause = Type.Enum([
  'agent',
  'environment',
  'rate_limit',
  'configuration',
  'prompt_too_long',
]);

const run = {
  run_id: Type.String(),
  type: RunType,
  purpose: RunPurpose,
  session_id: Type.String(),
  session_name: Type.String(),
  prompt: Type.String(),
  status: RunStatus,
  attempt: Type.Integer(),
  runner_id: Nullable(Type.String()),
  metadata: JsonRecord,
  error: Nullable(Type.String()),
  /** Present if the run failed and the cause is known. */
  cause: Type.Optional(FailureCause),
  /** What the run consumed, if the executor knows it. */
  usage: Type.Optional(Json),
  created_at: Timestamp,
  claimed_at: Nullable(Timestamp),
  started_at: Nullable(Timestamp),
  completed_at: Nullable(Timestamp),
};
export const RunView = Type.Object(run);
export type RunView = Static<typeof RunView>;

export const RunListQuery = Type.Object(
  {
    ...orderedPageQuery,
    status: Type.Optional(RunStatus),
    session: Type.Optional(Type.String()),
    root_session: Type.Optional(Type.String()),
  },
  closed,
);
export type RunListQuery = Static<typeof RunListQuery>;

export const RunnerRegister = Type.Object(
  {
    hostname: Text,
    project_dir: Type.Optional(Text),
    executor_types: Type.Array(Text, { minItems: 1, maxItems: 32 }),
    tags: Type.Optional(Tags),
    max_concurrent: Type.Optional(Type.Integer({ minimum: 1, maximum: 64 })),
  },
  closed,
);
export type RunnerRegister = Static<typeof RunnerRegister>;

export const RunnerRegistered = Type.Object({
  runner_id: Type.String(),
  poll_timeout_ms: Type.Integer(),
  heartbeat_interval_ms: Type.Integer(),
  lease_ms: Type.Integer(),
});
export type RunnerRegistered = Static<typeof RunnerRegistered>;

/** A run as its runner gets it. `environment` lacks `COUNTERSIGN_URL`: the runner knows its own URL of the service. */
export const ClaimedRun = Type.Object({
  ...run,
  lease_token: Type.String(),
  environment: Type.Record(Type.String(), Type.String()),
  project_dir: Nullable(Type.String()),
  /**
   * The executor type that the run demands, or that executed its session before. A runner with several
   * executors selects by it.
   */
  executor_type: Type.Optional(Nullable(Type.String())),
  executor_session_id: Nullable(Type.String()),
  /** The contract of an update run, if there is one. A client without tools can get its schema as output schema. */
  contract: Type.Optional(Nullable(Type.Object({ pointer: Type.String(), schema: JsonRecord }))),
  timeout_ms: Nullable(Type.Integer()),
  /**
   * Only for a resume run: first and last prompts of the session and its last result, for an agent without
   * its conversation.
   */
  recap: Type.Optional(
    Nullable(Type.Object({ prompts: Type.Array(Type.String()), result_text: Nullable(Type.String()) })),
  ),
  /** Present if the session has a named agent and the coordinator has agents. */
  agent: Type.Optional(AgentOfRun),
});
export type ClaimedRun = Static<typeof ClaimedRun>;

export const RunnerPollQuery = Type.Object(
  {
    runner_id: Type.String(),
    wait: Type.Optional(Wait),
    /** How many more runs the runner can accept now. */
    capacity: Type.Optional(Type.Integer({ minimum: 0, maximum: 64 })),
  },
  closed,
);
export type RunnerPollQuery = Static<typeof RunnerPollQuery>;

export const RunnerWork = Type.Object({ runs: Type.Array(ClaimedRun), stop_runs: Type.Array(Type.String()) });
export type RunnerWork = Static<typeof RunnerWork>;

export const Held = Type.Object(
  { run_id: Type.String(), attempt: Type.Integer(), lease_token: Type.String() },
  closed,
);
export const RunnerHeartbeat = Type.Object(
  { runner_id: Type.String(), runs: Type.Array(Held, { maxItems: 256 }) },
  closed,
);
export type RunnerHeartbeat = Static<typeof RunnerHeartbeat>;
export const HeartbeatAnswer = Type.Object({
  lost: Type.Array(Type.String()),
  stop_runs: Type.Array(Type.String()),
});
export type HeartbeatAnswer = Static<typeof HeartbeatAnswer>;

const lease = { runner_id: Type.String(), attempt: Type.Integer({ minimum: 1 }), lease_token: Type.String() };
const result = { result_text: Type.Optional(Nullable(Type.String())), result_data: Type.Optional(Json) };

export const RunStarted = Type.Object(
  {
    ...lease,
    executor_type: Type.Optional(Text),
    executor_session_id: Type.Optional(Nullable(Type.String({ maxLength: 512 }))),
  },
  closed,
);
export type RunStarted = Static<typeof RunStarted>;
export const RunCompleted = Type.Object(
  {
    ...lease,
    ...result,
    usage: Type.Optional(Json),
    executor_session_id: Type.Optional(Nullable(Type.String({ maxLength: 512 }))),
    /** The output of an update run whose client got the contract's schema. It is written at the contract's location. */
    state_value: Type.Optional(Json),
    /** Replaces `state_value` after the service refused to process that value: the message of the failure. */
    state_value_refused: Type.Optional(Type.String({ maxLength: 4096 })),
  },
  closed,
);
export type RunCompleted = Static<typeof RunCompleted>;
export const RunFailed = Type.Object(
  {
    ...lease,
    ...result,
    error: Type.String({ maxLength: 65_536 }),
    cause: Type.Optional(FailureCause),
    usage: Type.Optional(Json),
  },
  closed,
);
export type RunFailed = Static<typeof RunFailed>;
export const RunStopped = Type.Object({ ...lease, ...result, usage: Type.Optional(Json) }, closed);
export type RunStopped = Static<typeof RunStopped>;

export const RunnerView = Type.Object({
  runner_id: Type.String(),
  hostname: Nullable(Type.String({ description: 'null where a session asks' })),
  project_dir: Nullable(Type.String({ description: 'null where a session asks' })),
  executor_types: Type.Array(Type.String()),
  tags: Type.Array(Type.String()),
  max_concurrent: Type.Integer(),
  active_runs: Type.Integer({ description: 'Where a session asks, only the runs of its own tree' }),
  last_seen_at: Timestamp,
  created_at: Timestamp,
});
export type RunnerView = Static<typeof RunnerView>;
