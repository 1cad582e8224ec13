import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonArray, isJsonObject, jsonEqual, type JsonValue } from '../../../src/domain/json/json.js';
import {
  formatPointer,
  isAtOrUnder,
  overlaps,
  parseArrayIndex,
  parsePointer,
  valueAt,
} from '../../../src/domain/json/pointer.js';

const RFC: JsonValue = {
  foo: ['bar', 'baz'],
  '': 0,
  'a/b': 1,
  'c%d': 2,
  'e^f': 3,
  'g|h': 4,
  'i\\j': 5,
  'k"l': 6,
  ' ': 7,
  'm~n': 8,
};

describe('JSON Pointer', () => {
  it.each<[string, JsonValue | undefined]>([
    ['', RFC],
    ['/foo', ['bar', 'baz']],
    ['/foo/0', 'bar'],
    ['/', 0],
    ['/a~1b', 1],
    ['/c%d', 2],
    ['/e^f', 3],
    ['/g|h', 4],
    ['/i\\j', 5],
    ['/k"l', 6],
    ['/ ', 7],
    ['/m~0n', 8],
    ['/foo/2', undefined],
    ['/foo/-', undefined],
    ['/foo/00', undefined],
    ['/foo/0/x', undefined],
    ['/toString', undefined],
    ['/__proto__', undefined],
    ['/foo/length', undefined],
    ['foo', undefined],
    ['/m~n', undefined],
    ['/m~2n', undefined],
  ])('%j finds %j', (pointer, value) => {
    expect(valueAt(RFC, pointer)).toEqual(value);
  });

  it('parses what it has written', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (segments) => {
        expect(parsePointer(formatPointer(segments))).toEqual(segments);
      }),
    );
  });

  it.each([
    ['/a', '/a', true],
    ['/a/b', '/a', true],
    ['/ab', '/a', false],
    ['/a', '/a/b', false],
    ['/a', '', true],
    ['', '', true],
    ['', '/a', false],
  ])('%j is at or under %j: %s', (pointer, prefix, is) => {
    expect(isAtOrUnder(pointer, prefix)).toBe(is);
    expect(overlaps(pointer, prefix)).toBe(is || isAtOrUnder(prefix, pointer));
  });

  it.each([
    ['0', 0],
    ['10', 10],
    ['01', null],
    ['-1', null],
    ['1e1', null],
    ['', null],
    ['12345678901234567', null],
  ])('the array index %j is %j', (text, index) => {
    expect(parseArrayIndex(text)).toBe(index);
  });
});

describe('JSON equality', () => {
  it.each<[JsonValue | undefined, JsonValue | undefined, boolean]>([
    [1, 1, true],
    [1, '1', false],
    [null, null, true],
    [null, {}, false],
    [undefined, null, false],
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
    [{ a: 1 }, { a: 1, b: 2 }, false],
    [{ a: 1 }, { b: 1 }, false],
    [[1, 2], [2, 1], false],
    [[1, [2, { c: 3 }]], [1, [2, { c: 3 }]], true],
    [[], {}, false],
    [{ toString: 1 }, {}, false],
    [{}, { toString: 1 }, false],
  ])('%j and %j: %s', (a, b, equal) => {
    expect(jsonEqual(a, b)).toBe(equal);
    expect(jsonEqual(b, a)).toBe(equal);
  });

  it('agrees with a copy and tells the kinds of values apart', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'grapheme' }), (value) => {
        const json = JSON.parse(JSON.stringify(value)) as JsonValue;
        expect(jsonEqual(json, JSON.parse(JSON.stringify(json)) as JsonValue)).toBe(true);
        expect([isJsonArray(json), isJsonObject(json)]).toEqual([
          Array.isArray(json),
          typeof json === 'object' && json !== null && !Array.isArray(json),
        ]);
      }),
    );
  });
});
