// Tracks which states are close to the size limit. Logs a warning each time that a state gets close.
import type { LRUCache } from 'lru-cache';
import { boundedCache } from '../../lib/bounded-cache.js';
import type { Limits } from '../../domain/limits.js';
import { isNearLimit } from '../../domain/states/size.js';
import type { Logger } from '../../ports/runtime.js';

export class StateSizes {
  readonly #near: LRUCache<string, true>;

  constructor(
    private readonly limits: Limits,
    private readonly logger: Logger,
  ) {
    this.#near = boundedCache(limits.stateFactsMax);
  }

  /** How many states are known to be close to the limit. */
  get near(): number {
    return this.#near.size;
  }

  note(stateId: string, bytes: number): void {
    if (!isNearLimit(bytes, this.limits)) {
      if (this.#near.size > 0) this.#near.delete(stateId);
      return;
    }
    if (this.#near.has(stateId)) return;
    this.#near.set(stateId, true);
    const { stateBytesMax } = this.limits;
    this.logger.warn(
      { state_id: stateId, bytes, limit: 'stateBytesMax', maximum: stateBytesMax },
      'a state is close to the size that it may have',
    );
  }

  invalidate(stateId: string): void {
    this.#near.delete(stateId);
  }
}
