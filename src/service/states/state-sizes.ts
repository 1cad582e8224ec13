// Which states are close to the size that they may have: told in the log once for each time that one comes there.
import { LRUCache } from 'lru-cache';
import type { Limits } from '../../domain/limits.js';
import { isNearLimit } from '../../domain/states/size.js';
import type { Logger } from '../../ports/runtime.js';

export class StateSizes {
  readonly #near: LRUCache<string, true>;

  constructor(
    private readonly limits: Limits,
    private readonly logger: Logger,
  ) {
    this.#near = new LRUCache({ max: limits.stateFactsMax });
  }

  /** States that are known to be close to the limit. */
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

  forget(stateId: string): void {
    this.#near.delete(stateId);
  }
}
