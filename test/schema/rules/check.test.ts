// Each rule of change by examples, the ways on which rules are reached, and what no rule may ever depend on.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/domain/json/json.js';
import { checkTransitions, compileRules, itemKeyAt } from '../../../src/schema/rules/index.js';
import { jsonValue } from '../arbitrary.js';

const at = (schema: JsonValue): JsonObject => ({ type: 'object', properties: { v: schema } });
const check = (schema: JsonObject, before: JsonObject | undefined, after: JsonObject, max = 20) =>
  checkTransitions(compileRules(schema), before, after, max).map(({ pointer, keyword }) => [
    pointer,
    keyword,
  ]);
const GONE = Symbol('gone');
const doc = (value: JsonValue | typeof GONE): JsonObject => (value === GONE ? {} : { v: value });

const IMMUTABLE = at({ 'x-immutable': true });
const APPEND = at({ type: 'array', 'x-append-only': true });
const MONOTONIC = at({ type: 'number', 'x-monotonic': true });
const PHASES = at({
  enum: ['plan', 'work', 'done', null],
  'x-transitions': { plan: ['work'], work: ['plan', 'done'] },
});

describe('a rule of change', () => {
  it.each<[string, JsonObject, JsonValue | typeof GONE, JsonValue | typeof GONE, string | null]>([
    ['lets an immutable value be set', IMMUTABLE, GONE, 1, null],
    ['takes null for not set yet', IMMUTABLE, null, { a: 1 }, null],
    ['lets what is not set be removed', IMMUTABLE, null, GONE, null],
    ['takes an equal value for the same', IMMUTABLE, { a: 1, b: [2] }, { b: [2], a: 1 }, null],
    ['keeps an immutable value', IMMUTABLE, 1, 2, 'x-immutable'],
    ['keeps it from null', IMMUTABLE, 1, null, 'x-immutable'],
    ['keeps it from being removed', IMMUTABLE, 0, GONE, 'x-immutable'],
    ['keeps what lies in it', IMMUTABLE, { a: [1] }, { a: [1, 2] }, 'x-immutable'],
    ['lets an array grow at its end', APPEND, [1, { a: 1 }], [1, { a: 1 }, 3], null],
    ['keeps items from changing', APPEND, [1, { a: 1 }], [1, { a: 2 }], 'x-append-only'],
    ['keeps items from being inserted before', APPEND, [1], [0, 1], 'x-append-only'],
    ['keeps items from being removed', APPEND, [1, 2], [1], 'x-append-only'],
    ['keeps the array from being removed', APPEND, [], GONE, 'x-append-only'],
    ['keeps the array from null', APPEND, [1], null, 'x-append-only'],
    ['lets a number rise and stay', MONOTONIC, 1, 1, null],
    ['lets a number rise', MONOTONIC, -1, 0.5, null],
    ['keeps a number from falling', MONOTONIC, 2, 1, 'x-monotonic'],
    ['keeps a number from being removed', MONOTONIC, 2, GONE, 'x-monotonic'],
    ['lets a value take a step that is named', PHASES, 'plan', 'work', null],
    ['lets a value stay', PHASES, 'done', 'done', null],
    ['lets the first value be any', PHASES, GONE, 'done', null],
    ['lets any follow null', PHASES, null, 'done', null],
    ['refuses a step that is not named', PHASES, 'plan', 'done', 'x-transitions'],
    ['lets nothing follow a value without an entry', PHASES, 'done', 'plan', 'x-transitions'],
    ['keeps the value from being removed', PHASES, 'work', GONE, 'x-transitions'],
    ['lets anything follow a value that the schema does not know', PHASES, 'older', 'done', null],
  ])('%s', (_title, schema, before, after, keyword) => {
    expect(check(schema, doc(before), doc(after))).toEqual(keyword === null ? [] : [['/v', keyword]]);
  });

  it('says what is there, what the write does and what would be taken', () => {
    expect(checkTransitions(compileRules(PHASES), { v: 'plan' }, { v: 'done' }, 20)).toEqual([
      {
        pointer: '/v',
        keyword: 'x-transitions',
        message: 'is "plan", and may become "work"; the write makes it "done"',
        expected: { enum: ['plan', 'work'] },
      },
    ]);
  });

  it('is held where allOf, references and recursion lead', () => {
    const schema: JsonObject = {
      type: 'object',
      allOf: [{ $ref: '#/$defs/node' }],
      $defs: {
        node: {
          properties: { id: { 'x-immutable': true }, next: { $ref: '#/$defs/node' } },
          patternProperties: { '^n_': { type: 'integer', 'x-monotonic': true } },
          additionalProperties: { $ref: '#/$defs/node' },
        },
      },
    };
    const nest = (leaf: JsonObject): JsonObject => ({
      id: 1,
      next: { next: leaf },
      more: { n_: 1, x: leaf },
    });
    expect(check(schema, nest({ id: 1, n_a: 2 }), nest({ id: 2, n_a: 1 }))).toEqual([
      ['/next/next/id', 'x-immutable'],
      ['/next/next/n_a', 'x-monotonic'],
      ['/more/x/id', 'x-immutable'],
      ['/more/x/n_a', 'x-monotonic'],
    ]);
  });

  it('is broken where what lies around its place is removed', () => {
    const schema = at({ type: 'object', properties: { id: { 'x-immutable': true } } });
    for (const after of [{}, { v: 1 }, { v: {} }, { v: [] }]) {
      expect(check(schema, { v: { id: 1 } }, after)).toEqual([['/v/id', 'x-immutable']]);
    }
    expect(check(schema, { v: { other: 1 } }, {})).toEqual([]);
  });

  it('is told up to a number of places', () => {
    const schema: JsonObject = { type: 'object', additionalProperties: { 'x-immutable': true } };
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`k${i}`, i]));
    expect(check(schema, many, {}, 7)).toHaveLength(7);
  });
});

const TASKS = at({
  type: 'array',
  'x-key': 'id',
  items: {
    type: 'object',
    properties: { id: { type: 'string' }, owner: { 'x-immutable': true }, n: { type: 'integer' } },
    required: ['id'],
  },
});

describe('an array with a key', () => {
  const a = { id: 'a', owner: 'x' };
  const b = { id: 'b', owner: 'y' };
  it.each<[string, JsonValue, JsonValue, [string, string][]]>([
    ['matches items wherever they stand', [a, b], [{ id: 'c' }, b, a], []],
    ['lets what has no rule change', [a, b], [b, { ...a, n: 4 }], []],
    ['lets an item go that carries no rule', [{ id: 'c', n: 1 }, a], [a], []],
    [
      'keeps the rules of an item that has moved',
      [a, b],
      [b, { ...a, owner: 'z' }],
      [['/v/1/owner', 'x-immutable']],
    ],
    ['keeps an item that carries a value', [a, b], [a], [['/v/1/owner', 'x-immutable']]],
    ['takes an identity once', [a], [a, { id: 'a' }], [['/v/1/id', 'x-key']]],
  ])('%s', (_title, before, after, expected) => {
    expect(check(TASKS, { v: before }, { v: after })).toEqual(expected);
  });

  it('takes an identity once in the first document of a state too', () => {
    expect(check(TASKS, undefined, { v: [a, b, a] })).toEqual([['/v/2/id', 'x-key']]);
    expect(check(TASKS, undefined, { v: [a, b] })).toEqual([]);
  });

  it('is found by the pointer of the array', () => {
    const plan = compileRules({
      type: 'object',
      properties: { plain: { type: 'array' }, deep: TASKS },
      additionalProperties: { type: 'array', 'x-key': 'n', items: { properties: { below: TASKS } } },
    });
    const found = ['/deep/v', '/other', '/other/3/below/v', '/plain', '/deep', '', '/deep/v/0/id', 'bad'];
    expect(found.map((pointer) => itemKeyAt(plan, pointer))).toEqual([
      'id',
      'n',
      'id',
      null,
      null,
      null,
      null,
      null,
    ]);
    expect(itemKeyAt(compileRules({ type: 'object' }), '/v')).toBeNull();
  });
});

describe('an array without a key', () => {
  it('holds rules of items with a fixed place by position', () => {
    const schema = at({ type: 'array', prefixItems: [{}, { type: 'integer', 'x-monotonic': true }] });
    expect(check(schema, { v: ['x', 2] }, { v: ['y', 3] })).toEqual([]);
    expect(check(schema, { v: ['x', 2] }, { v: ['y', 1] })).toEqual([['/v/1', 'x-monotonic']]);
    expect(check(schema, { v: ['x', 2] }, { v: ['y'] })).toEqual([['/v/1', 'x-monotonic']]);
  });

  it('needs no rule for the items of an array that only grows, and tells only that', () => {
    const schema = at({ type: 'array', 'x-append-only': true, items: { 'x-immutable': true } });
    expect(check(schema, { v: [1, 2] }, { v: [1, 2, 3] })).toEqual([]);
    expect(check(schema, { v: [1, 2] }, { v: [2, 1] })).toEqual([['/v', 'x-append-only']]);
  });
});

describe('whatever the documents', () => {
  const rules: JsonObject = {
    type: 'object',
    properties: { a: { 'x-immutable': true }, b: { type: 'array', 'x-append-only': true } },
    additionalProperties: {
      type: 'array',
      'x-key': 'a',
      items: { properties: { b: { type: 'number', 'x-monotonic': true } } },
    },
  };
  const plan = compileRules(rules);
  const object = fc.dictionary(fc.constantFrom('a', 'b', 'c'), jsonValue, { noNullPrototype: true });

  it('a change of nothing breaks no rule but that of identities', () => {
    fc.assert(
      fc.property(object, (document) => {
        expect(checkTransitions(plan, document, document, 20)).toEqual([]);
        const copy = structuredClone(document);
        const found = checkTransitions(plan, document, copy, 20);
        expect(found.filter(({ keyword }) => keyword !== 'x-key')).toEqual([]);
      }),
    );
  });

  it('a shared subtree makes no difference to what is found', () => {
    fc.assert(
      fc.property(object, object, (before, patch) => {
        const shared = { ...before, ...patch };
        const found = checkTransitions(plan, before, shared, 1000);
        const copied = checkTransitions(plan, before, structuredClone(shared), 1000);
        const lost = copied.filter((one) => !found.some((each) => each.pointer === one.pointer));
        expect(lost.filter(({ keyword }) => keyword !== 'x-key')).toEqual([]);
        expect(found.every((one) => copied.some((each) => each.pointer === one.pointer))).toBe(true);
      }),
    );
  });
});
