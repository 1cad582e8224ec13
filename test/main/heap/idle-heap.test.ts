// When a burst of work is over.
import { expect, test } from 'vitest';
import { IdleWatch } from '../../../src/main/heap/idle-heap.js';

/** The looks, counted from one, after which it is time to collect. */
function collections(activeMs: readonly number[]): number[] {
  const watch = new IdleWatch();
  return activeMs.flatMap((active, at) => (watch.look(active) ? [at + 1] : []));
}

const busy = (looks: number) => Array.from({ length: looks }, () => 400);
const quiet = (looks: number) => Array.from({ length: looks }, () => 1);

test('is told once, and again when there was more work', () => {
  expect(collections([...busy(4), ...quiet(20)])).toEqual([14]);
  expect(collections([...busy(4), ...quiet(10), ...busy(3), ...quiet(10)])).toEqual([14, 27]);
});

test('is not told of a service that has done little, or never stops', () => {
  expect(collections([...busy(2), ...quiet(20)])).toEqual([]);
  expect(collections([...busy(20), ...quiet(9), ...busy(20)])).toEqual([]);
});

test('is told later where work comes in between', () => {
  expect(collections([...busy(4), ...quiet(3), ...busy(1), ...quiet(10)])).toEqual([18]);
});
