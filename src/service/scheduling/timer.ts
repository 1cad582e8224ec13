// One timer that rings when the next thing is due, however far off that is: rings are never missed, only early.
import type { Limits } from '../../domain/limits.js';
import type { Clock } from '../../ports/runtime.js';

interface Parts {
  readonly clock: Clock;
  readonly limits: Pick<Limits, 'tickMs'>;
}

export class Timer {
  #timer: NodeJS.Timeout | null = null;
  #ringsAt = Infinity;
  #running: Promise<void> = Promise.resolve();
  /** How long the last ring took: the process may have stood still in the middle of it. */
  #rangMs = 0;
  #stopped = false;

  /**
   * @param ring - One ring waits for the end of the one before. Must not throw. Hears how late it is: the process may
   *   have stood still.
   */
  constructor(
    private readonly parts: Parts,
    private readonly ring: (lateMs: number) => Promise<void>,
  ) {}

  get stopped(): boolean {
    return this.#stopped;
  }

  /** Rings at a time, and not later than a tick from now: the clock may be moved by others. An earlier time stays. */
  set(at: number): void {
    if (this.#stopped || at >= this.#ringsAt) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#ringsAt = at;
    const delayMs = Math.min(Math.max(0, at - this.parts.clock.now()), this.parts.limits.tickMs);
    const planned = performance.now() + delayMs;
    this.#timer = setTimeout(() => {
      const lateMs = Math.max(0, Math.round(performance.now() - planned));
      this.#timer = null;
      this.#ringsAt = Infinity;
      this.#running = this.#running.then(() => (this.#stopped ? undefined : this.#ring(lateMs)));
    }, delayMs);
  }

  async #ring(lateMs: number): Promise<void> {
    const began = performance.now();
    await this.ring(lateMs + this.#rangMs);
    this.#rangMs = Math.round(performance.now() - began);
  }

  /** Rings no more; settles when the last ring has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#running;
  }
}
