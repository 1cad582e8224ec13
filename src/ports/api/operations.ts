// Wire contract of operational requests: health and `doctor`.
import { Type, type Static } from 'typebox';

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

export const Health = Type.Object({
  status: Type.Enum(['ok', 'draining', 'unavailable']),
  /** Of `/readyz`: `slow` is a database that is there and does not answer in time, `lost` one that cannot be reached. */
  database: Type.Optional(Type.Enum(['ok', 'slow', 'lost', 'not_writable'])),
});
export type Health = Static<typeof Health>;
