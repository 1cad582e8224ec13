// Maps PostgreSQL's errors to the errors of the store's interface. Knows no table.
import { CommitUnknownError, StorageError, type StorageCode } from '../../../ports/storage/storage.js';

/** Errors of the network, and of a server that ends or refuses connections, as one that has none left. */
const LOST =
  /^(ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|53300|57P0[1-5]|08...)$/;
/** The driver has no code for these. */
const LOST_MESSAGE = /^(Connection terminated|Client has encountered a connection error|Query read timeout)/;
/**
 * A lock, a statement, a transaction or a connection was waited for too long, or transactions waited for each other; and
 * a statement that was sent behind its preparation, where that waited too long.
 */
const BUSY = /^(55P03|57014|40001|40P01|25P03|25P04|26000)$/;
/** All connections were in use for too long. */
const BUSY_MESSAGE = 'timeout exceeded when trying to connect';
const FULL = /^(53100|53200)$/;
/**
 * Damage, errors of the disk, a server that accepts no writes, a role without its rights, and schemas, tables, columns and
 * functions that are not there: with the right to use a schema, a role loses sight of all that is in it.
 */
const FAILED = /^(58...|XX...|F0...|25006|53...|42501|3F000|42P01|42703|42883)$/;
/** A row with the same key, a deadlock, a failed serialization, and what statements raise with a division by zero. */
const OVERTAKEN = /^(23505|40P01|40001|22012)$/;
const STATEMENT_TIMEOUT = '57014';

/** The code of the driver or of the server; `''` for any other error. Drizzle wraps the driver's errors. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const { code } = error as { readonly code?: unknown };
  if (typeof code === 'string') return code;
  return error.cause === undefined ? '' : codeOf(error.cause);
}

/** No connection can be made, for whatever reason. */
class NoConnectionError extends Error {
  override readonly name = 'NoConnectionError';
  readonly code: string;

  constructor(why: unknown) {
    super(why instanceof Error ? why.message : String(why));
    this.code = codeOf(why);
  }
}

/** True if the connection is gone, or cannot be made. */
export function isConnectionLoss(error: unknown): boolean {
  if (error instanceof NoConnectionError) return true;
  if (LOST.test(codeOf(error))) return true;
  if (!(error instanceof Error)) return false;
  return LOST_MESSAGE.test(error.message) || (error.cause !== undefined && isConnectionLoss(error.cause));
}

/** True if another transaction has changed what this one relied on, or both waited for each other: it can be made again. */
export function isOvertaken(error: unknown): boolean {
  return OVERTAKEN.test(codeOf(error instanceof StorageError ? error.cause : error));
}

/** True if each request of a group would fail alone too: the database is lost, or somebody else keeps it busy. */
function isOfAll(error: unknown): boolean {
  const cause = error instanceof StorageError ? error.cause : error;
  if (isConnectionLoss(cause)) return true;
  const isStorageBusy = error instanceof StorageError && error.code === 'storage_busy';
  // A statement that took too long is possibly that of one request.
  return (isStorageBusy || isBusy(cause)) && codeOf(cause) !== STATEMENT_TIMEOUT;
}

function isBusy(error: unknown): boolean {
  return BUSY.test(codeOf(error)) || (error instanceof Error && error.message.startsWith(BUSY_MESSAGE));
}

/** True for a statement of a transaction in which another one has failed before. */
export function isOfAborted(error: unknown): boolean {
  return codeOf(error) === '25P02';
}

/** @returns A `StorageError` if the database is the cause; else the error itself. */
export function fault(error: unknown): Error {
  if (error instanceof StorageError) return error;
  const code = codeOf(error);
  if (isConnectionLoss(error)) return storage('storage_failed', 'The database cannot be reached', error);
  if (isBusy(error)) return busy(error);
  if (FULL.test(code)) return storage('storage_full', 'The database cannot grow; nothing was written', error);
  if (FAILED.test(code))
    return storage('storage_failed', `The database cannot be read or written (${code})`, error);
  return error instanceof Error ? error : new Error(String(error), { cause: error });
}

/**
 * The same for an error while a connection is made: the server may refuse it (the database is closed or renamed, the password
 * has changed), or this machine has nothing left to make one with.
 */
export function connectionFault(error: unknown): Error {
  const known = fault(error);
  return known instanceof StorageError ? known : fault(new NoConnectionError(error));
}

/** The error of a request that may succeed later. */
export function busy(cause?: unknown): StorageError {
  return storage('storage_busy', 'The database is busy; nothing was written', cause);
}

function storage(code: StorageCode, message: string, cause: unknown): StorageError {
  return new StorageError(code, message, { cause });
}

/** True if each request of a group would fail alone too. One that was overtaken would not. */
export function isForAll(error: unknown): boolean {
  return error instanceof CommitUnknownError || (isOfAll(error) && !isOvertaken(error));
}
