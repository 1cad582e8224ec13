// Pauses between attempts: exponential, with jitter, and cut short by an abort.

const FIRST_MS = 100;
const LAST_MS = 5_000;

/**
 * @returns Milliseconds before the next attempt, random between half and all of a bound that doubles with
 * `failures` (0 for the first retry).
 */
export function pauseMs(failures: number): number {
  const whole = Math.min(LAST_MS, FIRST_MS * 2 ** Math.min(failures, 16));
  return whole / 2 + (Math.random() * whole) / 2;
}

/** Resolves after `ms`, or when a signal aborts. */
export function pause(ms: number, ...signals: readonly (AbortSignal | undefined)[]): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      for (const signal of signals) signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    for (const signal of signals) signal?.addEventListener('abort', done, { once: true });
    if (signals.some((signal) => signal?.aborted === true)) done();
  });
}
