// Who may read and write the files of a database. They hold secrets, so they are the owner's alone.
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

/** What was done about a file that others could read; `mended` is false where it is somebody else's file. */
export interface OpenedUpFile {
  readonly file: string;
  readonly mode: string;
  readonly mended: boolean;
}

/** Makes an empty file for its owner alone, whatever the umask says; one that is there stays as it is. */
export function createPrivate(path: string): void {
  let file: number;
  try {
    file = openSync(path, 'wx', OWNER_ONLY);
  } catch {
    // It is there, or cannot be made; SQLite says which when it opens it.
    return;
  }
  try {
    fchmodSync(file, OWNER_ONLY);
  } finally {
    closeSync(file);
  }
}

/** Takes the rights of others away from the files of a database. @returns Those that had some. */
export function takeFromOthers(path: string): readonly OpenedUpFile[] {
  return SUFFIXES.flatMap((suffix): readonly OpenedUpFile[] => {
    const file = `${path}${suffix}`;
    const stat = statSync(file, { throwIfNoEntry: false });
    if (stat?.isFile() !== true || (stat.mode & OTHERS) === 0) return [];
    const mode = (stat.mode & 0o777).toString(8).padStart(4, '0');
    try {
      chmodSync(file, stat.mode & 0o700);
      return [{ file, mode, mended: true }];
    } catch {
      return [{ file, mode, mended: false }];
    }
  });
}

/**
 * Looks whether a database, its log and its folder may be written, as their modes say: root could write all the same, but
 * whoever took the right away meant it.
 *
 * @throws DatabaseUnusableError - One of them may not.
 */
export function requireWritable(path: string): void {
  const why = whyNotWritable(path);
  if (why !== null) throw new DatabaseUnusableError(`The database ${path} cannot be used: ${why}`);
}

/** @returns In words; `null` where they may. */
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
