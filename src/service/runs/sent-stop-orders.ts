// Tracks which stop orders a runner has received by poll. Without it, each poll would return at once while a run
// is stopping. In memory only: an order that is sent twice does no harm, and heartbeats repeat orders anyway.
import type { LRUCache } from 'lru-cache';
import { boundedCache } from '../../lib/bounded-cache.js';

export class SentStopOrders {
  readonly #sent: LRUCache<string, true>;

  constructor(ordersMax: number) {
    this.#sent = boundedCache(ordersMax);
  }

  /** @returns True if the runner has not received the order before. */
  tell(runnerId: string, runId: string): boolean {
    const key = `${runnerId} ${runId}`;
    if (this.#sent.has(key)) return false;
    this.#sent.set(key, true);
    return true;
  }
}
