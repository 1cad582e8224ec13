// Combines abort signals. `AbortSignal.any` is unsuitable: on Node 20 its signals accumulate on a long-lived source.

interface LinkedSignal {
  readonly signal: AbortSignal;
  /** Aborts this signal alone. */
  readonly abort: (reason?: unknown) => void;
  /** Removes the listeners from the sources. */
  readonly release: () => void;
}

/** Returns a signal that aborts when the first of its sources aborts, with the same reason, or on `abort`. */
export function linkSignals(...sources: readonly (AbortSignal | undefined)[]): LinkedSignal {
  const controller = new AbortController();
  const follow = () => controller.abort(sources.find((source) => source?.aborted === true)?.reason);
  for (const source of sources) source?.addEventListener('abort', follow, { once: true });
  if (sources.some((source) => source?.aborted === true)) follow();
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    release: () => {
      for (const source of sources) source?.removeEventListener('abort', follow);
    },
  };
}
