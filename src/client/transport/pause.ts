// Pauses between attempts: exponential, with jitter, and cut short by an abort. Browsers have no `node:timers`.
import { linkSignals } from '../../domain/signals.js';

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
  const over = linkSignals(...signals);
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      over.release();
      resolve();
    };
    const timer = setTimeout(done, ms);
    over.signal.addEventListener('abort', done);
    if (over.signal.aborted) done();
  });
}
