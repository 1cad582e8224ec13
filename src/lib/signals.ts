// Combines abort signals. `AbortSignal.any` is unsuitable: on Node 20 its signals accumulate on a long-lived source.

/** Of Node, where a program has it: browsers run this module too. */
interface NodeEvents {
  setMaxListeners(listenersMax: number, signal: AbortSignal): void;
}
declare const process: { getBuiltinModule?(name: 'events'): NodeEvents | undefined } | undefined;

/**
 * Says that many listeners of a signal are no leak: as many requests, waits and streams may end with it, and each removes
 * its own. Node would print a warning at the eleventh.
 */
export function expectListeners(signal: AbortSignal): void {
  const events = typeof process === 'undefined' ? undefined : process.getBuiltinModule?.('events');
  try {
    events?.setMaxListeners(0, signal);
  } catch {
    // It is none of Node's signals, as in a simulated browser (jsdom): nothing warns of its listeners.
  }
}

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
  for (const source of sources) {
    if (source === undefined) continue;
    expectListeners(source);
    source.addEventListener('abort', follow, { once: true });
  }
  if (sources.some((source) => source?.aborted === true)) follow();
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    release: () => {
      for (const source of sources) source?.removeEventListener('abort', follow);
    },
  };
}

/**
 * Runs `work` with a signal that aborts as soon as one of `causes` does. Leaves nothing on causes
 * that outlive the request.
 */
export async function withSignal<T>(
  causes: readonly AbortSignal[],
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const linked = linkSignals(...causes);
  try {
    return await work(linked.signal);
  } finally {
    linked.release();
  }
}

/**
 * A request whose signal aborts with `signal`. By itself, a `Request` follows its signal only until it is collected as
 * garbage, even where somebody listens to it; here `signal` keeps it.
 */
export function requestFollowing(signal: AbortSignal, url: URL | string, init: RequestInit): Request {
  const request = new Request(url, { ...init, signal });
  expectListeners(signal);
  signal.addEventListener('abort', () => request, { once: true });
  return request;
}
