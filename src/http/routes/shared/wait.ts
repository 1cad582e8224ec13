// Waiting answers: how long, and what ends them early.

const UNIT_MS = { ms: 1, s: 1000, m: 60_000 } as const;
const WAIT = /^([0-9]{1,6})(ms|s|m)?$/;

/**
 * A wait such as `30s`, `500ms`, `2m` or `30` (seconds) in milliseconds, cut at `maxMs`.
 *
 * @param text - As the query schema let it through; `undefined` and anything else is no wait.
 */
export function parseWaitMs(text: string | undefined, maxMs: number): number {
  const [, count, unit] = WAIT.exec(text ?? '') ?? [];
  if (count === undefined) return 0;
  const unitMs = unit === 'ms' ? UNIT_MS.ms : unit === 'm' ? UNIT_MS.m : UNIT_MS.s;
  return Math.min(Number(count) * unitMs, maxMs);
}

/**
 * Runs `work` with a signal that ends as soon as any of `causes` does. Leaves no listener behind on causes that
 * outlive the request (`AbortSignal.any` would).
 */
export async function withSignal<T>(
  causes: readonly AbortSignal[],
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const abort = () => controller.abort();
  for (const cause of causes) {
    if (cause.aborted) abort();
    else cause.addEventListener('abort', abort, { once: true });
  }
  try {
    return await work(controller.signal);
  } finally {
    for (const cause of causes) cause.removeEventListener('abort', abort);
  }
}
