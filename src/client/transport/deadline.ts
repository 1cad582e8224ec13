// The time limit of a request.
import { linkSignals } from '../../lib/signals.js';
import { TIMER_MS_MAX } from '../../lib/backoff.js';

/** A time limit together with the signals that abort a request earlier. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** True if the time limit passed; false if one of the sources aborted. */
  readonly expired: boolean;
  /** Releases the timer and the listeners on the sources. */
  clear(): void;
}

/**
 * @param ms - Time limit, milliseconds: `TIMER_MS_MAX` at most, or `Infinity` for none.
 * @param sources - Signals that abort earlier.
 */
export function createDeadline(ms: number, sources: readonly (AbortSignal | undefined)[]): Deadline {
  const { signal, abort, release } = linkSignals(...sources);
  let expired = false;
  const expire = () => {
    expired = true;
    abort();
  };
  const timer = ms === Infinity ? undefined : setTimeout(expire, Math.min(ms, TIMER_MS_MAX));
  return {
    signal,
    get expired() {
      return expired;
    },
    clear() {
      clearTimeout(timer);
      release();
    },
  };
}
