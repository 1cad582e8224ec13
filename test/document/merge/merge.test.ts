// The three-way merge by a table, against a schema's keys, and as properties.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../src/domain/json/json.js';
import { canonicalJson } from '../../../src/document/canonical.js';
import { applyPatch, diffDocuments, mergeDocuments, type KeyOf } from '../../../src/document/index.js';
import { deepFreeze, jsonObject, jsonValue } from '../../schema/arbitrary.js';

const byId: KeyOf = (pointer) => (pointer === '/tasks' ? 'id' : null);

function merge(base: JsonValue, theirs: JsonValue, yours: JsonValue, keyOf: KeyOf = byId) {
  return mergeDocuments(deepFreeze(base), deepFreeze(theirs), deepFreeze(yours), keyOf);
}

type Row = readonly [string, JsonValue, JsonValue, JsonValue, JsonValue];

const MERGED: readonly Row[] = [
  ['members', { a: 1, b: 1 }, { a: 2, b: 1 }, { a: 1, b: 2 }, { a: 2, b: 2 }],
  ['new members', {}, { a: 1 }, { b: 2 }, { a: 1, b: 2 }],
  ['a deletion beside a change', { a: 1, b: 1 }, { b: 1 }, { a: 1, b: 2 }, { b: 2 }],
  ['the same change by both', { a: 1 }, { a: 2 }, { a: 2 }, { a: 2 }],
  ['the same deletion by both', { a: 1, b: 1 }, { b: 1 }, { b: 1 }, { b: 1 }],
  ['objects that both have made', {}, { r: { a: 1 } }, { r: { b: 1 } }, { r: { a: 1, b: 1 } }],
  [
    'members deep down',
    { x: { y: { a: 1, b: 1 } } },
    { x: { y: { a: 2, b: 1 } } },
    { x: { y: { a: 1, b: 2 } } },
    { x: { y: { a: 2, b: 2 } } },
  ],
  ['items at different places', { l: [1, 2, 3] }, { l: [9, 2, 3] }, { l: [1, 2, 8] }, { l: [9, 2, 8] }],
  [
    'members of one item',
    { l: [{ a: 1, b: 1 }] },
    { l: [{ a: 2, b: 1 }] },
    { l: [{ a: 1, b: 2 }] },
    { l: [{ a: 2, b: 2 }] },
  ],
  ['what both appended', { l: [1] }, { l: [1, 2] }, { l: [1, 3] }, { l: [1, 2, 3] }],
  ['what both appended alike, once', { l: [1] }, { l: [1, 2] }, { l: [1, 2, 3] }, { l: [1, 2, 3] }],
  ['arrays that both have made', {}, { l: [1] }, { l: [2] }, { l: [1, 2] }],
  ['arrays that both have made, with null in one', {}, { l: [null] }, { l: [2] }, { l: [null, 2] }],
  ['an append beside a change', { l: [1] }, { l: [1, 2] }, { l: [9] }, { l: [9, 2] }],
  [
    'an insertion beside a change',
    { l: [1, 2, 3] },
    { l: [0, 1, 2, 3] },
    { l: [1, 2, 9] },
    { l: [0, 1, 2, 9] },
  ],
  ['a removal beside an append', { l: [1, 2] }, { l: [2] }, { l: [1, 2, 3] }, { l: [2, 3] }],
  [
    'a removal and an append beside a change',
    { l: [1, 2, 3] },
    { l: [2, 3, 4] },
    { l: [1, 2, 9] },
    { l: [2, 9, 4] },
  ],
  ['removals of different items', { l: [1, 2, 3] }, { l: [2, 3] }, { l: [1, 2] }, { l: [2] }],
  [
    'items by their key',
    {
      tasks: [
        { id: 'a', s: 0 },
        { id: 'b', s: 0 },
      ],
    },
    {
      tasks: [
        { id: 'b', s: 1 },
        { id: 'a', s: 0 },
      ],
    },
    {
      tasks: [
        { id: 'a', s: 2 },
        { id: 'b', s: 0 },
      ],
    },
    {
      tasks: [
        { id: 'b', s: 1 },
        { id: 'a', s: 2 },
      ],
    },
  ],
  [
    'new items by their key, theirs first',
    { tasks: [{ id: 'a' }] },
    { tasks: [{ id: 'a' }, { id: 't' }] },
    { tasks: [{ id: 'y0' }, { id: 'a' }, { id: 'y' }] },
    { tasks: [{ id: 'y0' }, { id: 'a' }, { id: 't' }, { id: 'y' }] },
  ],
  [
    'new items where theirs have moved',
    { tasks: [{ id: 'a' }, { id: 'b' }] },
    { tasks: [{ id: 'b' }, { id: 'a' }, { id: 't' }] },
    { tasks: [{ id: 'a' }, { id: 'y' }, { id: 'b' }] },
    { tasks: [{ id: 'b' }, { id: 'a' }, { id: 't' }, { id: 'y' }] },
  ],
  [
    'a deletion by key beside a change',
    { tasks: [{ id: 1 }, { id: 2 }] },
    { tasks: [{ id: 2 }] },
    { tasks: [{ id: 1 }, { id: 2, s: 1 }] },
    { tasks: [{ id: 2, s: 1 }] },
  ],
];

type Conflict = { pointer: string; base?: JsonValue; theirs?: JsonValue; yours?: JsonValue };
const CONFLICTS: readonly (readonly [
  string,
  JsonValue,
  JsonValue,
  JsonValue,
  readonly Conflict[],
  JsonValue,
])[] = [
  ['one value', { a: 1 }, { a: 2 }, { a: 3 }, [{ pointer: '/a', base: 1, theirs: 2, yours: 3 }], { a: 3 }],
  ['a deletion of what was changed', { a: 1 }, { a: 2 }, {}, [{ pointer: '/a', base: 1, theirs: 2 }], {}],
  ['a change of what was deleted', { a: 1 }, {}, { a: 2 }, [{ pointer: '/a', base: 1, yours: 2 }], { a: 2 }],
  ['two first values', {}, { a: 1 }, { a: 2 }, [{ pointer: '/a', theirs: 1, yours: 2 }], { a: 2 }],
  [
    'only the place, not what is beside it',
    { a: 1, b: 1 },
    { a: 2, b: 1 },
    { a: 3, b: 2 },
    [{ pointer: '/a', base: 1, theirs: 2, yours: 3 }],
    { a: 3, b: 2 },
  ],
  [
    'an item',
    { l: [1, 2] },
    { l: [1, 3] },
    { l: [1, 4] },
    [{ pointer: '/l/1', base: 2, theirs: 3, yours: 4 }],
    { l: [1, 4] },
  ],
  [
    'an item that has moved in theirs',
    { l: [1, 2] },
    { l: [0, 1, 3] },
    { l: [1, 4] },
    [{ pointer: '/l/2', base: 2, theirs: 3, yours: 4 }],
    { l: [0, 1, 4] },
  ],
  [
    'a removed item that was changed',
    { l: [1, 2, 3] },
    { l: [1, 3] },
    { l: [1, 9, 3] },
    [{ pointer: '/l', base: [1, 2, 3], theirs: [1, 3], yours: [1, 9, 3] }],
    { l: [1, 9, 3] },
  ],
  [
    'an item by key, at its place in theirs',
    { tasks: [{ id: 'a', s: 0 }] },
    { tasks: [{ id: 't' }, { id: 'a', s: 1 }] },
    { tasks: [{ id: 'a', s: 2 }] },
    [{ pointer: '/tasks/1/s', base: 0, theirs: 1, yours: 2 }],
    { tasks: [{ id: 't' }, { id: 'a', s: 2 }] },
  ],
  [
    'a name that has to be escaped',
    { 'a/~': 1 },
    { 'a/~': 2 },
    { 'a/~': 3 },
    [{ pointer: '/a~1~0', base: 1, theirs: 2, yours: 3 }],
    { 'a/~': 3 },
  ],
  ['types', { a: [] }, { a: {} }, { a: 1 }, [{ pointer: '/a', base: [], theirs: {}, yours: 1 }], { a: 1 }],
];

describe('a three-way merge', () => {
  it.each(MERGED)('takes %s', (_title, base, theirs, yours, expected) => {
    expect(merge(base, theirs, yours)).toEqual({ document: expected, conflicts: [] });
  });

  it.each(CONFLICTS)('names as a conflict: %s', (_title, base, theirs, yours, conflicts, document) => {
    expect(merge(base, theirs, yours)).toEqual({ document, conflicts });
  });

  it('goes by position where a key is missing or stands twice', () => {
    for (const items of [[{ id: 1 }, { id: 1 }], [{ id: 1 }, {}], [{ id: {} }], [3]]) {
      const base: JsonValue = { tasks: items };
      expect(
        merge(base, { tasks: [...items, { id: 8 }] }, { tasks: [...items, { id: 9 }] }).document,
      ).toEqual({
        tasks: [...items, { id: 8 }, { id: 9 }],
      });
    }
  });

  it('takes no names from the prototype of objects', () => {
    expect(merge({}, { toString: 1 }, { valueOf: 2 })).toEqual({
      document: { toString: 1, valueOf: 2 },
      conflicts: [],
    });
  });

  it('ends soon on arrays within arrays that conflict', () => {
    const nested = (leaf: JsonValue) =>
      Array.from({ length: 60 }).reduce<JsonValue>((inner) => [inner], leaf);
    expect(merge({ a: nested(1) }, { a: nested(2) }, { a: nested(3) }).conflicts).toHaveLength(1);
    expect(merge({ a: nested([1, 1]) }, { a: nested([2]) }, { a: nested([3, 3, 3]) }).conflicts).toHaveLength(
      1,
    );
  });
});

const none: KeyOf = () => null;
/** Arrays of tasks with different ids, as a schema with a key has them. */
const tasks = fc.uniqueArray(fc.record({ id: fc.nat(9), s: jsonValue }), {
  selector: ({ id }) => id,
  maxLength: 6,
});
const document = fc.record({ tasks, rest: jsonObject }).map((one): JsonObject => one);

/** The same in both but for the order of items: whose of those that both inserted come first depends on the side. */
function unordered(value: JsonValue): JsonValue {
  if (isJsonArray(value)) return value.map((item) => canonicalJson(unordered(item))).sort();
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, unordered(item)]));
}

describe('a merge of any documents', () => {
  it('with one side unchanged is the other side', () => {
    fc.assert(
      fc.property(document, document, (base, side) => {
        expect(merge(base, side, structuredClone(base)).document).toEqual(side);
        expect(merge(base, structuredClone(base), side)).toEqual({ document: side, conflicts: [] });
        expect(merge(base, side, structuredClone(side))).toEqual({ document: side, conflicts: [] });
      }),
    );
  });

  it('always takes changes of different members, and changes nothing that neither side touched', () => {
    const sides = fc.tuple(jsonObject, jsonObject, jsonObject, jsonObject);
    fc.assert(
      fc.property(sides, jsonObject, ([a, b, nextA, nextB], rest) => {
        const { document: merged, conflicts } = merge(
          { a, b, rest },
          { a: nextA, b, rest },
          { a, b: nextB, rest },
        );
        expect(conflicts).toEqual([]);
        expect(merged).toEqual({ a: nextA, b: nextB, rest });
      }),
    );
  });

  it('equals doing one change after the other', () => {
    const change = fc.record({
      place: fc.constantFrom('a', 'b', 'c', 'd'),
      deep: fc.boolean(),
      value: jsonValue,
    });
    const apply = (
      base: JsonObject,
      { place, deep, value }: { place: string; deep: boolean; value: JsonValue },
    ) => (deep ? { ...base, [place]: { inner: value } } : { ...base, [place]: value });
    fc.assert(
      fc.property(jsonObject, change, change, (base, first, second) => {
        fc.pre(first.place !== second.place);
        const theirs = apply(base, first);
        const yours = apply(base, second);
        const { document: merged, conflicts } = merge(base, theirs, yours, none);
        expect(conflicts).toEqual([]);
        expect(merged).toEqual(applyPatch(theirs, diffDocuments(base, yours)));
        expect(merged).toEqual(applyPatch(yours, diffDocuments(base, theirs)));
      }),
    );
  });

  it('always takes changes of different items: by place, and by key', () => {
    fc.assert(
      fc.property(tasks, fc.nat(), fc.nat(), jsonValue, jsonValue, (items, one, other, a, b) => {
        fc.pre(items.length > 1 && one % items.length !== other % items.length);
        const changed = (at: number, s: JsonValue) =>
          items.map((item, i) => (i === at % items.length ? { ...item, s } : item));
        const expected = items.map((item, i) =>
          i === one % items.length
            ? { ...item, s: a }
            : i === other % items.length
              ? { ...item, s: b }
              : item,
        );
        for (const keyOf of [none, byId]) {
          const result = merge(
            { tasks: items },
            { tasks: changed(one, a) },
            { tasks: changed(other, b) },
            keyOf,
          );
          expect(result).toEqual({ document: { tasks: expected }, conflicts: [] });
        }
      }),
    );
  });

  it('has the same conflicts from both sides, and without any the same document up to the order of items', () => {
    fc.assert(
      fc.property(document, document, document, (base, theirs, yours) => {
        const one = merge(base, theirs, yours);
        const other = merge(base, yours, theirs);
        expect(one.conflicts.length).toBe(other.conflicts.length);
        if (one.conflicts.length === 0) expect(unordered(one.document)).toEqual(unordered(other.document));
      }),
    );
  });

  it('leaves an item out only where a side removed it, and none in that a side alone removed', () => {
    const ids = (value: JsonValue) =>
      (value as unknown as { tasks: { id: number }[] }).tasks.map(({ id }) => id);
    fc.assert(
      fc.property(tasks, tasks, tasks, (base, theirs, yours) => {
        const { document: merged, conflicts } = merge({ tasks: base }, { tasks: theirs }, { tasks: yours });
        fc.pre(conflicts.length === 0);
        const [b, t, y] = [base, theirs, yours].map((list) => new Set(list.map(({ id }) => id)));
        const expected = Array.from({ length: 10 }, (_, id) => id).filter((id) =>
          b!.has(id) ? t!.has(id) && y!.has(id) : t!.has(id) || y!.has(id),
        );
        expect(ids(merged).toSorted((p, q) => p - q)).toEqual(expected);
      }),
    );
  });
});
