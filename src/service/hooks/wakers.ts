// Which process of a client waits to wake a session that is idle: the one that its last stop started. In memory only:
// after a restart of the service the first that asks is the one, until another comes.
import { LRUCache } from 'lru-cache';

interface Waker {
  readonly invocation: string;
  readonly over: AbortController;
}

export class Wakers {
  readonly #last: LRUCache<string, Waker>;
  /** Those that others have taken the place of. */
  readonly #replaced: LRUCache<string, true>;

  constructor(sessionsMax: number) {
    this.#last = new LRUCache({ max: sessionsMax });
    this.#replaced = new LRUCache({ max: sessionsMax });
  }

  /** @returns What ends when another takes its place; `null` where that has happened. */
  of(sessionId: string, invocation: string): AbortSignal | null {
    if (this.#replaced.has(invocation)) return null;
    const last = this.#last.get(sessionId);
    if (last?.invocation === invocation) return last.over.signal;
    if (last !== undefined) {
      this.#replaced.set(last.invocation, true);
      last.over.abort();
    }
    const over = new AbortController();
    this.#last.set(sessionId, { invocation, over });
    return over.signal;
  }
}
