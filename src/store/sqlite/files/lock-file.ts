// The lock that allows one coordinator per database file.
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseUnusableError } from '../../errors.js';
import { checkKind, openClient, sqliteCode, unusable } from '../connection.js';
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
 * @throws DatabaseUnusableError - Another coordinator holds it, it is no SQLite file, or the database or its lock file is not writable.
 */
export function lockDatabase(path: string): DatabaseLock {
  if (path === ':memory:') return { release: () => undefined };
  checkKind(path);
  requireWritable(path);
  const client = openClient(lockPathOf(path), path);
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
