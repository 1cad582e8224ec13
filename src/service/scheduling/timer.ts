// A timer that fires at the next due time, however distant. It may fire early, but never misses a due time.
import type { Limits } from '../../domain/limits.js';
import type { Clock } from '../../ports/runtime.js';

interface Parts {
  readonly clock: Clock;
  readonly limits: Pick<Limits, 'tickMs'>;
}

/** How often a standstill of the event loop is looked for while a call runs. */
const WATCH_MS = 100;

export class Timer {
  #timer: NodeJS.Timeout | null = null;
  #firesAt = Infinity;
  #running: Promise<void> = Promise.resolve();
  /** The longest time that the process stood still during the last call. */
  #stillMs = 0;
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

  /**
   * A standstill during a call is reported to the next one. How long the call takes says nothing: it may have much to do.
   * A timer that was set meanwhile is late by the same standstill, so the longer of both counts.
   */
  async #fire(lateMs: number): Promise<void> {
    const known = Math.max(lateMs, this.#stillMs);
    let seenAt = performance.now();
    this.#stillMs = 0;
    const look = () => {
      const now = performance.now();
      this.#stillMs = Math.max(this.#stillMs, Math.round(now - seenAt - WATCH_MS));
      seenAt = now;
    };
    const watch = setInterval(look, WATCH_MS);
    await this.fire(known);
    clearInterval(watch);
    look();
  }

  /** Stops the timer; resolves when the last call has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#running;
  }
}
