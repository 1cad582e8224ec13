// `countersign doctor --db …`: examines a database without a service. Changes nothing.
import { fail, ok, type Result } from '../../domain/errors.js';
import { DEFAULT_LIMITS } from '../../domain/limits.js';
import type { DoctorReport } from '../../ports/api/index.js';
import { examineAll } from '../../service/index.js';
import { databaseKind, openStore } from '../../store/index.js';
import { openReadOnly } from '../../store/sqlite/index.js';
import { systemClock } from '../clock.js';
import { plainReason } from '../process/failure.js';

/** @returns The findings; or `invalid_request` if it is not a readable Countersign database. */
export async function examineFile(path: string): Promise<Result<DoctorReport>> {
  try {
    const { findingsMax } = DEFAULT_LIMITS;
    if (databaseKind(path) !== 'file') return ok(await examineServer(path, findingsMax));
    const database = openReadOnly(path);
    try {
      const findings = [
        ...database.file(findingsMax),
        ...(await examineAll(database.read, systemClock.now(), findingsMax)),
      ].map((one) => ({ ...one }));
      return ok({ healthy: findings.length === 0, findings });
    } finally {
      database.close();
    }
  } catch (error) {
    const reason = plainReason(error);
    if (reason === null) throw error;
    return fail('invalid_request', `${reason}.`);
  }
}

async function examineServer(db: string, findingsMax: number): Promise<DoctorReport> {
  const store = await openStore({ db, mustExist: true });
  try {
    const found = await examineAll(store.read, systemClock.now(), findingsMax);
    return { healthy: found.length === 0, findings: found.map((one) => ({ ...one })) };
  } finally {
    await store.close();
  }
}
