// Waiting for another process that holds the write lock, by timers: SQLite would hold the thread.
import { setTimeout as pause } from 'node:timers/promises';
import type { StoreLimits } from '../../limits.js';
import type { Committer, Request } from '../writes/committer.js';
import { isBusy, storageBusy } from '../faults.js';

/** Does something as soon as nobody else holds what it needs. @throws What it throws, that it is busy too after `busyMs`. */
export async function whenFree<T>(busyMs: number, pauseMsMax: number, work: () => T): Promise<T> {
  const until = performance.now() + busyMs;
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, pauseMsMax)) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= until) throw error;
    }
    await pause(pauseMs);
  }
}

/** A queue of requests while another process keeps this one from writing. */
export class Contention {
  #since: number | null = null;
  #pauseMs = 1;
  /** Requests that were looked at while nothing could be written. */
  readonly #looked = new WeakSet<Request>();

  constructor(private readonly limits: StoreLimits) {}

  get isOn(): boolean {
    return this.#since !== null;
  }

  end(): void {
    this.#since = null;
    this.#pauseMs = 1;
  }

  /** How long to wait before the next try. */
  pauseMs(): number {
    this.#pauseMs = Math.min(this.#pauseMs * 2, this.limits.busyPauseMsMax);
    return this.#pauseMs;
  }

  /**
   * Answers what only reads, and refuses what has waited for `busyMs`.
   *
   * @returns What is left, in its order.
   */
  sift(queue: readonly Request[], committer: Committer): Request[] {
    const now = performance.now();
    const since = (this.#since ??= now);
    const left: Request[] = [];
    for (const request of queue) {
      const looked = this.#looked.has(request) ? null : committer.look(request);
      this.#looked.add(request);
      if (looked !== null) request.answer(looked);
      else if (now - Math.max(since, request.since) < this.limits.busyMs) left.push(request);
      else request.answer({ ok: false, error: storageBusy() });
    }
    if (left.length === 0) this.end();
    return left;
  }
}
