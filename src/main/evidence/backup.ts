// `countersign backup` and `countersign restore`: copies of a database file, verified before they are used.
import type { BackupOptions, BackedUp, CliIo, Progress, RestoreOptions, Restored } from '../../cli/index.js';
import { fail, ok, type Result } from '../../domain/errors.js';
import { databaseKind } from '../../store/index.js';
import { openReadOnly, type ReadOnlyDatabase } from '../../store/sqlite/index.js';
import { databaseLocation } from '../database-location.js';
import { orFailure } from '../process/failure.js';
import { verify } from './verify.js';

const FINDINGS_MAX = 1;

/**
 * @returns The copy; or `record_damaged` if a part of the database cannot be read; or `database_unusable` if there is none, or the
 *   file exists.
 */
export function backup({ db, file }: BackupOptions, onProgress: Progress): Promise<Result<BackedUp>> {
  return orFailure(async () => {
    const { path } = databaseLocation(db, false);
    if (databaseKind(path) !== 'file') {
      return fail(
        'database_unusable',
        `The database is on a PostgreSQL server: pg_dump --format=custom --file ${file} makes a consistent backup of it while the service runs, and pg_restore restores it.`,
      );
    }
    return using(path, async (database) => {
      const [damage] = database.integrity(FINDINGS_MAX);
      if (damage !== undefined) {
        const detail = `${path} is damaged, so no backup was made: ${damage.detail} countersign doctor --db names all that is wrong; a copy of the file keeps what can still be read.`;
        return fail('record_damaged', detail);
      }
      await database.copyTo(file, onProgress);
      return ok({ db: path, file });
    });
  });
}

/**
 * @returns The new database; or `record_damaged` or `state_tampered` if the backup fails verification; or `database_unusable`
 *   if the new file exists.
 */
export function restore(
  { file, db }: RestoreOptions,
  env: CliIo['env'],
  onProgress: Progress,
): Promise<Result<Restored>> {
  return orFailure(async () => {
    if (databaseKind(db) !== 'file' || databaseKind(file) !== 'file') {
      return fail(
        'database_unusable',
        'A PostgreSQL database is restored with pg_restore, from what pg_dump wrote; countersign verify --db verifies it then.',
      );
    }
    const damage = await using(file, (database) => database.verifiable.soundness(FINDINGS_MAX));
    if (damage[0] !== undefined) return fail('record_damaged', `${file} is damaged: ${damage[0].detail}`);
    const verified = await verify({ db: file, stateId: null, expectedHead: null, file: null }, env);
    if (!verified.ok) return verified;
    const [first] = verified.value.tampered;
    if (first !== undefined) {
      const where = first.version === null ? 'its head' : `version ${String(first.version)}`;
      const detail = `${file} fails verification: the state ${first.state_id}, ${where}: ${first.what}. Nothing was restored.`;
      return fail('state_tampered', detail);
    }
    await using(file, (database) => database.copyTo(db, onProgress));
    const { states, events, signatures } = verified.value;
    return ok({ file, db, states, events, signatures });
  });
}

async function using<T>(path: string, work: (database: ReadOnlyDatabase) => Promise<T>): Promise<T> {
  const database = openReadOnly(path);
  try {
    return await work(database);
  } finally {
    database.close();
  }
}
