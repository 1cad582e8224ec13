// The time limit of a request. Does not use `AbortSignal.any`: on Node 20 its dependent signals accumulate on
// a long-lived source signal.

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
  const controller = new AbortController();
  let expired = false;
  const abort = () => controller.abort();
  const timer = setTimeout(() => {
    expired = true;
    abort();
  }, ms);
  for (const source of sources) {
    if (source?.aborted === true) abort();
    source?.addEventListener('abort', abort, { once: true });
  }
  return {
    signal: controller.signal,
    get expired() {
      return expired;
    },
    clear() {
      clearTimeout(timer);
      for (const source of sources) source?.removeEventListener('abort', abort);
    },
  };
}
