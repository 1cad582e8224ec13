// Opens and configures a connection. Knows no table, and not Drizzle: the writing thread does not load it.
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readSync,
  statSync,
  type Stats,
} from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { messageOf } from '../../domain/text.js';
import { DatabaseDamagedError, DatabaseFullError, DatabaseUnusableError } from '../errors.js';
import { DEFAULT_STORE_LIMITS, type StoreLimits } from '../limits.js';
import { createPrivate } from './files/file-modes.js';
import { hasFreeSpace, isNoSpace } from './files/free-space.js';
import { keepStatements } from './kept-statements.js';

export type Client = Database.Database;

/** Reads a number that changes when another connection writes. */
export function dataVersionOf(client: Client): Database.Statement {
  return client.prepare('pragma data_version').pluck();
}

/** The error code of SQLite, such as `SQLITE_FULL`; `''` for any other error. */
export function sqliteCode(error: unknown): string {
  return error instanceof Database.SqliteError ? error.code : '';
}

/** Why a file cannot be used, by the beginning of the error code of SQLite. */
const WHY_BY_CODE: readonly (readonly [prefix: string, why: string])[] = [
  ['SQLITE_NOTADB', 'it is not an SQLite database'],
  ['SQLITE_READONLY', 'it cannot be written'],
  ['SQLITE_BUSY', 'another process holds it'],
  ['SQLITE_FULL', 'the disk is full'],
  ['SQLITE_CANTOPEN', 'it cannot be opened or created there'],
];

/** Converts an error into a plain sentence on why a file cannot be used. */
export function unusable(path: string, error: unknown): DatabaseUnusableError {
  const code = sqliteCode(error);
  if (isFull(path, code, error))
    return new DatabaseFullError(`The database ${path} cannot be used: the disk is full`, { cause: error });
  if (code.startsWith('SQLITE_CORRUPT'))
    return new DatabaseDamagedError(`The database ${path} cannot be used: it is damaged`, { cause: error });
  const cause = messageOf(error);
  const known = WHY_BY_CODE.find(([prefix]) => code.startsWith(prefix));
  const why = known?.[1] ?? whyNotByCode(error) ?? cause;
  return new DatabaseUnusableError(`The database ${path} cannot be used: ${why}`, { cause: error });
}

/** SQLite also reports an I/O error where a file cannot grow. */
function isFull(path: string, code: string, error: unknown): boolean {
  if (code.startsWith('SQLITE_FULL') || isNoSpace(error)) return true;
  return code.startsWith('SQLITE_IOERR') && !hasFreeSpace(path, DEFAULT_STORE_LIMITS.freeBytesMin);
}

const ANY_READ = 0o444;
/** The first bytes of every SQLite file. */
const HEADER = Buffer.from('SQLite format 3\0');

const WHY_NOT: Readonly<Record<string, string>> = {
  EACCES: 'it may not be read',
  EISDIR: 'it is a folder',
  ELOOP: 'its symbolic links form a loop',
  ENAMETOOLONG: 'its name is too long',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EPERM: 'it may not be read',
};

function whyNotByCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? WHY_NOT[String(error.code)] : undefined;
}

/**
 * Looks at a path before it is opened: opening a FIFO may wait forever, and SQLite's errors name no cause.
 *
 * @returns The file's state; `undefined` if there is none.
 * @throws DatabaseUnusableError - It is no regular file, may not be read, or holds something else than a database.
 */
export function checkKind(path: string): Stats | undefined {
  let file: Stats | undefined;
  try {
    // With the option, a part of the path that is a file would count as a missing file.
    file = statSync(path);
    if (file.isFile()) accessSync(path, constants.R_OK);
    // Root could read it anyway, but a removed read permission is intentional.
    if (file.isFile() && (file.mode & ANY_READ) === 0)
      throw new DatabaseUnusableError(`The database ${path} cannot be used: it may not be read`);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error instanceof DatabaseUnusableError ? error : unusable(path, error);
  }
  if (!file.isFile())
    throw new DatabaseUnusableError(
      `The database ${path} cannot be used: it is ${kindOf(file)}, not a regular file`,
    );
  if (file.size > 0 && !hasHeader(path)) {
    throw new DatabaseUnusableError(`The database ${path} cannot be used: it is not an SQLite database`);
  }
  return file;
}

function kindOf(file: Stats): string {
  if (file.isDirectory()) return 'a folder';
  if (file.isFIFO()) return 'a FIFO';
  return file.isSocket() ? 'a socket' : 'a device';
}

/** Checks the first bytes of a file, so that nothing is created beside a file of another program. */
function hasHeader(path: string): boolean {
  const start = Buffer.alloc(HEADER.length);
  const file = openSync(path, 'r');
  try {
    return readSync(file, start) === HEADER.length && start.equals(HEADER);
  } finally {
    closeSync(file);
  }
}

/** @throws DatabaseUnusableError - The file is missing or empty, no regular file, or may not be read. */
export function checkExists(path: string): void {
  const file = checkKind(path);
  if (file === undefined) {
    throw new DatabaseUnusableError(`The database ${path} cannot be used: there is no such file`);
  }
  if (file.size === 0) {
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

/** Opens a file that has to be there: a coordinator whose file was removed must not create one in its place. */
export function openExistingClient(path: string): Client {
  return keepStatements(new Database(path, { timeout: 0, fileMustExist: true }));
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
