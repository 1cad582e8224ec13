// When a timer says that the process stood still.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Timer } from '../../../src/service/scheduling/timer.js';

const STILL_MS = 400;

describe('a timer', () => {
  const parts = {
    clock: { now: () => performance.now(), wall: () => Date.now() },
    limits: { tickMs: 1_000 },
  };
  afterEach(() => vi.useRealTimers());

  /** What the second call is told, after such a first one. */
  const toldAfter = (first: () => Promise<void>) => {
    const received: number[] = [];
    return new Promise<number>((resolve) => {
      const timer = new Timer(parts, async (lateMs) => {
        received.push(lateMs);
        if (received.length === 1) await first();
        else resolve(lateMs);
        if (received.length === 1) timer.set(0);
      });
      timer.set(0);
    });
  };

  it('takes no call that has much to do for a standstill', async () => {
    vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
    });
    const found = toldAfter(() => new Promise((resolve) => setTimeout(resolve, 60_000)));
    await vi.advanceTimersByTimeAsync(61_000);
    expect(await found).toBeLessThan(1_000);
  });

  it('reports a standstill during a call to the next one', async () => {
    const listed = await toldAfter(() => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STILL_MS);
      return Promise.resolve();
    });
    expect(listed).toBeGreaterThanOrEqual(STILL_MS - 100);
  });
});
