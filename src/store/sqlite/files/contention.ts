// Waits with timers for another process that holds the write lock. SQLite's own wait would block the thread.
import { setTimeout as pause } from 'node:timers/promises';
import type { StoreLimits } from '../../limits.js';
import type { Committer } from '../writes/committer.js';
import type { Request } from '../../request.js';
import { isBusy, storageBusy } from '../faults.js';

/** Retries work while the database is busy. @throws The error of `work`; a busy error only after `busyMs`. */
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

/** The state of the request queue while another process holds the write lock. */
export class Contention {
  #since: number | null = null;
  #pauseMs = 1;
  /** Requests that were already tried read-only during the contention. */
  readonly #looked = new WeakSet<Request>();

  constructor(private readonly limits: StoreLimits) {}

  get isOn(): boolean {
    return this.#since !== null;
  }

  end(): void {
    this.#since = null;
    this.#pauseMs = 1;
  }

  /** The pause before the next attempt, in milliseconds. */
  pauseMs(): number {
    this.#pauseMs = Math.min(this.#pauseMs * 2, this.limits.busyPauseMsMax);
    return this.#pauseMs;
  }

  /**
   * Answers requests that only read, and fails those that have waited for `busyMs`.
   *
   * @returns The remaining requests, in order.
   */
  withoutReads(queue: readonly Request[], committer: Committer): Request[] {
    const now = performance.now();
    const since = (this.#since ??= now);
    const remaining: Request[] = [];
    for (const request of queue) {
      const looked = this.#looked.has(request) ? null : committer.look(request);
      this.#looked.add(request);
      if (looked !== null) request.answer(looked);
      else if (now - Math.max(since, request.since) < this.limits.busyMs) remaining.push(request);
      else request.answer({ ok: false, error: storageBusy() });
    }
    if (remaining.length === 0) this.end();
    return remaining;
  }
}
