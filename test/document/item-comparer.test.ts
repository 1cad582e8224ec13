import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ItemComparer } from '../../src/document/item-comparer.js';
import type { JsonValue } from '../../src/domain/json/json.js';
import { runs } from '../support/runs.js';

const value = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<JsonValue>(0, 1, '', '0', '#0', 'a', 'null', '"', true, false, null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'a":1,"b', '#0'), tie('value'), {
      maxKeys: 3,
      noNullPrototype: true,
    }),
  ),
})).value;

/** The same by comparison of each item with each. */
function byPairs(items: readonly JsonValue[]): readonly [number, number] | null {
  for (const [second, item] of items.entries()) {
    const first = items.slice(0, second).findIndex((other) => isDeepStrictEqual(other, item));
    if (first >= 0) return [first, second];
  }
  return null;
}

it('finds the first two items that are equal, between begin and end as well', () => {
  fc.assert(
    fc.property(fc.array(fc.array(value, { maxLength: 4 }), { maxLength: 4 }), (arrays) => {
      const comparer = new ItemComparer();
      const expected = arrays.map(byPairs);
      expect(arrays.map((items) => comparer.equalItems(items))).toEqual(expected);
      comparer.begin();
      expect(arrays.map((items) => comparer.equalItems(items))).toEqual(expected);
      expect(comparer.equalItems(arrays)).toEqual(byPairs(arrays));
      comparer.end();
    }),
    { numRuns: 500 },
  );
});

it('finds them among objects with the same members, which often differ in one of them', () => {
  const scalar = fc.constantFrom<JsonValue>(0, -0, 1, '1', 'a', true, null);
  const item = fc.record(
    { a: scalar, b: fc.oneof(scalar, value), c: scalar },
    { requiredKeys: ['c'], noNullPrototype: true },
  );
  fc.assert(
    fc.property(fc.array(item, { maxLength: 5 }), (items) => {
      const expected = byPairs(items.map((one) => JSON.parse(JSON.stringify(one)) as JsonValue));
      expect(new ItemComparer().equalItems(items)).toEqual(expected);
    }),
    { numRuns: runs(1_000) },
  );
});

it('takes 0 and -0 for equal, and the order of members for nothing', () => {
  const comparer = new ItemComparer();
  expect(comparer.equalItems([0, -0])).toEqual([0, 1]);
  expect(comparer.equalItems([[0], [-0]])).toEqual([0, 1]);
  expect(
    comparer.equalItems([
      { a: 1, b: [2] },
      { b: [2], a: 1 },
    ]),
  ).toEqual([0, 1]);
});

it('sees a document anew after end', () => {
  const comparer = new ItemComparer();
  const items: JsonValue[][] = [[1], [2]];
  comparer.begin();
  expect(comparer.equalItems(items)).toBeNull();
  comparer.end();
  items[1]![0] = 1;
  expect(comparer.equalItems(items)).toEqual([0, 1]);
});
