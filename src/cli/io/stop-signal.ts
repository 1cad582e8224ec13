// The signals that ask a lasting command to end.

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Runs a task whose signal aborts at the first SIGINT or SIGTERM. A second one ends the process at once. */
export async function untilStopped<T>(task: (stop: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const release = () => SIGNALS.forEach((name) => process.off(name, stop));
  const stop = () => {
    release();
    controller.abort();
  };
  for (const name of SIGNALS) process.on(name, stop);
  try {
    return await task(controller.signal);
  } finally {
    release();
  }
}

/** A signal that aborts some time after another one: pending requests are then aborted. */
export function laterThan(stop: AbortSignal, ms: number): AbortSignal {
  const later = new AbortController();
  const begin = () => setTimeout(() => later.abort(), ms).unref();
  if (stop.aborted) begin();
  else stop.addEventListener('abort', begin, { once: true });
  return later.signal;
}
