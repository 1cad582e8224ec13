// The queue of work of a mirror. Events add work while earlier work runs. Knows no service and no file.
import { sleep } from '../../lib/backoff.js';

/** Work that was taken from the queue. */
export interface MirrorWork {
  /** Read everything: at the beginning, and when events were missed. */
  readonly all: boolean;
  /** States were written at this time or later, as ISO 8601; `null` if none was. */
  readonly since: string | null;
  readonly deleted: ReadonlySet<string>;
  /** States to read and to write whatever their version: edited files, and writes that failed. */
  readonly again: ReadonlySet<string>;
}

export class PendingWork {
  #all = false;
  #since: string | null = null;
  #deleted = new Set<string>();
  #again = new Set<string>();
  #wake: () => void = () => undefined;

  get isEmpty(): boolean {
    return !this.#all && this.#since === null && this.#deleted.size === 0 && this.#again.size === 0;
  }

  addAll(): void {
    this.#all = true;
    this.#wake();
  }

  addWritten(at: string): void {
    if (this.#since === null || at < this.#since) this.#since = at;
    this.#wake();
  }

  addDeleted(stateId: string): void {
    this.#deleted.add(stateId);
    this.#wake();
  }

  addAgain(stateId: string): void {
    this.#again.add(stateId);
    this.#wake();
  }

  /** Takes everything. */
  drain(): MirrorWork {
    const work = { all: this.#all, since: this.#since, deleted: this.#deleted, again: this.#again };
    this.#all = false;
    this.#since = null;
    this.#deleted = new Set();
    this.#again = new Set();
    return work;
  }

  /** Gives back work that could not be done. */
  requeue({ all, since, deleted, again }: MirrorWork): void {
    if (all) this.addAll();
    if (since !== null) this.addWritten(since);
    for (const stateId of deleted) this.addDeleted(stateId);
    for (const stateId of again) this.addAgain(stateId);
  }

  /** Resolves when there is work, when the time is over, or when the signal aborts. */
  async waitForWork(withinMs: number, signal: AbortSignal): Promise<void> {
    if (!this.isEmpty) return;
    const added = new AbortController();
    this.#wake = () => added.abort();
    await sleep(withinMs, signal, added.signal);
  }
}
