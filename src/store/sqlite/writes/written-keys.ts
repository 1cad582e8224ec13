// The keys of the records that decisions have written and that are not on disk yet. No decision can read their rows.
import type { Changeset, Put } from '../../../domain/transactions/changeset.js';
import { idOf } from '../../../domain/transactions/change-id.js';
import type { LoadRequest } from '../../../domain/transactions/loaded-records.js';
import { NotOnDisk } from './not-on-disk.js';

/** Records that a decision loads by their key, beside those of a session and of a state. */
const KINDS: ReadonlySet<Put['put']> = new Set(['run', 'runner', 'callback', 'receipt']);

/** The callbacks of one parent, together. */
const handedTo = (parentSessionId: string) => `handed:${parentSessionId}`;

function keyOf(request: LoadRequest): string | null {
  switch (request.load) {
    case 'run':
      return `run:${request.runId}`;
    case 'runner':
      return `runner:${request.runnerId}`;
    case 'callback':
      return `callback:${request.callbackId}`;
    case 'receipt':
      return `receipt:${request.receiptId}`;
    case 'handed':
      return handedTo(request.sessionId);
    default:
      return null;
  }
}

export class WrittenKeys {
  readonly notOnDisk = new NotOnDisk<Set<string>>(
    () => new Set(),
    () => undefined,
  );

  written(changes: Changeset): void {
    const { open } = this.notOnDisk;
    for (const change of changes) {
      if (!('put' in change) || !KINDS.has(change.put)) continue;
      open.add(`${change.put}:${idOf(change)}`);
      if (change.put === 'callback') open.add(handedTo(change.record.parentSessionId));
    }
  }

  /**
   * True if a request loads one record by its key, or the callbacks of one parent, and their rows are on disk as the last
   * decision has left them; or runs that a runner may claim. Of those, the rule looks again at each, and a run that is
   * missed wakes the runner when it is on disk. Only so many may be out of date that others are left.
   */
  isOnDisk(request: LoadRequest): boolean {
    const { open, writing } = this.notOnDisk;
    if (request.load === 'claimable') return open.size + (writing?.size ?? 0) <= request.runsMax / 2;
    const key = keyOf(request);
    return key !== null && !open.has(key) && writing?.has(key) !== true;
  }
}
