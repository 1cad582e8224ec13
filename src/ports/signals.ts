// Combines abort signals. `AbortSignal.any` is unsuitable: on Node 20 its signals accumulate on a long-lived source.

/** What a follower needs of an `AbortSignal`. */
export interface AbortSource {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

interface LinkedSignal {
  readonly signal: AbortSignal;
  /** Aborts this signal alone. */
  readonly abort: (reason?: unknown) => void;
  /** Removes the listeners from the sources. */
  readonly release: () => void;
}

/** Returns a signal that aborts when the first of its sources aborts, with the same reason, or on `abort`. */
export function linkSignals(...sources: readonly (AbortSource | undefined)[]): LinkedSignal {
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

/** Any number of followers with one listener on the signal. Node.js warns of a leak from the eleventh listener on. */
export function sharedSource(signal: AbortSignal): AbortSource {
  const followers = new Set<() => void>();
  const tell = () => {
    for (const follower of [...followers]) follower();
  };
  return {
    get aborted() {
      return signal.aborted;
    },
    get reason() {
      const reason: unknown = signal.reason;
      return reason;
    },
    addEventListener(_, listener) {
      if (followers.size === 0) signal.addEventListener('abort', tell);
      followers.add(listener);
    },
    removeEventListener(_, listener) {
      followers.delete(listener);
      if (followers.size === 0) signal.removeEventListener('abort', tell);
    },
  };
}
