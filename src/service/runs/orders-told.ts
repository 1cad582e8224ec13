// Which orders to stop a runner has heard already in its polls. In memory only: one told twice does no harm, and the
// heartbeat repeats them anyway; this keeps a poll from returning at once, again and again, while a run is stopping.
import { LRUCache } from 'lru-cache';

export class OrdersTold {
  readonly #told: LRUCache<string, true>;

  constructor(ordersMax: number) {
    this.#told = new LRUCache({ max: ordersMax });
  }

  /** @returns True where the runner had not heard it. */
  tell(runnerId: string, runId: string): boolean {
    const key = `${runnerId} ${runId}`;
    if (this.#told.has(key)) return false;
    this.#told.set(key, true);
    return true;
  }
}
