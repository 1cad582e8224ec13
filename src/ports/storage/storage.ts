// Why and when a database cannot be read or written. Knows no record.
import type { Failure } from '../../domain/errors.js';

/** The database failed during a commit. Whether the transaction is on disk is unknown. */
export class CommitUnknownError extends Error {
  override readonly name = 'CommitUnknownError';
}

/** Reasons why the database cannot be read or written. None of them is a bug. */
export type StorageCode = 'storage_full' | 'storage_busy' | 'storage_failed' | 'storage_lost';

/**
 * The database cannot be read or written now.
 *
 * - `storage_full`: it cannot grow. Nothing was written.
 * - `storage_busy`: another process held its write lock for too long. Nothing was written.
 * - `storage_failed`: an I/O error, a damaged file, or a server that cannot be reached or used. Nothing is acknowledged.
 * - `storage_lost`: the file at its path is not the one that was opened, or another coordinator has taken it
 *   over. Nothing is acknowledged.
 *
 * The message is a plain sentence for callers, without paths and secrets. The cause is for the log.
 */
export class StorageError extends Error {
  override readonly name = 'StorageError';

  constructor(
    readonly code: StorageCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Converts a store's error into the failure that callers get; `null` for any other error. */
export function storageFailure(error: unknown): Failure | null {
  if (error instanceof StorageError) return { error: error.code, detail: error.message, members: {} };
  if (error instanceof CommitUnknownError) {
    const detail = 'The database failed during the commit; whether the change was written is not known';
    return { error: 'storage_failed', detail, members: {} };
  }
  return null;
}

/**
 * Whether a database can be written.
 *
 * - `ok`: it can.
 * - `slow`: its server is there and does not answer in time. Requests may take long.
 * - `lost`: it cannot be reached, or the file is not the one that was opened.
 * - `not_writable`: it is full, read-only, a standby, held by another program, or the rights to write it are missing.
 */
export type StorageHealth = 'ok' | 'slow' | 'lost' | 'not_writable';
