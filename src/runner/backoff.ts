// How long to wait before something is tried again.

export interface BackoffOptions {
  /** Milliseconds before the second try. */
  readonly firstMs: number;
  /** Milliseconds that no wait exceeds. */
  readonly maxMs: number;
}

/** Doubles from try to try up to the bound, with jitter: half of it certain, half by chance. */
export function backoffMs(failures: number, { firstMs, maxMs }: BackoffOptions): number {
  const full = Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 30));
  return full / 2 + (Math.random() * full) / 2;
}

/** Ends early, without an error, when a signal says so. It keeps the process alive: someone waits for it. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}
