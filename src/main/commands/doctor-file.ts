// `countersign doctor --db …`: examines a database file without a service. Changes nothing.
import { refused, accepted, type Outcome } from '../../domain/errors.js';
import { DEFAULT_LIMITS } from '../../domain/limits.js';
import type { DoctorReport } from '../../ports/api/index.js';
import { examineAll } from '../../service/index.js';
import { openReadOnly } from '../../store/sqlite/index.js';
import { systemClock } from '../clock.js';
import { plainReason } from '../failure.js';

/** @returns The findings; or `invalid_request` if the file is not a readable Countersign database. */
export async function examineFile(path: string): Promise<Outcome<DoctorReport>> {
  try {
    const database = openReadOnly(path);
    try {
      const { findingsMax } = DEFAULT_LIMITS;
      const findings = [
        ...database.file(findingsMax),
        ...(await examineAll(database.read, systemClock.now(), findingsMax)),
      ].map((one) => ({ ...one }));
      return accepted({ healthy: findings.length === 0, findings });
    } finally {
      database.close();
    }
  } catch (error) {
    const reason = plainReason(error);
    if (reason === null) throw error;
    return refused('invalid_request', `${reason}.`);
  }
}
