// Pauses between attempts: longer each time, never at the same moment for all, and over at once when given up.

const FIRST_MS = 100;
const LAST_MS = 5_000;

/** @returns Milliseconds before an attempt, 0 for the first again; random between half of the pause and the whole. */
export function pauseMs(failures: number): number {
  const whole = Math.min(LAST_MS, FIRST_MS * 2 ** Math.min(failures, 16));
  return whole / 2 + (Math.random() * whole) / 2;
}

/** Settles after `ms`, or at an abort. */
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
