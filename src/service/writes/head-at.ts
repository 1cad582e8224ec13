// The head of a state in the middle of a batch.
import type { StateHead } from '../../domain/records/records.js';
import { copyOfHead, type Written } from '../../domain/states/write.js';

/** The head after this number of commits of the batch. */
export function headAt(commits: number, written: Written, before: StateHead): StateHead {
  const event = commits === 0 ? undefined : written.events[commits - 1];
  if (event === undefined) return before;
  const { head } = written;
  if (event.version === head.version) return head;
  const then = copyOfHead(head);
  then.version = event.version;
  then.updatedAt = event.createdAt;
  then.updatedBy = event.sessionId;
  return then;
}
