// Wire contract of operational requests: health and `doctor`.
import { Type, type Static } from 'typebox';
import { Nullable } from './common.js';

export const DoctorReport = Type.Object({
  healthy: Type.Boolean(),
  findings: Type.Array(Type.Object({ check: Type.String(), subject: Type.String(), detail: Type.String() })),
});
export type DoctorReport = Static<typeof DoctorReport>;

const byStatus = (what: string) =>
  Type.Record(Type.String(), Type.Integer(), { description: `Number of ${what} by status; 0 where absent` });

/** Numbers of all that there is, in one answer. */
export const Overview = Type.Object({
  trees: Type.Object({
    active: Type.Integer({ description: 'Trees with a session that is pending or running' }),
  }),
  workflow_states: Type.Object({ all: Type.Integer() }),
  sessions: byStatus('sessions'),
  completions: byStatus('completions'),
  runs: byStatus('runs'),
  callbacks: byStatus('callbacks'),
  webhook_deliveries: byStatus('deliveries'),
  runners: Type.Object({
    all: Type.Integer(),
    max_concurrent: Type.Integer({ description: 'Runs that all runners together can execute at once' }),
    active_runs: Type.Integer(),
  }),
});
export type Overview = Static<typeof Overview>;

/** Whom the service takes the caller for. */
export const WhoAmI = Type.Object({
  kind: Type.Enum(['operator', 'token', 'session']),
  session_id: Nullable(Type.String()),
  token_name: Nullable(Type.String()),
  rights: Type.Array(Type.Enum(['read', 'orchestrate', 'run', 'operate']), {
    description: 'What the caller may use; of a session: within its tree',
  }),
});
export type WhoAmI = Static<typeof WhoAmI>;

const Mean = Nullable(Type.Number({ minimum: 0, description: 'Mean, ms; null where no run ended' }));

/** What was committed minute by minute, the oldest minute first. */
export const Activity = Type.Object({
  since: Type.String({ format: 'date-time', description: 'When this coordinator began to count' }),
  interval_ms: Type.Integer(),
  items: Type.Array(
    Type.Object({
      at: Type.String({ format: 'date-time', description: 'Beginning of the minute' }),
      writes: Type.Integer({ description: 'Accepted writes of states' }),
      runs_ended: Type.Integer(),
      runs_failed: Type.Integer({ description: 'Of those, how many failed or timed out' }),
      run_wait_ms: Mean,
      run_ms: Mean,
    }),
  ),
});
export type Activity = Static<typeof Activity>;

export const Health = Type.Object({
  status: Type.Enum(['ok', 'draining', 'unavailable']),
  /** Of `/readyz`: `slow` is a database that is there and does not answer in time, `lost` one that cannot be reached. */
  database: Type.Optional(Type.Enum(['ok', 'slow', 'lost', 'not_writable'])),
});
export type Health = Static<typeof Health>;
