// Which results of a group may be told: a commit to a file that is not in its place is not acknowledged.
import { StorageError } from '../../../ports/store.js';
import type { Committer, Request, Result } from '../writes/committer.js';
import { storageErrorOf } from '../faults.js';
import type { StorageWatch } from './storage-watch.js';

/** @returns The results, the same where all of them hold; what could not be written is told the cause. */
export function vouchFor(results: readonly Result[], watch: StorageWatch): readonly Result[] {
  const failed = results.some(isFault);
  if (!failed && !results.some(wrote)) return results;
  const error = watch.afterCommit(failed);
  if (error === null) return results;
  return results.map((result) => (wrote(result) || isFault(result) ? { ok: false, error } : result));
}

/** Answers what only reads, while nothing may be written. */
export function withoutWriting(
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

/** SQLite could not read or write. */
function isFault(result: Result): boolean {
  return !result.ok && storageErrorOf(result.error) instanceof StorageError;
}
