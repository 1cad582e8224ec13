// Damaged records that were met: each is logged once, and counted.
import { LRUCache } from 'lru-cache';
import { describeDamage, type Damage } from '../../domain/damage/damage.js';
import type { Logger } from '../../ports/runtime.js';

export class DamageLog {
  readonly #met: LRUCache<string, true>;
  readonly #logger: Logger;

  constructor(logger: Logger, recordsMax: number) {
    this.#logger = logger;
    this.#met = new LRUCache({ max: recordsMax });
  }

  /** How many records, since the service started. */
  get size(): number {
    return this.#met.size;
  }

  /** @returns True where it is heard of for the first time. */
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
