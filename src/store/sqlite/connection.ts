// Opens and configures a connection. Knows no table, and not Drizzle: the writing thread does not load it.
import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { DatabaseUnusableError } from '../errors.js';
import type { StoreLimits } from '../limits.js';
import { createPrivate } from './files/file-modes.js';
import { keepStatements } from './kept-statements.js';

export type Client = Database.Database;

/** The error code of SQLite, such as `SQLITE_FULL`; `''` for any other error. */
export function sqliteCode(error: unknown): string {
  return error instanceof Database.SqliteError ? error.code : '';
}

/** Converts an error into a plain sentence on why a file cannot be used. */
export function unusable(path: string, error: unknown): DatabaseUnusableError {
  const code = sqliteCode(error);
  const cause = error instanceof Error ? error.message : String(error);
  const why = code.startsWith('SQLITE_NOTADB')
    ? 'it is not an SQLite database'
    : code.startsWith('SQLITE_CORRUPT')
      ? 'it is damaged'
      : code.startsWith('SQLITE_READONLY')
        ? 'it cannot be written'
        : code.startsWith('SQLITE_BUSY')
          ? 'another process holds it'
          : code.startsWith('SQLITE_FULL')
            ? 'the disk is full'
            : code.startsWith('SQLITE_CANTOPEN')
              ? 'it cannot be opened or created there'
              : cause;
  return new DatabaseUnusableError(`The database ${path} cannot be used: ${why}`, { cause: error });
}

/** @throws DatabaseUnusableError - The file is missing or empty. */
export function checkExists(path: string): void {
  const file = statSync(path, { throwIfNoEntry: false });
  if (file === undefined) {
    throw new DatabaseUnusableError(`The database ${path} cannot be used: there is no such file`);
  }
  if (file.isFile() && file.size === 0) {
    throw new DatabaseUnusableError(`The database ${path} cannot be used: the file is empty`);
  }
}

/**
 * Opens a file without changing its content. The connection never waits for a lock: that would block the thread.
 *
 * @param database - The path to name in errors.
 * @throws DatabaseUnusableError - The folder is missing, or the file cannot be opened.
 */
export function openClient(path: string, database = path): Client {
  const folder = dirname(path);
  if (path !== ':memory:' && !existsSync(folder)) {
    throw new DatabaseUnusableError(`The database ${database} cannot be used: there is no folder ${folder}`);
  }
  if (path !== ':memory:') createPrivate(path);
  try {
    return keepStatements(new Database(path, { timeout: 0 }));
  } catch (error) {
    throw unusable(database, error);
  }
}

/** Configures a connection for durable writes. */
export function configure(client: Client, limits: StoreLimits): void {
  client.pragma('journal_mode = WAL');
  // Set explicitly, and after the mode: better-sqlite3 is compiled to use NORMAL for WAL connections, where a
  // power failure can lose acknowledged commits.
  client.pragma('synchronous = FULL');
  const pageBytes = Number(client.pragma('page_size', { simple: true }));
  client.pragma(`wal_autocheckpoint = ${Math.ceil(limits.checkpointBytes / pageBytes)}`);
  client.pragma(`journal_size_limit = ${limits.journalBytesMax}`);
  client.pragma(`cache_size = ${-Math.ceil(limits.pageCacheBytes / 1024)}`);
  // The schema declares no foreign keys: the domain's rules keep the references between records.
  client.pragma('foreign_keys = OFF');
}
