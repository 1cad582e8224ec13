// Maps SQLite's errors to the errors of the store's interface. Knows no path and no table.
import { messageOf } from '../../domain/text.js';
import { CommitUnknownError, StorageError } from '../../ports/storage/storage.js';
import { sqliteCode } from './connection.js';

const BUSY = /^SQLITE_(BUSY|LOCKED)/;
const FAILED = /^SQLITE_(IOERR|CORRUPT|NOTADB|CANTOPEN|READONLY|PERM|PROTOCOL|NOLFS)/;

/** True if another connection holds a required lock. A retry can succeed. */
export function isBusy(error: unknown): boolean {
  return BUSY.test(codeOf(error));
}

/** True for an I/O error. SQLite also reports one if a file cannot grow. */
export function isIoError(error: unknown): boolean {
  return codeOf(error).startsWith('SQLITE_IOERR');
}

/** True if the disk, the file or its lock is the cause, and not what was written. */
export function isOfStorage(error: unknown): boolean {
  return storageErrorOf(error) instanceof StorageError;
}

/** @returns A `StorageError` if the database is the cause; else the error itself. */
export function storageErrorOf(error: unknown): Error {
  const code = codeOf(error);
  if (code.startsWith('SQLITE_FULL')) return storageFull(error);
  if (BUSY.test(code)) return storageBusy(error);
  if (FAILED.test(code)) {
    const message = `The database cannot be read or written (${code}); nothing is acknowledged`;
    return new StorageError('storage_failed', message, { cause: error });
  }
  return error instanceof Error ? error : new Error(String(error), { cause: error });
}

/**
 * What SQLite says of a damaged file that could not be read; `null` for any other error, and for a commit whose result is not
 * known.
 */
export function whyCorrupt(error: unknown): string | null {
  if (error instanceof CommitUnknownError) return null;
  const root = rootOf(error instanceof StorageError ? error.cause : error);
  return sqliteCode(root).startsWith('SQLITE_CORRUPT') ? messageOf(root) : null;
}

/** What SQLite says of a damaged file, or of a table or column that is not there; `null` for any other error. */
export function whyUnreadable(error: unknown): string | null {
  const [code, message] = [codeOf(error), messageOf(rootOf(error))];
  const isMissing = code === 'SQLITE_ERROR' && message.startsWith('no such ');
  return isMissing || /^SQLITE_(CORRUPT|IOERR)/.test(code) ? message : null;
}

/** Another process held the write lock for too long. */
export function storageBusy(cause?: unknown): StorageError {
  const message = 'Another program holds the write lock of the database; nothing was written';
  return new StorageError('storage_busy', message, { cause });
}

/** The database cannot grow. */
export function storageFull(cause: unknown): StorageError {
  return new StorageError('storage_full', 'The database cannot grow; nothing was written', { cause });
}

/** Runs a synchronous read and returns a promise. An error of the read rejects it. */
export function answer<T>(read: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    try {
      resolve(read());
    } catch (error) {
      reject(storageErrorOf(error));
    }
  });
}

/** Drizzle wraps the driver's errors. */
function codeOf(error: unknown): string {
  return sqliteCode(rootOf(error));
}

function rootOf(error: unknown): unknown {
  return sqliteCode(error) === '' && error instanceof Error ? error.cause : error;
}
