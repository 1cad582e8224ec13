// Arrays without a key, by a table: which items are certainly the same, and what is a conflict where they are not.
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/domain/json/json.js';
import { DEFAULT_LIMITS } from '../../../src/domain/limits.js';
import { mergeDocuments } from '../../../src/document/index.js';
import { deepFreeze } from '../../schema/arbitrary.js';

function merge(base: JsonValue, theirs: JsonValue, yours: JsonValue, mergeItemsMax = 1000) {
  const [b, t, y] = [base, theirs, yours].map((l) => deepFreeze({ l }));
  const merged = mergeDocuments(b!, t!, y!, () => null, { ...DEFAULT_LIMITS, mergeItemsMax });
  return {
    items: (merged.document as { l: JsonValue }).l,
    conflicts: merged.conflicts.map(({ pointer }) => pointer),
  };
}

const open = (...titles: string[]): JsonValue[] => titles.map((t) => ({ t, s: 'open' }));
const done = (...titles: string[]): JsonValue[] => titles.map((t) => ({ t, s: 'done' }));

describe('a merge of arrays without a key', () => {
  it.each([
    ['inserts between items that were all changed', done('A', 'B'), ['A', 'X', 'B'], ['Ad', 'Xo', 'Bd']],
    ['inserts before items that were all changed', done('A', 'B'), ['X', 'A', 'B'], ['Xo', 'Ad', 'Bd']],
    ['removes and appends beside a change', [...open('A'), ...done('B')], ['B', 'C'], ['Bd', 'Co']],
  ])('%s', (_title, theirs, yours, expected) => {
    const { items, conflicts } = merge(open('A', 'B'), theirs, open(...yours));
    expect(conflicts).toEqual([]);
    expect((items as { t: string; s: string }[]).map(({ t, s }) => t + (s[0] ?? ''))).toEqual(expected);
  });

  it.each([
    ['removed what the other changed, and appended', [...done('A'), ...open('B')], open('B', 'C')],
    ['swapped what the other changed', [...done('A'), ...open('B')], open('B', 'A')],
    ['moved what the other removed', open('B'), open('B', 'A')],
  ])('is refused where one %s', (_title, theirs, yours) => {
    expect(merge(open('A', 'B'), theirs, yours).conflicts).toEqual(['/l']);
    expect(merge(open('A', 'B'), yours, theirs).conflicts).toEqual(['/l']);
  });

  it('is refused, at the place, where one put another item there and the other changed it', () => {
    const theirs = open('X', 'B');
    expect(merge(open('A', 'B'), theirs, [...done('A'), ...open('B')]).conflicts).toEqual(['/l/0']);
  });

  it('takes what both appended where both also changed the same item in different members', () => {
    const base = [...open('A'), ...done('B')];
    const theirs = [...base.slice(0, 1), { t: 'B', s: 'open' }, { t: 'C', s: 'new' }];
    const yours = [...base.slice(0, 1), { t: 'B', s: 'done', note: 1 }, { t: 'D', s: 'new' }];
    const merged = merge(base, theirs, yours);
    expect(merged.conflicts).toEqual([]);
    expect(merged.items).toEqual([
      base[0],
      { t: 'B', s: 'open', note: 1 },
      { t: 'C', s: 'new' },
      { t: 'D', s: 'new' },
    ]);
  });

  it('goes by place where nothing tells the items apart', () => {
    const flags = (...set: number[]) => [0, 1, 2].map((at) => set.includes(at));
    expect(merge(flags(), flags(0, 1), flags(1, 2))).toEqual({ items: [true, true, true], conflicts: [] });
    const same = (...members: JsonValue[]) => members;
    expect(
      merge(
        same({ d: false }, { d: false }),
        same({ d: true }, { d: true }),
        same({ d: false }, { d: false, n: 1 }),
      ),
    ).toEqual({ items: [{ d: true }, { d: true, n: 1 }], conflicts: [] });
  });

  it('takes once what both put anew alike, with another change of one of them', () => {
    const merged = merge([1, 2, 3, 4, 5], [7, 3, 4, 5, 6], [7, 3, 4, 9]);
    expect(merged).toEqual({ items: [7, 3, 4, 9, 6], conflicts: [] });
  });

  it('that is forced keeps what others made of items that yours did not touch', () => {
    const theirs = [...done('A'), ...open('B'), ...done('C')];
    const { items, conflicts } = merge(open('A', 'B', 'C'), theirs, [...open('C'), { t: 'A', s: 'late' }]);
    expect(conflicts).toEqual(['/l']);
    expect(items).toEqual([...done('C'), { t: 'A', s: 'late' }]);
  });

  it('with more items than may be told apart goes by equal places only', () => {
    expect(merge([1, 2, 3, 4], [9, 2, 3, 8], [1, 2, 7, 4], 3)).toEqual({
      items: [9, 2, 7, 8],
      conflicts: [],
    });
    expect(merge([1, 2, 3, 4], [2, 3], [1, 2, 7, 4], 3).conflicts).toEqual(['/l']);
    expect(merge([1, 2, 3, 4], [2, 3], [1, 2, 3, 4, 5], 3)).toEqual({ items: [2, 3, 5], conflicts: [] });
  });
});

/** Processor time of the quickest of three, in milliseconds. */
function costOf(work: () => unknown): number {
  const once = () => {
    const before = process.cpuUsage();
    work();
    return process.cpuUsage(before).user / 1000;
  };
  return Math.min(once(), once(), once());
}

describe('the work of a merge', () => {
  const apart = (length: number, from: number) => Array.from({ length }, (_, i) => ({ id: i + from }));

  it.each([
    ['new items by their key', '/l', (n: number) => [[], apart(n, 0), apart(n, n)]],
    [
      'items without a key that are all others',
      '',
      (n: number) => [apart(n, 0), apart(n, n), apart(n, 2 * n)],
    ],
    [
      'inner arrays',
      '',
      (n: number) => [0, 1, 2].map((k) => apart(n, k * n).map(({ id }) => [[id], [id + 1]])),
    ],
  ] as const)(
    'grows with the items and not with their square: %s',
    { timeout: 60_000 },
    (_title, keyed, arrays) => {
      const cost = (n: number) => {
        const [b, t, y] = (arrays(n) as unknown as JsonValue[]).map((l) => ({ l }));
        const keyOf = (at: string) => (at === keyed ? 'id' : null);
        return costOf(() => mergeDocuments(b!, t!, y!, keyOf, { mergeItemsMax: Infinity }));
      };
      // Sixteen times the items: 256 times the work, were it quadratic. A short time says little, so it has a floor.
      const few = Math.max(cost(1000), 4);
      expect(cost(16_000)).toBeLessThan(100 * few);
    },
  );

  it('is done with hundreds of thousands of items, on whatever stack', () => {
    const many = Array.from({ length: 200_000 }, () => 0);
    const merged = mergeDocuments({ l: many }, { l: [...many, 1] }, { l: [...many, 2] }, () => null);
    expect(merged.conflicts).toEqual([]);
    expect((merged.document as { l: number[] }).l.slice(-3)).toEqual([0, 1, 2]);
  });
});
