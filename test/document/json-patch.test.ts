// JSON Patch: each rule of RFC 6902 that is easily got wrong, hostile patches, and properties against a reference.
import fc from 'fast-check';
import fastJsonPatch from 'fast-json-patch';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/domain/json/json.js';
import { DEFAULT_LIMITS } from '../../src/domain/limits.js';
import { checkDocument } from '../../src/document/document.js';
import { applyJsonPatch, applyPatch } from '../../src/document/index.js';
import { deepFreeze, jsonObject, patchFor } from '../schema/arbitrary.js';
import { runs } from '../support/runs.js';

const limits = DEFAULT_LIMITS;

function patched(document: JsonObject, operations: JsonValue): JsonValue {
  const result = applyJsonPatch(deepFreeze(document), operations, limits);
  if (!result.ok) throw new Error(result.failure.detail);
  return result.value.document;
}

function failure(document: JsonObject, operations: JsonValue) {
  const result = applyJsonPatch(deepFreeze(document), operations, limits);
  if (result.ok) throw new Error(`accepted: ${JSON.stringify(result.value.document)}`);
  return result.failure;
}

const APPLIED: readonly (readonly [string, JsonObject, JsonValue, JsonValue])[] = [
  ['an empty patch changes nothing', { a: 1 }, [], { a: 1 }],
  ['add sets a member', {}, [{ op: 'add', path: '/a', value: 1 }], { a: 1 }],
  ['add replaces a member', { a: 1 }, [{ op: 'add', path: '/a', value: null }], { a: null }],
  ['add inserts an item', { a: [1, 3] }, [{ op: 'add', path: '/a/1', value: 2 }], { a: [1, 2, 3] }],
  ['add may name the index past the end', { a: [1] }, [{ op: 'add', path: '/a/1', value: 2 }], { a: [1, 2] }],
  ['add appends at "-"', { a: [1] }, [{ op: 'add', path: '/a/-', value: [2] }], { a: [1, [2]] }],
  ['add of the root replaces the document', { a: 1 }, [{ op: 'add', path: '', value: [1] }], [1]],
  ['"-" is a member name of an object', {}, [{ op: 'add', path: '/-', value: 1 }], { '-': 1 }],
  ['"01" is a member name of an object', {}, [{ op: 'add', path: '/01', value: 1 }], { '01': 1 }],
  ['the empty name is a member name', {}, [{ op: 'add', path: '/', value: 1 }], { '': 1 }],
  ['~01 is the name ~1', { '~1': 1 }, [{ op: 'replace', path: '/~01', value: 2 }], { '~1': 2 }],
  ['replace keeps the place', { a: [1, 2] }, [{ op: 'replace', path: '/a/0', value: 0 }], { a: [0, 2] }],
  ['replace of a null works', { a: null }, [{ op: 'replace', path: '/a', value: 1 }], { a: 1 }],
  ['remove takes an item', { a: [1, 2, 3] }, [{ op: 'remove', path: '/a/1' }], { a: [1, 3] }],
  ['remove takes a null', { a: null }, [{ op: 'remove', path: '/a' }], {}],
  ['remove of the root leaves null', { a: 1 }, [{ op: 'remove', path: '' }], null],
  ['move moves', { a: 1 }, [{ op: 'move', from: '/a', path: '/b' }], { b: 1 }],
  ['move to the same place changes nothing', { a: 1 }, [{ op: 'move', from: '/a', path: '/a' }], { a: 1 }],
  ['move within an array', { a: [1, 2, 3] }, [{ op: 'move', from: '/a/0', path: '/a/2' }], { a: [2, 3, 1] }],
  ['move to a parent', { a: { b: 1 } }, [{ op: 'move', from: '/a/b', path: '/a' }], { a: 1 }],
  ['move to a sibling with a longer name', { a: 1 }, [{ op: 'move', from: '/a', path: '/ab' }], { ab: 1 }],
  ['copy copies', { a: { b: 1 } }, [{ op: 'copy', from: '/a', path: '/c' }], { a: { b: 1 }, c: { b: 1 } }],
  ['copy of the root into itself', { a: 1 }, [{ op: 'copy', from: '', path: '/b' }], { a: 1, b: { a: 1 } }],
  [
    'test ignores member order',
    { a: { b: 1, c: 2 } },
    [{ op: 'test', path: '/a', value: { c: 2, b: 1 } }],
    { a: { b: 1, c: 2 } },
  ],
  ['test of the root', { a: 1 }, [{ op: 'test', path: '', value: { a: 1 } }], { a: 1 }],
  ['unknown members are ignored', {}, [{ op: 'add', path: '/a', value: 1, from: 7, note: 'x' }], { a: 1 }],
  ['toString is an ordinary name', {}, [{ op: 'add', path: '/toString', value: 1 }], { toString: 1 }],
];

describe('an applied patch', () => {
  it.each(APPLIED)('%s', (_title, document, operations, expected) => {
    expect(patched(document, operations)).toStrictEqual(expected);
  });

  it('changes a copied value at one of its places only', () => {
    const operations = [
      { op: 'add', path: '/a/b/c', value: 1 },
      { op: 'copy', from: '/a', path: '/x' },
      { op: 'add', path: '/a/b/c', value: 2 },
      { op: 'add', path: '/x/b/d', value: 3 },
    ];
    const expected = { a: { b: { c: 2 } }, x: { b: { c: 1, d: 3 } } };
    expect(patched({ a: { b: {} } }, operations)).toStrictEqual(expected);
  });

  it('shares what it leaves alone with the old document', () => {
    const document = { kept: { deep: [1] }, changed: { a: 1 } };
    const result = patched(document, [{ op: 'add', path: '/changed/b', value: 2 }]) as typeof document;
    expect(result.kept).toBe(document.kept);
    expect(result.changed).not.toBe(document.changed);
  });

  it('is returned without tests and unknown members', () => {
    const result = applyJsonPatch(
      { a: 1 },
      [
        { op: 'test', path: '/a', value: 1 },
        { op: 'remove', path: '/a', why: 'so' },
      ],
      limits,
    );
    expect(result.ok && result.value.patch).toStrictEqual([{ op: 'remove', path: '/a' }]);
  });
});

const REFUSED: readonly (readonly [string, JsonValue, string])[] = [
  ['an operation that is no object', ['add'], '/0'],
  ['a missing op', [{ path: '/a', value: 1 }], '/0/op'],
  ['an unknown op', [{ op: 'spam', path: '/a', value: 1 }], '/0/op'],
  ['an inherited op', [{ op: 'toString', path: '/a', value: 1 }], '/0/op'],
  ['a missing path', [{ op: 'add', value: 1 }], '/0/path'],
  ['a path that is no string', [{ op: 'add', path: null, value: 1 }], '/0/path'],
  ['a path without slash', [{ op: 'add', path: 'a', value: 1 }], '/0/path'],
  ['a path with a bad escape', [{ op: 'add', path: '/~2', value: 1 }], '/0/path'],
  ['a missing value', [{ op: 'add', path: '/a' }], '/0/value'],
  ['a missing value of test', [{ op: 'test', path: '/a' }], '/0/value'],
  ['a missing value of replace', [{ op: 'replace', path: '/a' }], '/0/value'],
  ['a missing from', [{ op: 'copy', path: '/a' }], '/0/from'],
  ['a bad from', [{ op: 'move', from: 'a', path: '/b' }], '/0/from'],
  [
    'a bad operation after a good one',
    [
      { op: 'add', path: '/n', value: 1 },
      { op: 'move', path: '/b' },
    ],
    '/1/from',
  ],
  ['a from with nothing there', [{ op: 'copy', from: '/zzz', path: '/b' }], '/0/from'],
  ['a removal of nothing', [{ op: 'remove', path: '/zzz' }], '/0/path'],
  ['a replacement of nothing', [{ op: 'replace', path: '/zzz', value: 1 }], '/0/path'],
  ['a missing parent', [{ op: 'add', path: '/zzz/b', value: 1 }], '/0/path'],
  ['a parent that is a number', [{ op: 'add', path: '/a/b', value: 1 }], '/0/path'],
  ['an inherited member', [{ op: 'remove', path: '/toString' }], '/0/path'],
  ['an index past the end', [{ op: 'add', path: '/list/3', value: 1 }], '/0/path'],
  ['a leading zero', [{ op: 'test', path: '/list/01', value: 2 }], '/0/path'],
  ['a leading zero of add', [{ op: 'add', path: '/list/00', value: 2 }], '/0/path'],
  ['a negative index', [{ op: 'add', path: '/list/-1', value: 2 }], '/0/path'],
  ['an exponent as index', [{ op: 'add', path: '/list/1e0', value: 2 }], '/0/path'],
  ['a name as index', [{ op: 'add', path: '/list/length', value: 2 }], '/0/path'],
  ['"-" of remove', [{ op: 'remove', path: '/list/-' }], '/0/path'],
  ['"-" of replace', [{ op: 'replace', path: '/list/-', value: 1 }], '/0/path'],
  ['"-" of test', [{ op: 'test', path: '/list/-', value: 1 }], '/0/path'],
  ['a test that fails', [{ op: 'test', path: '/a', value: '1' }], '/0/value'],
  ['a test of null on nothing', [{ op: 'test', path: '/zzz', value: null }], '/0/path'],
  ['a move into its own child', [{ op: 'move', from: '/o', path: '/o/p/q' }], '/0/path'],
  ['a move of the root', [{ op: 'move', from: '', path: '/o' }], '/0/path'],
  ['__proto__ in a path', [{ op: 'add', path: '/__proto__/x', value: 1 }], '/0/path'],
  ['constructor in a from', [{ op: 'copy', from: '/constructor', path: '/b' }], '/0/from'],
  [
    'a forbidden name in a value',
    JSON.parse('[{"op":"add","path":"/b","value":{"x":{"__proto__":{}}}}]'),
    '/0/value/x/__proto__',
  ],
];

describe('a refused patch', () => {
  const document: JsonObject = { a: 1, list: [1, 2], o: { p: { q: 1 } } };

  it.each(REFUSED)('%s', (_title, operations, pointer) => {
    const { error, members } = failure(document, operations);
    expect(error).toBe('patch_failed');
    expect(members).toMatchObject({ operation_index: Number(pointer.slice(1, 2)), pointer });
  });

  it('is no array', () => {
    expect(failure(document, { op: 'add', path: '/b', value: 1 }).error).toBe('patch_failed');
  });

  it('has too many operations', () => {
    const operations = Array.from({ length: 1001 }, () => ({ op: 'test', path: '/a', value: 1 }));
    expect(failure(document, operations)).toMatchObject({
      error: 'limit_exceeded',
      members: { limit: 'patchOperationsMax', maximum: 1000, actual: 1001 },
    });
  });

  it('doubles the document with copies', () => {
    const operations = Array.from({ length: 18 }, (_, i) => ({ op: 'copy', from: '', path: `/k${i}` }));
    const { error, members } = failure({ text: 'x'.repeat(1000) }, operations);
    expect(error).toBe('limit_exceeded');
    expect(members).toMatchObject({ limit: 'patchGrowthBytesMax' });
  });

  it('copies a large value to the same place again and again', () => {
    const operations = Array.from({ length: 1000 }, () => ({ op: 'copy', from: '/big', path: '/x' }));
    expect(failure({ big: 'x'.repeat(500_000) }, operations).error).toBe('limit_exceeded');
  });

  it('adds more than a document may grow', () => {
    const operations = [
      { op: 'add', path: '/b', value: 'x'.repeat(1_200_000) },
      { op: 'add', path: '/c', value: 'x'.repeat(1_200_000) },
    ];
    expect(failure({}, operations).error).toBe('limit_exceeded');
  });

  it('carries a value of hostile depth', () => {
    const value = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)) as JsonValue;
    expect(failure(document, [{ op: 'add', path: '/b', value }]).error).toBe('limit_exceeded');
    expect(failure(document, [{ op: 'test', path: '/a', value }]).error).toBe('limit_exceeded');
  });
});

it('replacing large values with others of their size is no growth', () => {
  const value = 'x'.repeat(900_000);
  const operations = Array.from({ length: 4 }, () => ({ op: 'replace', path: '/big', value }));
  expect(applyJsonPatch({ big: value }, operations, limits).ok).toBe(true);
});

describe('on any document', () => {
  it('a valid patch gives what the reference gives, and replays', () => {
    fc.assert(
      fc.property(
        jsonObject.chain((document) => fc.tuple(fc.constant(document), patchFor(document))),
        ([document, operations]) => {
          deepFreeze(document);
          const reference = fastJsonPatch.applyPatch(
            structuredClone(document),
            structuredClone(operations) as never,
          );
          const result = applyJsonPatch(document, operations, limits);
          if (!result.ok) throw new Error(result.failure.detail);
          expect(result.value.document).toStrictEqual(reference.newDocument);
          expect(applyPatch(document, result.value.patch)).toStrictEqual(reference.newDocument);
        },
      ),
      { numRuns: runs(500) },
    );
  });

  it('any operations are applied or refused, never thrown on, and the document stays as it was', () => {
    const pointer = fc.constantFrom('', '/', '/a', '/a/0', '/a/-', '/b/c', '/a/01', 'x', '/~', '/a/b/c');
    const operation = fc.record(
      {
        op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test', 'no'),
        path: pointer,
        from: pointer,
        value: fc.jsonValue({ maxDepth: 2 }),
      },
      { requiredKeys: ['op'] },
    );
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 6 }), (operations) => {
        const document = deepFreeze({ a: [{ b: 1 }, [2]], b: { c: null } });
        applyJsonPatch(document, operations as JsonValue, limits);
        expect(document).toStrictEqual({ a: [{ b: 1 }, [2]], b: { c: null } });
      }),
      { numRuns: runs(1000) },
    );
  });
});

it('a stored patch that does not apply is a bug and thrown', () => {
  expect(() => applyPatch({}, [{ op: 'remove', path: '/a' }])).toThrow(/stored patch/);
  expect(() => applyPatch({}, [{ op: 'replace', path: '', value: 1 }])).toThrow(/no object/);
});

describe('a document is not looked through again', () => {
  const nested = (levels: number): JsonValue =>
    Array.from({ length: levels }).reduce<JsonValue>((inner) => ({ in: inner }), 1);
  const shapeOf = (value: JsonValue, path = '/a/b') => {
    const limits = { ...DEFAULT_LIMITS, documentDepthMax: 5 };
    const result = applyJsonPatch({ a: {}, list: [] }, [{ op: 'add', path, value }], limits);
    if (!result.ok) throw new Error(result.failure.detail);
    const { keepsShape, document } = result.value;
    return { keepsShape, isRight: checkDocument(document, limits).ok };
  };

  it('after a value that is not too deep at its place', () => {
    for (const path of ['/a/b', '/list/0', '/list/-']) {
      expect(shapeOf(1, path)).toEqual({ keepsShape: true, isRight: true });
      expect(shapeOf(nested(3), path)).toEqual({ keepsShape: true, isRight: true });
      expect(shapeOf(nested(4), path)).toEqual({ keepsShape: false, isRight: false });
    }
    expect(shapeOf(nested(4), '/x')).toEqual({ keepsShape: true, isRight: true });
    expect(shapeOf(nested(5), '/x')).toEqual({ keepsShape: false, isRight: false });
  });
});
