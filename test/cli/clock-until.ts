// Moves the faked clock of a test, for commands that wait.
import { vi } from 'vitest';

/**
 * Moves the clock, whenever something waits for it, until the promise is settled.
 *
 * @returns How long that took on this clock, milliseconds.
 */
export async function clockUntil(promise: Promise<unknown>): Promise<number> {
  const began = performance.now();
  const settled = new AbortController();
  void promise.finally(() => settled.abort());
  while (!settled.signal.aborted) {
    await new Promise((resolve) => setImmediate(resolve));
    if (vi.getTimerCount() > 0) await vi.advanceTimersByTimeAsync(50);
  }
  return performance.now() - began;
}
