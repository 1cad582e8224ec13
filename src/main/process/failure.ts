// The expected errors that keep the program from starting.
import { fail, type ErrorCode, type Result } from '../../domain/errors.js';
import { SigningSecretError } from '../../domain/evidence/keys.js';
import { ListenError } from '../../http/index.js';
import { storageFailure } from '../../ports/storage/storage.js';
import { RunnerRefused } from '../../runner/index.js';
import {
  DatabaseDamagedError,
  DatabaseFullError,
  DatabaseNewerError,
  DatabaseUnusableError,
  whyCorrupt,
} from '../../store/sqlite/index.js';
import { NoFolderError } from '../runner/agent-folder.js';
import { StartError } from '../coordinator.js';

const EXPECTED = [
  StartError,
  SigningSecretError,
  NoFolderError,
  ListenError,
  DatabaseNewerError,
  DatabaseUnusableError,
  RunnerRefused,
];

/** @returns The message, one plain sentence; `null` for an unexpected error. */
export function startErrorText(error: unknown): string | null {
  const storage = storageFailure(error);
  if (storage !== null) {
    const hint = storage.error === 'storage_failed' ? '. countersign doctor --db names what is damaged' : '';
    return `${storage.detail}${hint}`;
  }
  return error instanceof Error && EXPECTED.some((kind) => error instanceof kind) ? error.message : null;
}

/** @returns The failure of a command whose database cannot be used, read or written; `null` for an unexpected error. */
export function failureOf(error: unknown): Extract<Result<never>, { readonly ok: false }> | null {
  // The errors of an opening name the file.
  const corrupt = error instanceof DatabaseUnusableError ? null : whyCorrupt(error);
  if (corrupt !== null) {
    const detail = `The database is damaged: SQLite says: ${corrupt}. Nothing was changed. countersign doctor --db lists all damage.`;
    return fail('record_damaged', detail);
  }
  const storage = storageFailure(error);
  if (storage !== null) return fail(storage.error, `${storage.detail}.`);
  const reason = startErrorText(error);
  if (reason === null) return null;
  return fail(codeOf(error), `${reason}.`);
}

function codeOf(error: unknown): ErrorCode {
  if (error instanceof DatabaseFullError) return 'storage_full';
  if (error instanceof DatabaseDamagedError) return 'record_damaged';
  const isOfDatabase = error instanceof DatabaseUnusableError || error instanceof DatabaseNewerError;
  return isOfDatabase ? 'database_unusable' : 'invalid_request';
}

/** The result of the work; the failure of a command whose database cannot be used, read or written. */
export async function orFailure<T>(work: () => Promise<Result<T>> | Result<T>): Promise<Result<T>> {
  try {
    return await work();
  } catch (error) {
    const failure = failureOf(error);
    if (failure === null) throw error;
    return failure;
  }
}
