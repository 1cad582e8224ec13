// Caches what never changes about a state: its tree and the name of its root. Bounded.
import type { LRUCache } from 'lru-cache';
import { boundedCache } from '../../lib/bounded-cache.js';
import type { Store } from '../../ports/storage/store.js';

export interface StateFacts {
  readonly rootSessionId: string;
  readonly rootSessionName: string;
}

export class StateFactsCache {
  readonly #facts: LRUCache<string, StateFacts>;

  constructor(
    private readonly store: Store,
    statesMax: number,
  ) {
    this.#facts = boundedCache(statesMax);
  }

  /** The cached facts, or `undefined` if they are not in the cache. */
  cached(stateId: string): StateFacts | undefined {
    return this.#facts.get(stateId);
  }

  /** @returns The facts of a state; `null` if it does not exist. A deleted state may still be in the cache. */
  async of(stateId: string): Promise<StateFacts | null> {
    const cached = this.#facts.get(stateId);
    if (cached !== undefined) return cached;
    const head = await this.store.read.state(stateId);
    if (head === null) return null;
    const root = await this.store.read.session(head.rootSessionId);
    const facts = {
      rootSessionId: head.rootSessionId,
      rootSessionName: root?.sessionName ?? head.rootSessionId,
    };
    this.#facts.set(stateId, facts);
    return facts;
  }
}
