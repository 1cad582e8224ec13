// What SQLite says went wrong, in the words of the port. Knows no path and no table.
import { StorageError } from '../../ports/store.js';
import { sqliteCode } from './connection.js';

const BUSY = /^SQLITE_(BUSY|LOCKED)/;
const FAILED = /^SQLITE_(IOERR|CORRUPT|NOTADB|CANTOPEN|READONLY|PERM|PROTOCOL|NOLFS)/;

/** True where another connection holds what is needed: the same can succeed a moment later. */
export function isBusy(error: unknown): boolean {
  return BUSY.test(codeOf(error));
}

/** True for an I/O error, which SQLite also reports where a file may not grow. */
export function isIoError(error: unknown): boolean {
  return codeOf(error).startsWith('SQLITE_IOERR');
}

/** @returns A `StorageError` for what the database is to blame for; any other error as it is. */
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

/** Another process writes, and has done so for too long. */
export function storageBusy(cause?: unknown): StorageError {
  const message = 'Another program holds the write lock of the database; nothing was written';
  return new StorageError('storage_busy', message, { cause });
}

/** The database cannot grow. */
export function storageFull(cause: unknown): StorageError {
  return new StorageError('storage_full', 'The database cannot grow; nothing was written', { cause });
}

/** Makes a promise of a synchronous read; what the read throws rejects it. */
export function answer<T>(read: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    try {
      resolve(read());
    } catch (error) {
      reject(storageErrorOf(error));
    }
  });
}

/** Drizzle wraps what the driver throws. */
function codeOf(error: unknown): string {
  const code = sqliteCode(error);
  return code === '' && error instanceof Error ? sqliteCode(error.cause) : code;
}
