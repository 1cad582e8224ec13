// Access modes and names of the database files. They contain secrets, so only the owner has access.
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  openSync,
  statSync,
  realpathSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseUnusableError } from '../../errors.js';

const OWNER_ONLY = 0o600;
const OTHERS = 0o077;
const ANY_WRITE = 0o222;
const SUFFIXES = ['', '-wal', '-shm', '.lock', '.lock-journal'];

/** A file that others could access. `repaired` is false if this process may not change its mode. */
interface OpenedUpFile {
  readonly file: string;
  readonly mode: string;
  readonly repaired: boolean;
}

/** Creates an empty file with owner-only access, whatever the umask is. An existing file stays as it is. */
export function createPrivate(path: string): void {
  let file: number;
  try {
    file = openSync(path, 'wx', OWNER_ONLY);
  } catch {
    // It exists or cannot be created. SQLite reports the cause when it opens the file.
    return;
  }
  try {
    fchmodSync(file, OWNER_ONLY);
  } finally {
    closeSync(file);
  }
}

/** Removes all access of others from the database files. @returns The files that others could access. */
export function takeFromOthers(path: string): readonly OpenedUpFile[] {
  return SUFFIXES.flatMap((suffix): readonly OpenedUpFile[] => {
    const file = `${path}${suffix}`;
    const stat = statSync(file, { throwIfNoEntry: false });
    if (stat?.isFile() !== true || (stat.mode & OTHERS) === 0) return [];
    const mode = (stat.mode & 0o777).toString(8).padStart(4, '0');
    try {
      chmodSync(file, stat.mode & 0o700);
      return [{ file, mode, repaired: true }];
    } catch {
      return [{ file, mode, repaired: false }];
    }
  });
}

/**
 * Checks by file modes whether a database, its log and its folder are writable. Root could write anyway, but
 * a removed write permission is intentional.
 *
 * @throws DatabaseUnusableError - One of them is not writable.
 */
export function requireWritable(path: string): void {
  const why = whyNotWritable(path);
  if (why !== null) throw new DatabaseUnusableError(`The database ${path} cannot be used: ${why}`);
}

/**
 * Requires that the database file has only one name. A program that opens it by another hard link uses
 * another log, so neither sees the other's writes.
 *
 * @throws DatabaseUnusableError - It has another name.
 */
export function requireOneName(path: string): void {
  const stat = statOf(path);
  if (!stat?.isFile() || stat.nlink <= 1) return;
  throw new DatabaseUnusableError(
    `The database ${path} cannot be used: the file has another name (a hard link), by which others would not see its log; make a copy of it instead`,
  );
}

/** @returns The reason as text; `null` if they are writable. */
export function whyNotWritable(path: string): string | null {
  const real = statOf(path) === null ? path : realpathSync(path);
  for (const suffix of ['', '-wal', '-shm']) {
    const file = `${real}${suffix}`;
    const stat = statOf(file);
    if (!stat?.isFile()) continue;
    if ((stat.mode & ANY_WRITE) === 0 || !isAllowed(file, constants.W_OK)) {
      return suffix === '' ? 'it cannot be written' : `${file} cannot be written`;
    }
  }
  const folder = dirname(real);
  const stat = statOf(folder);
  if (stat?.isDirectory() !== true) return null;
  return (stat.mode & ANY_WRITE) === 0 || !isAllowed(folder, constants.W_OK | constants.X_OK)
    ? `its folder ${folder} cannot be written`
    : null;
}

function statOf(file: string) {
  try {
    return statSync(file, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

function isAllowed(file: string, mode: number): boolean {
  try {
    accessSync(file, mode);
    return true;
  } catch {
    return false;
  }
}
