// The time limit of a request.
import { linkSignals } from '../../domain/signals.js';

/** A time limit together with the signals that abort a request earlier. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** True if the time limit passed; false if one of the sources aborted. */
  readonly expired: boolean;
  /** Releases the timer and the listeners on the sources. */
  clear(): void;
}

/**
 * @param ms - Time limit, milliseconds.
 * @param sources - Signals that abort earlier.
 */
export function createDeadline(ms: number, sources: readonly (AbortSignal | undefined)[]): Deadline {
  const { signal, abort, release } = linkSignals(...sources);
  let expired = false;
  const timer = setTimeout(() => {
    expired = true;
    abort();
  }, ms);
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
