// `countersign doctor --db …`: examines a database without a service. Changes nothing.
import type { CliIo } from '../../cli/index.js';
import type { SigningKeys } from '../../domain/evidence/keys.js';
import { ok, type Result } from '../../domain/errors.js';
import { DEFAULT_LIMITS } from '../../domain/limits.js';
import type { DoctorReport } from '../../ports/api/index.js';
import type { Finding } from '../../ports/storage/audit.js';
import { StorageError } from '../../ports/storage/storage.js';
import { examineAll } from '../../service/index.js';
import { databaseKind, openHistories, type VerifiableDatabase } from '../../store/index.js';
import { openReadOnly, whyCorrupt, type ReadOnlyDatabase } from '../../store/sqlite/index.js';
import { systemClock } from '../clock.js';
import { evidenceFor } from '../evidence/evidence.js';
import { signingKeysOf } from '../evidence/signing-keys.js';
import { orFailure } from '../process/failure.js';

const { findingsMax } = DEFAULT_LIMITS;

/**
 * @param env - The secret of the database, if its signatures are to be checked, too.
 * @returns The findings, also for a file too damaged to be opened; or `database_unusable` if it is not a Countersign
 *   database, or is signed with another secret than that of the environment.
 */
export function examineFile(path: string, env: CliIo['env']): Promise<Result<DoctorReport>> {
  return orFailure(() => {
    const keys = signingKeysOf(env);
    return databaseKind(path) === 'file' ? examineLocal(path, keys) : examineServer(path, keys);
  });
}

async function examineLocal(path: string, keys: SigningKeys | null): Promise<Result<DoctorReport>> {
  let database: ReadOnlyDatabase;
  try {
    database = openReadOnly(path, 'examined');
  } catch (error) {
    return notSound(path, [], error);
  }
  const ofFile = await database.verifiable.soundness(findingsMax);
  try {
    return await examine(database.verifiable, keys, ofFile);
  } catch (error) {
    return notSound(path, ofFile, error);
  } finally {
    database.close();
  }
}

/** The report on a file whose rows cannot be examined. @throws The error, unless damage of the file is its cause. */
function notSound(path: string, ofFile: readonly Finding[], error: unknown): Result<DoctorReport> {
  const why = whyCorrupt(error);
  if (why === null) throw error;
  const detail = `SQLite says: ${why}.`;
  const last: Finding = { check: 'file_sound', subject: path, detail };
  const known = ofFile.some((one) => one.detail === detail);
  return ok({ healthy: false, findings: [...ofFile, ...(known ? [] : [last])].map((one) => ({ ...one })) });
}

async function examineServer(db: string, keys: SigningKeys | null): Promise<Result<DoctorReport>> {
  const database = await openHistories(db);
  let ofStructure: readonly Finding[] = [];
  try {
    ofStructure = await database.soundness(findingsMax);
    return await examine(database, keys, ofStructure);
  } catch (error) {
    // Without a table or a column, its rows cannot be read.
    if (ofStructure.length === 0 || !(error instanceof StorageError)) throw error;
    return ok({ healthy: false, findings: ofStructure.map((one) => ({ ...one })) });
  } finally {
    await database.close();
  }
}

/** @param ofFile - What is wrong with the file or the tables themselves. */
async function examine(
  database: Pick<VerifiableDatabase, 'signing' | 'examination'>,
  keys: SigningKeys | null,
  ofFile: readonly Finding[],
): Promise<Result<DoctorReport>> {
  const given = evidenceFor(keys, await database.signing(), 'examined');
  if (!given.ok) return given;
  const ofRows = await examineAll(database.examination(given.value), systemClock.now(), findingsMax);
  const findings = [...ofFile, ...ofRows].map((one) => ({ ...one }));
  return ok({ healthy: findings.length === 0, findings });
}
