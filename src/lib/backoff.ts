// Delays between attempts, and the wait for them. Browsers use it too, so it needs no `node:timers`.
import { expectListeners } from './signals.js';

/** Longest delay of a timer, milliseconds: about 24.8 days. With a longer one, `setTimeout` fires at once. */
export const TIMER_MS_MAX = 2 ** 31 - 1;

export interface BackoffOptions {
  /** Delay before the second attempt, milliseconds. */
  readonly firstMs: number;
  /** Upper bound of every delay, milliseconds. */
  readonly maxMs: number;
}

/**
 * Doubles with each failure up to the bound, with jitter: between half of the delay and all of it.
 *
 * @param failures - Attempts that have failed; from 1.
 */
export function backoffMs(failures: number, { firstMs, maxMs }: BackoffOptions): number {
  const full = Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 30));
  return full / 2 + (Math.random() * full) / 2;
}

/** Resolves after `ms`, `TIMER_MS_MAX` at most, or when a signal aborts; never rejects. */
export function sleep(ms: number, ...signals: readonly (AbortSignal | undefined)[]): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      for (const signal of signals) signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, Math.min(ms, TIMER_MS_MAX));
    for (const signal of signals) {
      if (signal === undefined) continue;
      expectListeners(signal);
      signal.addEventListener('abort', done);
    }
    if (signals.some((signal) => signal?.aborted === true)) done();
  });
}
