// The lock that allows one coordinator per database file.
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseNewerError, DatabaseUnusableError } from '../../errors.js';
import { checkKind, openClient, sqliteCode, unusable } from '../connection.js';
import { whyCorrupt } from '../faults.js';
import { inspect, knownMigrations } from '../migrations.js';
import { requireWritable } from './file-modes.js';

/** An exclusive lock on a database. */
interface DatabaseLock {
  release(): void;
}

/** The path of a database's lock file. It is the same for all paths to the database. */
export function lockPathOf(path: string): string {
  return `${realPath(path)}.lock`;
}

/** Resolves links, so that all paths to one file give the same result. */
function realPath(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const folder = dirname(path);
  return existsSync(folder) ? join(realpathSync(folder), basename(path)) : path;
}

/**
 * Makes this process the only coordinator of a database, until it releases the lock or ends in any way.
 *
 * The lock is an operating system lock on `<path>.lock`, an empty SQLite database. Holding it proves that the
 * previous holder of the same file is gone. The lock file can be removed, so the lease in the database (lease.ts) is
 * decisive.
 *
 * Nothing is created beside a database that every start refuses.
 *
 * @throws DatabaseUnusableError - Another coordinator holds it, it is damaged or not Countersign's, or the database or its lock
 *   file is not writable.
 * @throws DatabaseNewerError - A newer version of the program wrote it.
 */
export function lockDatabase(path: string): DatabaseLock {
  if (path === ':memory:') return { release: () => undefined };
  const file = checkKind(path);
  requireWritable(path);
  const lockPath = lockPathOf(path);
  if (file !== undefined && file.size > 0 && !existsSync(lockPath)) requireUsable(path);
  const client = openClient(lockPath, path);
  try {
    client.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    client.close();
    if (sqliteCode(error).startsWith('SQLITE_BUSY')) {
      throw new DatabaseUnusableError(
        `The database ${path} is in use by another coordinator; stop it, or use another file`,
        { cause: error },
      );
    }
    throw unusable(path, error);
  }
  return {
    release() {
      if (client.open) client.close();
    },
  };
}

/**
 * Refuses what the opening after the lock would refuse. It may run beside a coordinator, so an error that can pass, such as a
 * lock, is left to that opening.
 */
function requireUsable(path: string): void {
  const client = openClient(path);
  try {
    inspect(client, path, knownMigrations());
  } catch (error) {
    if (error instanceof DatabaseNewerError || error instanceof DatabaseUnusableError) throw error;
    if (whyCorrupt(error) !== null) throw unusable(path, error);
  } finally {
    client.close();
  }
}
