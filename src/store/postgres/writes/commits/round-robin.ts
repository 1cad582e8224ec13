// Lets coordinators write a state in rotation if several of them write it. A write is prepared on the newest version before
// it is decided; without a rotation, the coordinator that has written last is always the first to prepare again.
// Knows no table.
import { LRUCache } from 'lru-cache';
import type { Changeset } from '../../../../domain/transactions/changeset.js';

/** A coordinator that has written a state within this time, or wanted to, is waited for. */
const RIVAL_MS = 1_000;

/** How long a coordinator that has written waits for the others. Longer than they need to prepare and to commit. */
const WAIT_MS = 200;

/** States that several coordinators write so often that one was overtaken more than once. */
const STATES_MAX = 10_000;

interface Contended {
  /** When each other coordinator has last written it, or wanted to, in milliseconds of the monotonic clock. */
  readonly rivals: Map<string, number>;
  /** The others that have written it since this coordinator has. */
  readonly since: Set<string>;
  /** When this coordinator has last written it. */
  ownAt: number;
  /** Called when another coordinator has written it. */
  readonly waiting: Set<() => void>;
}

export class RoundRobin {
  readonly #contended = new LRUCache<string, Contended>({ max: STATES_MAX });
  #waiting = 0;

  /** True if a write waits until another coordinator has written. */
  get isWaiting(): boolean {
    return this.#waiting > 0;
  }

  /** This coordinator has committed. */
  own(changes: Changeset): void {
    for (const stateId of writtenIn(changes)) {
      const state = this.#contended.get(stateId);
      if (state === undefined) continue;
      state.ownAt = performance.now();
      state.since.clear();
    }
  }

  /** Another coordinator has committed. */
  remote(changes: Changeset, by: string): void {
    for (const stateId of writtenIn(changes)) {
      const state = this.#contended.get(stateId);
      if (state === undefined) continue;
      state.rivals.set(by, performance.now());
      state.since.add(by);
      for (const look of [...state.waiting]) look();
    }
  }

  /** Another coordinator was overtaken more than once. It may say so after it has written. */
  overtaken(stateId: string, by: string): void {
    let state = this.#contended.get(stateId);
    if (state === undefined) {
      state = { rivals: new Map(), since: new Set(), ownAt: performance.now(), waiting: new Set() };
      this.#contended.set(stateId, state);
    }
    state.rivals.set(by, performance.now());
  }

  /**
   * Waits until the other coordinators that write a state have written it, or could have.
   *
   * @returns `undefined` if there is no coordinator to wait for.
   */
  wait(stateId: string): Promise<void> | undefined {
    const state = this.#contended.get(stateId);
    if (state === undefined || !mustWait(state)) return undefined;
    this.#waiting += 1;
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        state.waiting.delete(look);
        this.#waiting -= 1;
        resolve();
      };
      const look = () => {
        if (!mustWait(state)) done();
      };
      const late = () => {
        // A coordinator that did not write in time is skipped. If it then conflicts, it reports that, and the
        // rotation restarts.
        this.#contended.delete(stateId);
        done();
      };
      const timer = setTimeout(late, state.ownAt + WAIT_MS - performance.now());
      state.waiting.add(look);
    });
  }
}

function mustWait({ rivals, since, ownAt }: Contended): boolean {
  const now = performance.now();
  if (ownAt + WAIT_MS <= now) return false;
  for (const [by, at] of rivals) {
    if (at + RIVAL_MS < now) rivals.delete(by);
    else if (!since.has(by)) return true;
  }
  return false;
}

function writtenIn(changes: Changeset): readonly string[] {
  return changes.flatMap((change) =>
    'put' in change && change.put === 'state' && change.record.version > 1 ? [change.record.stateId] : [],
  );
}
