// Linked abort signals.
import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { linkSignals, sharedSource } from '../../src/domain/signals.js';

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

test('a shared source has one listener on its signal for all followers, and none without followers', () => {
  const source = new AbortController();
  const shared = sharedSource(source.signal);
  const links = Array.from({ length: 20 }, () => linkSignals(shared));
  expect(getEventListeners(source.signal, 'abort')).toHaveLength(1);
  links[0]?.release();
  source.abort('over');
  expect(links.map(({ signal }) => signal.reason)).toEqual([undefined, ...Array(19).fill('over')]);
  for (const { release } of links) release();
  expect(getEventListeners(source.signal, 'abort')).toEqual([]);
  expect(linkSignals(shared).signal.reason).toBe('over');
});
