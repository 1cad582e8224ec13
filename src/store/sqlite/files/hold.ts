// One coordinator per database file.
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseUnusableError } from '../../errors.js';
import { openClient, sqliteCode, unusable } from '../connection.js';
import { requireWritable } from './file-modes.js';

/** A hold on a database. */
export interface DatabaseHold {
  release(): void;
}

/** The lock file of a database, whatever path the database is called by. */
export function lockPathOf(path: string): string {
  return `${realPath(path)}.lock`;
}

/** The same file by whatever path it is called. */
function realPath(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const folder = dirname(path);
  return existsSync(folder) ? join(realpathSync(folder), basename(path)) : path;
}

/**
 * Says that this process alone coordinates a database, until it is released or the process ends, however it ends.
 * The hold is a lock of the operating system on `<path>.lock`, an empty SQLite database. It proves that whoever held the
 * same file before is gone. Since the file can be removed, the lease in the database (lease.ts) is what counts.
 *
 * @throws DatabaseUnusableError - Another coordinator holds it, or the database or its lock file cannot be written.
 */
export function holdDatabase(path: string): DatabaseHold {
  if (path === ':memory:') return { release: () => undefined };
  requireWritable(path);
  const client = openClient(lockPathOf(path), path);
  try {
    client.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    client.close();
    if (sqliteCode(error).startsWith('SQLITE_BUSY')) {
      throw new DatabaseUnusableError(`The database ${path} is in use by another coordinator`, {
        cause: error,
      });
    }
    throw unusable(path, error);
  }
  return {
    release() {
      if (client.open) client.close();
    },
  };
}
