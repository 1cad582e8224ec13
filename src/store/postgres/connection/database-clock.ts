// The clock of the database server, as all coordinators of a database use it: their own clocks may disagree.
import type { Clock } from '../../../ports/runtime.js';

/**
 * How far the server's clock may be set back, in milliseconds, so that the time stands still until it is reached again. Timers
 * stand still meanwhile: a clock that was set back by an hour is followed.
 */
const STILL_MS_MAX = 10_000;

/**
 * Follows the clock of the server between two looks at it with the monotonic clock of the process. Its time goes back only where
 * the server's clock was set back far; what others compare with their own clock, such as the expiry of a token, shows the
 * server's clock as it is.
 */
export class DatabaseClock implements Clock {
  #aheadMs = 0;
  #last = 0;

  /** @param local - The monotonic clock of the process, in milliseconds since the Unix epoch. */
  constructor(private readonly local: () => number = () => performance.timeOrigin + performance.now()) {}

  now(): number {
    const time = this.wall();
    if (time > this.#last || time < this.#last - STILL_MS_MAX) this.#last = time;
    return this.#last;
  }

  wall(): number {
    return Math.round(this.local() + this.#aheadMs);
  }

  /** The time of the process, for `learn`. */
  localTime(): number {
    return this.local();
  }

  /**
   * Learns the server's time. Nobody knows when between `askedAt` and now it was so. The clock is moved only as far as
   * it is certainly wrong, so a slow answer does no harm.
   */
  learn(serverMs: number, askedAt: number): void {
    const [least, most] = [serverMs - this.local(), serverMs - askedAt];
    this.#aheadMs = Math.min(Math.max(this.#aheadMs, least), most);
  }
}
