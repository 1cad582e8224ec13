// What every document has to be, and the canonical form that identities are made of.
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/domain/json/json.js';
import { DEFAULT_LIMITS } from '../../src/domain/limits.js';
import { canonicalJson, checkDocument, contentHash } from '../../src/document/index.js';
import { textSize } from '../../src/domain/json/text-size.js';
import fc from 'fast-check';
import { jsonValue } from '../schema/arbitrary.js';

const check = (value: JsonValue) => checkDocument(value, DEFAULT_LIMITS);

describe('a document', () => {
  it('is accepted with its number of values', () => {
    expect(check({ a: [1, { b: null }], c: 'x' })).toStrictEqual({
      ok: true,
      value: { a: [1, { b: null }], c: 'x' },
    });
  });

  it.each([[null], [1], ['x'], [[]]])('that is %j is refused', (value) => {
    expect(check(value)).toMatchObject({
      failure: { error: 'validation_failed', members: { errors: [{ pointer: '', keyword: 'type' }] } },
    });
  });

  it('of 64 levels is accepted, of 65 refused with the place', () => {
    const nested = (levels: number) =>
      JSON.parse('{"a":'.repeat(levels - 1) + '{}' + '}'.repeat(levels - 1)) as JsonValue;
    expect(check(nested(64)).ok).toBe(true);
    expect(check(nested(65))).toMatchObject({
      failure: {
        error: 'limit_exceeded',
        members: { limit: 'documentDepthMax', maximum: 64, actual: 65, pointer: '/a'.repeat(64) },
      },
    });
  });

  it('of hostile depth is refused, not overflowed on', () => {
    const bomb = JSON.parse('{"a":' + '['.repeat(200_000) + ']'.repeat(200_000) + '}') as JsonValue;
    expect(check(bomb)).toMatchObject({ failure: { error: 'limit_exceeded' } });
  });

  it.each(['__proto__', 'constructor', 'prototype'])('with a member %s is refused', (name) => {
    const value = JSON.parse(`{"a":[{"${name}":1}]}`) as JsonValue;
    expect(check(value)).toMatchObject({
      failure: { error: 'invalid_request', members: { errors: [{ pointer: `/a/0/${name}` }] } },
    });
  });
});

describe('the canonical form', () => {
  it('orders members and writes numbers as RFC 8785 says', () => {
    expect(canonicalJson({ b: [1e21, 1.0, -0], a: 'é\u0001' })).toBe('{"a":"é\\u0001","b":[1e+21,1,0]}');
  });

  it('is hashed with SHA-256', () => {
    expect(contentHash('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});

it('the estimated text size is the size of the text', () => {
  fc.assert(
    fc.property(jsonValue, fc.nat(100), (value, bytesMax) => {
      const bytes = Buffer.byteLength(JSON.stringify(value));
      expect(textSize(value)).toBe(bytes);
      expect(textSize(value, bytesMax) > bytesMax).toBe(bytes > bytesMax);
    }),
  );
});
