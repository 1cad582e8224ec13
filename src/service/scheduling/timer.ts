// A timer that fires at the next due time, however distant. It may fire early, but never misses a due time.
import type { Limits } from '../../domain/limits.js';
import type { Clock } from '../../ports/runtime.js';

interface Parts {
  readonly clock: Clock;
  readonly limits: Pick<Limits, 'tickMs'>;
}

export class Timer {
  #timer: NodeJS.Timeout | null = null;
  #firesAt = Infinity;
  #running: Promise<void> = Promise.resolve();
  /** How long the last firing took. The process may have stood still during it. */
  #lastCallMs = 0;
  #stopped = false;

  /**
   * @param fire - Called when the timer fires, after the call before it has ended. Must not throw. It receives
   *   how late it is, in milliseconds: the process may have stood still.
   */
  constructor(
    private readonly parts: Parts,
    private readonly fire: (lateMs: number) => Promise<void>,
  ) {}

  get stopped(): boolean {
    return this.#stopped;
  }

  /** Fires at this time, and at most one tick from now, because the clock may be changed. An earlier time stays set. */
  set(at: number): void {
    if (this.#stopped || at >= this.#firesAt) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#firesAt = at;
    const delayMs = Math.min(Math.max(0, at - this.parts.clock.now()), this.parts.limits.tickMs);
    const planned = performance.now() + delayMs;
    this.#timer = setTimeout(() => {
      const lateMs = Math.max(0, Math.round(performance.now() - planned));
      this.#timer = null;
      this.#firesAt = Infinity;
      this.#running = this.#running.then(() => (this.#stopped ? undefined : this.#fire(lateMs)));
    }, delayMs);
  }

  async #fire(lateMs: number): Promise<void> {
    const began = performance.now();
    await this.fire(lateMs + this.#lastCallMs);
    this.#lastCallMs = Math.round(performance.now() - began);
  }

  /** Stops the timer; resolves when the last call has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#running;
  }
}
