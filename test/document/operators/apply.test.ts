// Atomic operators: what each does, what each refuses and where, and that the patch they give leads to the document.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/domain/json/json.js';
import { DEFAULT_LIMITS } from '../../../src/domain/limits.js';
import { applyOperators, applyPatch } from '../../../src/document/index.js';
import { deepFreeze, jsonObject, jsonValue } from '../../schema/arbitrary.js';

const DOCUMENT: JsonObject = { n: 1, text: 'x', list: [1, 2], object: { a: 1, b: 1 }, none: null };
const apply = (operations: JsonValue, document: JsonObject = DOCUMENT, limits = DEFAULT_LIMITS) =>
  applyOperators(deepFreeze(document), deepFreeze(operations), limits);

function result(operations: JsonValue, document: JsonObject = DOCUMENT): JsonValue {
  const result = apply(operations, document);
  if (!result.ok) throw new Error(result.failure.detail);
  expect(applyPatch(document, result.value.patch)).toEqual(result.value.document);
  return result.value.document;
}

describe('an operator', () => {
  it.each<[string, JsonValue, JsonObject]>([
    ['increments', { op: 'increment', pointer: '/n', delta: 2 }, { n: 3 }],
    ['decrements', { op: 'increment', pointer: '/n', delta: -2.5 }, { n: -1.5 }],
    ['counts from 0', { op: 'increment', pointer: '/m', delta: 2 }, { m: 2 }],
    ['appends', { op: 'append', pointer: '/list', items: [3, [4]] }, { list: [1, 2, 3, [4]] }],
    [
      'appends to nothing',
      { op: 'append', pointer: '/object/new', items: [1] },
      { object: { a: 1, b: 1, new: [1] } },
    ],
    ['merges', { op: 'merge', pointer: '/object', patch: { a: null, c: 2 } }, { object: { b: 1, c: 2 } }],
    [
      'merges into nothing',
      { op: 'merge', pointer: '/fresh', patch: { a: { b: null, c: 1 } } },
      { fresh: { a: { c: 1 } } },
    ],
    ['merges into the whole', { op: 'merge', pointer: '', patch: { n: 9 } }, { n: 9 }],
    ['sets a member', { op: 'set', pointer: '/text', value: null }, { text: null }],
    ['sets a new member', { op: 'set', pointer: '/a~1b', value: 1 }, { 'a/b': 1 }],
    ['sets an item in its place', { op: 'set', pointer: '/list/0', value: 9 }, { list: [9, 2] }],
    ['sets an item at the end', { op: 'set', pointer: '/list/-', value: 9 }, { list: [1, 2, 9] }],
    ['deletes an item', { op: 'delete', pointer: '/list/0' }, { list: [2] }],
  ])('%s', (_title, operation, expected) => {
    expect(result([operation])).toEqual({ ...DOCUMENT, ...expected });
  });

  it('deletes a member, and sees what the one before it did', () => {
    expect(result([{ op: 'delete', pointer: '/none' }])).not.toHaveProperty('none');
    expect(
      result([
        { op: 'increment', pointer: '/n', delta: 1 },
        { op: 'increment', pointer: '/n', delta: 1 },
        { op: 'set', pointer: '/made', value: {} },
        { op: 'append', pointer: '/made/list', items: [1] },
        { op: 'append', pointer: '/made/list', items: [2] },
      ]),
    ).toEqual({ ...DOCUMENT, n: 3, made: { list: [1, 2] } });
  });

  it.each<[string, JsonValue, string, JsonObject]>([
    ['no array', {}, 'patch_failed', { pointer: '' }],
    ['no object', [1], 'patch_failed', { operation_index: 0, pointer: '/0' }],
    ['no op', [{ pointer: '/n' }], 'patch_failed', { pointer: '/0/op' }],
    [
      'an unknown op',
      [{ op: 'add', pointer: '/n', value: 1 }],
      'patch_failed',
      { pointer: '/0/op', reason: '"op" must be one of increment, append, merge, set, delete, not "add"' },
    ],
    [
      'a name of the prototype as op',
      [{ op: 'toString', pointer: '/n' }],
      'patch_failed',
      { pointer: '/0/op' },
    ],
    ['no pointer', [{ op: 'delete' }], 'patch_failed', { pointer: '/0/pointer' }],
    ['a pointer that is none', [{ op: 'delete', pointer: 'n' }], 'patch_failed', { pointer: '/0/pointer' }],
    [
      'a forbidden name',
      [{ op: 'set', pointer: '/__proto__/x', value: 1 }],
      'patch_failed',
      { pointer: '/0/pointer' },
    ],
    [
      'a forbidden name within',
      [{ op: 'set', pointer: '/x', value: JSON.parse('{"__proto__": 1}') as JsonValue }],
      'patch_failed',
      { pointer: '/0/value/__proto__' },
    ],
    ['an unknown member', [{ op: 'delete', pointer: '/n', value: 1 }], 'patch_failed', { pointer: '/0' }],
    ['no operand', [{ op: 'increment', pointer: '/n' }], 'patch_failed', { pointer: '/0/delta' }],
    [
      'a delta that is no number',
      [{ op: 'increment', pointer: '/n', delta: '1' }],
      'patch_failed',
      { pointer: '/0/delta' },
    ],
    [
      'a delta that is not finite',
      [{ op: 'increment', pointer: '/n', delta: Infinity }],
      'patch_failed',
      { pointer: '/0/delta' },
    ],
    [
      'items that are no array',
      [{ op: 'append', pointer: '/list', items: 3 }],
      'patch_failed',
      { pointer: '/0/items' },
    ],
    [
      'a patch that is no object',
      [{ op: 'merge', pointer: '/object', patch: [] }],
      'patch_failed',
      { pointer: '/0/patch' },
    ],
    [
      'nothing to delete',
      [{ op: 'delete', pointer: '/no' }],
      'patch_failed',
      { pointer: '/0/pointer', path: '/no' },
    ],
    [
      'no parent',
      [{ op: 'increment', pointer: '/no/n', delta: 1 }],
      'patch_failed',
      { pointer: '/0/pointer' },
    ],
    [
      'an item that is not there',
      [{ op: 'set', pointer: '/list/2', value: 1 }],
      'patch_failed',
      { pointer: '/0/pointer' },
    ],
    [
      'an increment of a text',
      [
        { op: 'set', pointer: '/z', value: 1 },
        { op: 'increment', pointer: '/text', delta: 1 },
      ],
      'key_type_mismatch',
      { operation_index: 1, pointer: '/text', expected: 'a number', actual: 'string' },
    ],
    [
      'an append to null',
      [{ op: 'append', pointer: '/none', items: [] }],
      'key_type_mismatch',
      { pointer: '/none', actual: 'null' },
    ],
    [
      'a merge into an array',
      [{ op: 'merge', pointer: '/list', patch: {} }],
      'key_type_mismatch',
      { pointer: '/list', expected: 'an object' },
    ],
  ])('refuses %s', (_title, operations, error, members) => {
    expect(apply(operations)).toMatchObject({ ok: false, failure: { error, members } });
  });

  it('makes no operation where it leaves the value as it is', () => {
    const idle: JsonValue[] = [
      { op: 'set', pointer: '/a', value: { b: [1], c: 2 } },
      { op: 'increment', pointer: '/n', delta: 0 },
      { op: 'append', pointer: '/l', items: [] },
      { op: 'merge', pointer: '/a', patch: { c: 2 } },
    ];
    const document = { a: { c: 2, b: [1] }, n: 2 ** 60, l: [null] };
    expect(apply([...idle, { op: 'set', pointer: '/l/0', value: 1 }], document)).toMatchObject({
      ok: true,
      value: { document: { ...document, l: [1] }, patch: [{ op: 'replace', path: '/l/0', value: 1 }] },
    });
    expect(apply(idle, document)).toMatchObject({ ok: true, value: { document, patch: [] } });
  });

  it('keeps numbers finite', () => {
    const result = apply([{ op: 'increment', pointer: '/n', delta: 1.7e308 }], { n: 1.7e308 });
    expect(result).toMatchObject({
      ok: false,
      failure: { error: 'patch_failed', members: { pointer: '/0/delta' } },
    });
  });

  it('is held to the limits of patches', () => {
    const many = Array.from({ length: 1001 }, () => ({ op: 'delete', pointer: '/n' }));
    const deep = Array.from({ length: 65 }).reduce<JsonValue>((inner) => [inner], 1);
    for (const [operations, limit] of [
      [many, 'patchOperationsMax'],
      [[{ op: 'set', pointer: '/n', value: deep }], 'documentDepthMax'],
      [[{ op: 'set', pointer: '/n', value: 'x'.repeat(3_000_000) }], 'patchGrowthBytesMax'],
    ] as const) {
      expect(apply(operations)).toMatchObject({
        ok: false,
        failure: { error: 'limit_exceeded', members: { limit } },
      });
    }
  });

  it('gives a patch that leads to its document, whatever it is given', () => {
    const pointer = fc.constantFrom('', '/a', '/b', '/a/b', '/a/0', '/c/-', '/~0');
    const operation = fc.oneof(
      fc.record({ op: fc.constant('increment'), pointer, delta: fc.integer() }),
      fc.record({ op: fc.constant('append'), pointer, items: fc.array(jsonValue) }),
      fc.record({ op: fc.constant('merge'), pointer, patch: jsonObject }),
      fc.record({ op: fc.constant('set'), pointer, value: jsonValue }),
      fc.record({ op: fc.constant('delete'), pointer }),
    );
    fc.assert(
      fc.property(jsonObject, fc.array(operation, { maxLength: 4 }), (document, operations) => {
        const result = apply(operations, document);
        if (!result.ok || result.value.document === null || typeof result.value.document !== 'object') return;
        if (Array.isArray(result.value.document)) return;
        expect(applyPatch(document, result.value.patch)).toEqual(result.value.document);
      }),
    );
  });
});

describe('many operators, or many items', () => {
  const steps = (count: number) => Array.from({ length: count }, (_, i) => i);

  it('append many items as one operation, and few to many as one each', () => {
    const many = steps(2000);
    const first = apply([{ op: 'append', pointer: '/list', items: many }]);
    expect(first.ok && first.value.patch).toEqual([{ op: 'replace', path: '/list', value: [1, 2, ...many] }]);
    const few = apply([{ op: 'append', pointer: '/list', items: [7, 8] }]);
    expect(few.ok && few.value.patch.map(({ path }) => path)).toEqual(['/list/-', '/list/-']);
  });

  it('keep the patch no longer than the document where it says more than a few places', () => {
    const operations = steps(1000).map((i) => ({ op: 'append', pointer: '/list', items: [i] }));
    const applied = apply(operations);
    expect(applied.ok && applied.value.patch.map(({ path }) => path)).toEqual(['']);
    expect(result(operations)).toMatchObject({ list: [1, 2, ...steps(1000)] });
  });

  it('copy a wide object once, however often it is merged into', () => {
    let copied = 0;
    const members = Object.fromEntries(steps(2000).map((i) => [`k${String(i)}`, 1]));
    const wide = new Proxy(members, {
      ownKeys: (target) => {
        copied += 1;
        return Reflect.ownKeys(target);
      },
    });
    const operations = steps(500).map((i) => ({
      op: 'merge',
      pointer: '/w',
      patch: { k1: i + 2, fresh: i },
    }));
    const result = applyOperators({ w: wide }, operations, DEFAULT_LIMITS);
    const seen = copied;
    expect(result.ok && result.value.document).toMatchObject({ w: { k0: 1, k1: 501, fresh: 499 } });
    expect(seen).toBeLessThan(5);
  });
});
