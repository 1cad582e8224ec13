// Logs each damaged record, and each state that fails verification, once; and counts them.
import type { LRUCache } from 'lru-cache';
import { boundedCache } from '../../lib/bounded-cache.js';
import { damagedFailure, describeDamage, type Damage } from '../../domain/damage/damage.js';
import type { Failed } from '../../domain/errors.js';
import type { Logger } from '../../ports/runtime.js';

export class DamageLog {
  readonly #met: LRUCache<string, true>;
  readonly #tampered: LRUCache<string, true>;
  readonly #logger: Logger;

  constructor(logger: Logger, recordsMax: number) {
    this.#logger = logger;
    this.#met = boundedCache(recordsMax);
    this.#tampered = boundedCache(recordsMax);
  }

  /** The number of damaged records since the service started. */
  get size(): number {
    return this.#met.size;
  }

  /** The number of states that do not hold, since the service started. */
  get tampered(): number {
    return this.#tampered.size;
  }

  note(damage: Damage): void {
    const { kind, id, column, tampered } = damage;
    if (tampered !== undefined) {
      this.#noteTampered(damage, tampered.version);
      return;
    }
    const key = `${kind} ${id} ${column ?? ''}`;
    if (this.#met.has(key)) return;
    this.#met.set(key, true);
    this.#logger.error(
      { record: kind, record_id: id, column },
      `${describeDamage(damage)}; see countersign doctor`,
    );
  }

  /** Notes a record that a request needs. @returns The failure of the request. */
  refused(damage: Damage): Failed {
    this.note(damage);
    return damagedFailure(damage);
  }

  #noteTampered(damage: Damage, version: number | null): void {
    if (this.#tampered.has(damage.id)) return;
    this.#tampered.set(damage.id, true);
    this.#logger.error({ state: damage.id, version }, `${describeDamage(damage)}; see countersign verify`);
  }
}
