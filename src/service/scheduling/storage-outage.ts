// Notices that nothing can be written to the database. In that time no runner can renew a lease and no result is taken,
// so no deadline may count it. Fires nothing itself.
import { heartbeatIntervalMs } from '../../domain/runs/claim.js';
import type { Limits } from '../../domain/limits.js';
import type { Clock } from '../../ports/runtime.js';
import type { Store } from '../../ports/storage/store.js';
import { isTroubleOfAll } from './record-retries.js';

interface Parts {
  readonly store: Pick<Store, 'health'>;
  readonly clock: Clock;
  readonly limits: Limits;
}

export class StorageOutage {
  /** When the first decision failed; `null` while decisions are written. */
  #since: number | null = null;
  /** True if the newest decision was written. A nearly full disk takes small ones. */
  #works = true;

  constructor(private readonly parts: Parts) {}

  /** Call with the error of every decision that failed. */
  readonly failed = (error: unknown): void => {
    if (!isTroubleOfAll(error)) return;
    this.#works = false;
    if (this.#since !== null) return;
    this.#since = this.parts.clock.now();
    void this.#isWritable().then((isWritable) => {
      // A damaged page fails only what needs it.
      if (isWritable) this.#since = null;
    });
  };

  /** Call with every commit. Leases survive a shorter outage by themselves. */
  worked(): void {
    this.#works = true;
    if (!this.#isLong) this.#since = null;
  }

  /**
   * Call before timers fire.
   *
   * @returns How long nothing was written, if that is over, and 0 if there was no outage or a short one. `null` while it
   *   lasts: then nothing may fire.
   */
  async passedMs(): Promise<number | null> {
    if (this.#since === null || !this.#isLong) return 0;
    const since = this.#since;
    if (!this.#works && !(await this.#isWritable())) return null;
    this.#since = null;
    return this.parts.clock.now() - since;
  }

  get #isLong(): boolean {
    const { clock, limits } = this.parts;
    return this.#since !== null && clock.now() - this.#since > heartbeatIntervalMs(limits);
  }

  /** Also if the database is only slow. */
  async #isWritable(): Promise<boolean> {
    try {
      const health = await this.parts.store.health();
      return health === 'ok' || health === 'slow';
    } catch {
      return false;
    }
  }
}
