// Linked abort signals.
import { getEventListeners } from 'node:events';
import { expect, test, vi } from 'vitest';
import { linkSignals, requestFollowing } from '../../src/lib/signals.js';
import { sleep } from '../../src/lib/backoff.js';
import { collectGarbage } from '../support/garbage.js';

test('a linked signal aborts with the reason of the first source that does', () => {
  const [one, two] = [new AbortController(), new AbortController()];
  const linked = linkSignals(one.signal, undefined, two.signal);
  two.abort('two');
  one.abort('one');
  expect([linked.signal.aborted, linked.signal.reason]).toEqual([true, 'two']);
});

test('a linked signal is aborted from the start where a source is', () => {
  expect(linkSignals(AbortSignal.abort('before')).signal.reason).toBe('before');
});

test('a linked signal that aborts by itself leaves its sources alone', () => {
  const source = new AbortController();
  const linked = linkSignals(source.signal);
  linked.abort('itself');
  expect([linked.signal.reason, source.signal.aborted]).toEqual(['itself', false]);
});

test('a released signal leaves no listener on a source and follows it no more', () => {
  const source = new AbortController();
  const linked = linkSignals(source.signal);
  linked.release();
  expect(getEventListeners(source.signal, 'abort')).toEqual([]);
  source.abort();
  expect(linked.signal.aborted).toBe(false);
});

test('linked signals and pauses print no warning, however many follow one signal', async () => {
  const warn = vi.spyOn(process, 'emitWarning');
  const source = new AbortController();
  const linked = Array.from({ length: 20 }, () => linkSignals(source.signal));
  const pauses = Array.from({ length: 20 }, () => sleep(60_000, source.signal));
  expect(warn).not.toHaveBeenCalled();
  warn.mockRestore();
  source.abort();
  expect(linked.every(({ signal }) => signal.aborted)).toBe(true);
  await Promise.all(pauses);
});

test('signals of a simulated browser in Node are followed as well', () => {
  class SimulatedTarget {
    listener: () => void = () => undefined;
    aborted = false;
    readonly reason = 'left';
    addEventListener(_: string, listener: () => void): void {
      this.listener = listener;
    }
  }
  vi.stubGlobal('EventTarget', SimulatedTarget);
  const source = new SimulatedTarget();
  try {
    const linked = linkSignals(source as unknown as AbortSignal);
    source.aborted = true;
    source.listener();
    expect(linked.signal.reason).toBe('left');
  } finally {
    vi.unstubAllGlobals();
  }
});

test('the signal of a request follows its source, even after garbage was collected', async () => {
  const source = new AbortController();
  const { signal } = requestFollowing(source.signal, 'http://localhost/', {});
  await collectGarbage();
  source.abort();
  expect(signal.aborted).toBe(true);
});
