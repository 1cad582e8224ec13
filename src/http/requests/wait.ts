// How long a request waits.

const UNIT_MS = { ms: 1, s: 1000, m: 60_000 } as const;
const WAIT = /^([0-9]{1,6})(ms|s|m)?$/;

/**
 * Parses a wait such as `30s`, `500ms`, `2m` or `30` (seconds) into milliseconds, at most `maxMs`.
 *
 * @param text - Validated by the query schema. `undefined` and everything invalid mean no wait.
 */
export function parseWaitMs(text: string | undefined, maxMs: number): number {
  const [, count, unit] = WAIT.exec(text ?? '') ?? [];
  if (count === undefined) return 0;
  const unitMs = unit === 'ms' ? UNIT_MS.ms : unit === 'm' ? UNIT_MS.m : UNIT_MS.s;
  return Math.min(Number(count) * unitMs, maxMs);
}
