// Tracks, for each idle session, which client process waits to wake it: the one that the last stop started. In
// memory only: after a restart of the service the first process that asks is current until another one asks.
import type { LRUCache } from 'lru-cache';
import { boundedCache } from '../../lib/bounded-cache.js';

interface Waker {
  readonly invocation: string;
  readonly replaced: AbortController;
}

export class Wakers {
  readonly #last: LRUCache<string, Waker>;
  /** Invocations that a later process replaced. */
  readonly #replaced: LRUCache<string, true>;

  constructor(sessionsMax: number) {
    this.#last = boundedCache(sessionsMax);
    this.#replaced = boundedCache(sessionsMax);
  }

  /** @returns A signal that aborts when a later process replaces this one; `null` if one already has. */
  of(sessionId: string, invocation: string): AbortSignal | null {
    if (this.#replaced.has(invocation)) return null;
    const last = this.#last.get(sessionId);
    if (last?.invocation === invocation) return last.replaced.signal;
    if (last !== undefined) {
      this.#replaced.set(last.invocation, true);
      last.replaced.abort();
    }
    const replaced = new AbortController();
    this.#last.set(sessionId, { invocation, replaced });
    return replaced.signal;
  }
}
