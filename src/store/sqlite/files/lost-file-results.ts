// Decides which results of a group may be acknowledged: a commit to a file that is not in place must not be.
import { StorageError } from '../../../ports/storage/storage.js';
import type { Committer } from '../writes/committer.js';
import type { Request, Result } from '../../request.js';
import { storageErrorOf } from '../faults.js';
import type { StorageWatch } from './storage-watch.js';

/** @returns The same results if all of them hold. Else results that wrote, or failed in SQLite, get the cause. */
export function refuseLost(results: readonly Result[], watch: StorageWatch): readonly Result[] {
  const failed = results.some(isFault);
  if (!failed && !results.some(wrote)) return results;
  const error = watch.afterCommit(failed);
  if (error === null) return results;
  return results.map((result) => (wrote(result) || isFault(result) ? { ok: false, error } : result));
}

/** Answers requests that only read, while nothing can be written. */
export function readOnlyResults(
  group: readonly Request[],
  committer: Committer,
  lost: StorageError,
): readonly Result[] {
  const refused: Result = { ok: false, error: lost };
  return group.map((request) => {
    const looked = committer.look(request);
    return looked === null || isFault(looked) ? refused : looked;
  });
}

function wrote(result: Result): boolean {
  return result.ok && result.changes.length > 0;
}

/** True if SQLite failed to read or write. */
function isFault(result: Result): boolean {
  return !result.ok && storageErrorOf(result.error) instanceof StorageError;
}
