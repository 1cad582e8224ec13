// Wire contract of operational requests: health and `doctor`.
import { Type, type Static } from 'typebox';

export const DoctorReport = Type.Object({
  healthy: Type.Boolean(),
  findings: Type.Array(Type.Object({ check: Type.String(), subject: Type.String(), detail: Type.String() })),
});
export type DoctorReport = Static<typeof DoctorReport>;

export const Health = Type.Object({
  status: Type.Enum(['ok', 'draining', 'unavailable']),
  /** Of `/readyz`: `slow` is a database that is there and does not answer in time, `lost` one that cannot be reached. */
  database: Type.Optional(Type.Enum(['ok', 'slow', 'lost', 'not_writable'])),
});
export type Health = Static<typeof Health>;
