// When a request is given up. Not `AbortSignal.any`: on Node 20 its followers pile up on a signal that lives long.

export interface Deadline {
  readonly signal: AbortSignal;
  /** Time was up; otherwise an abort came from one of the sources. */
  readonly expired: boolean;
  /** Lets go of the timer and of the sources. */
  clear(): void;
}

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
