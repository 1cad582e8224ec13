// Logs each damaged record once, and counts damaged records.
import type { LRUCache } from 'lru-cache';
import { boundedCache } from '../../ports/bounded-cache.js';
import { describeDamage, type Damage } from '../../domain/damage/damage.js';
import type { Logger } from '../../ports/runtime.js';

export class DamageLog {
  readonly #met: LRUCache<string, true>;
  readonly #logger: Logger;

  constructor(logger: Logger, recordsMax: number) {
    this.#logger = logger;
    this.#met = boundedCache(recordsMax);
  }

  /** The number of damaged records since the service started. */
  get size(): number {
    return this.#met.size;
  }

  /** @returns True if this is the first report of the damage. */
  note(damage: Damage): boolean {
    const { kind, id, column } = damage;
    const key = `${kind} ${id} ${column ?? ''}`;
    if (this.#met.has(key)) return false;
    this.#met.set(key, true);
    this.#logger.error(
      { record: kind, record_id: id, column },
      `${describeDamage(damage)}; see countersign doctor`,
    );
    return true;
  }
}
