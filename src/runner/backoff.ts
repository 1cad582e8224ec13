// Delays between attempts.
import { setTimeout } from 'node:timers/promises';

export interface BackoffOptions {
  /** Delay before the second attempt, milliseconds. */
  readonly firstMs: number;
  /** Upper bound of every delay, milliseconds. */
  readonly maxMs: number;
}

/** Doubles with each failure up to the bound, with jitter: between half of the delay and all of it. */
export function backoffMs(failures: number, { firstMs, maxMs }: BackoffOptions): number {
  const full = Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 30));
  return full / 2 + (Math.random() * full) / 2;
}

/** Resolves after `ms` or when the signal aborts; never rejects. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return setTimeout(ms, undefined, { signal }).catch(() => undefined);
}
