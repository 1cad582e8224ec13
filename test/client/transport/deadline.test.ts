import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createDeadline } from '../../../src/client/transport/deadline.js';
import { sleep } from '../../../src/lib/backoff.js';

const DAY_MS = 86_400_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

it.each([[Infinity], [2 ** 31], [30 * DAY_MS]])('a deadline in %d ms does not pass at once', (ms) => {
  const deadline = createDeadline(ms, []);
  vi.advanceTimersByTime(24 * DAY_MS);
  expect([deadline.expired, deadline.signal.aborted]).toEqual([false, false]);
  deadline.clear();
  expect(vi.getTimerCount()).toBe(0);
});

it('a deadline passes at its time', () => {
  const deadline = createDeadline(500, []);
  vi.advanceTimersByTime(499);
  expect(deadline.expired).toBe(false);
  vi.advanceTimersByTime(1);
  expect([deadline.expired, deadline.signal.aborted]).toEqual([true, true]);
});

it('a deadline beyond what a timer can hold passes when the longest timer does', () => {
  const deadline = createDeadline(30 * DAY_MS, []);
  vi.advanceTimersByTime(25 * DAY_MS);
  expect(deadline.expired).toBe(true);
});

it.each([[Infinity], [2 ** 31]])('a pause of %d ms does not end at once', async (ms) => {
  let over = false;
  const signal = new AbortController();
  const pause = sleep(ms, signal.signal).then(() => (over = true));
  await vi.advanceTimersByTimeAsync(24 * DAY_MS);
  expect(over).toBe(false);
  signal.abort();
  await pause;
});
