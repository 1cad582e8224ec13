// Merge patches (RFC 7396) and differences, against the RFC's own table and as properties.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonObject, jsonEqual, type JsonObject, type JsonValue } from '../../src/domain/json/json.js';
import { DEFAULT_LIMITS } from '../../src/domain/limits.js';
import { applyMergePatch, applyPatch, diffDocuments, findChange } from '../../src/document/index.js';
import { deepFreeze, jsonObject, jsonValue } from '../schema/arbitrary.js';
import { runs } from '../support/runs.js';

function merge(document: JsonObject, patch: JsonValue) {
  const result = applyMergePatch(deepFreeze(document), deepFreeze(patch), DEFAULT_LIMITS);
  if (!result.ok) throw new Error(result.failure.detail);
  return result.value;
}

/** The pseudo code of RFC 7396, section 2. */
function reference(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isJsonObject(patch)) return patch;
  const result: Record<string, JsonValue> = isJsonObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) Reflect.deleteProperty(result, name);
    else result[name] = reference(Object.hasOwn(result, name) ? result[name] : undefined, value);
  }
  return result;
}

const RFC: readonly (readonly [JsonObject, JsonValue, JsonValue])[] = [
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];

describe('a merge patch', () => {
  it.each(RFC)('on %j, %j gives %j', (document, patch, expected) => {
    expect(merge(document, patch).document).toStrictEqual(expected);
  });

  it('that changes nothing gives the same document and no operations', () => {
    const document = { a: { b: [1, { c: 2 }] } };
    const result = merge(document, { a: { b: [1, { c: 2 }], gone: null } });
    expect(result.document).toBe(document);
    expect(result.patch).toStrictEqual([]);
  });

  it('shares what it leaves alone', () => {
    const document = { kept: { x: [1] }, a: { b: 1 } };
    expect((merge(document, { a: { b: 2 } }).document as typeof document).kept).toBe(document.kept);
  });

  it('is refused for its depth and its names', () => {
    const deep = JSON.parse('{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000)) as JsonValue;
    expect(applyMergePatch({}, deep, DEFAULT_LIMITS)).toMatchObject({ failure: { error: 'limit_exceeded' } });
    const evil = JSON.parse('{"a":{"__proto__":{"x":1}}}') as JsonValue;
    expect(applyMergePatch({}, evil, DEFAULT_LIMITS)).toMatchObject({
      failure: { error: 'patch_failed', members: { pointer: '/a/__proto__' } },
    });
  });

  it('gives what the RFC gives, and its operations lead there', () => {
    fc.assert(
      fc.property(jsonObject, jsonValue, (document, patch) => {
        const expected = reference(structuredClone(document), patch);
        const result = merge(document, patch);
        expect(result.document).toStrictEqual(expected);
        if (isJsonObject(expected)) expect(applyPatch(document, result.patch)).toStrictEqual(expected);
      }),
      { numRuns: runs(1000) },
    );
  });
});

describe('a difference', () => {
  it('is empty between equals', () => {
    expect(diffDocuments({ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] })).toStrictEqual([]);
  });

  it('names the places that changed', () => {
    const before = { text: 'long enough that a patch is the shorter way', n: 1 };
    expect(diffDocuments(before, { ...before, n: 2 })).toStrictEqual([
      { op: 'replace', path: '/n', value: 2 },
    ]);
  });

  it('is one replacement where that is much shorter to keep', () => {
    const members = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`member${i}`, i]));
    expect(diffDocuments(members(500), { z: 1 })).toStrictEqual([
      { op: 'replace', path: '', value: { z: 1 } },
    ]);
    expect(diffDocuments(members(5), { z: 1 })).toHaveLength(6);
  });

  it('applied to the old document gives the new one, and holds no test', () => {
    fc.assert(
      fc.property(jsonObject, jsonObject, (before, after) => {
        const patch = diffDocuments(deepFreeze(before), deepFreeze(after));
        expect(patch.some(({ op }) => op === 'test')).toBe(false);
        expect(applyPatch(before, patch)).toStrictEqual(after);
      }),
      { numRuns: runs(1000) },
    );
  });
});

/** All locations where two documents differ. */
function changedPlaces(before: JsonObject, after: JsonObject): string[] {
  const places: string[] = [];
  findChange(before, after, (pointer) => {
    places.push(pointer);
    return false;
  });
  return places;
}

describe('the changed places', () => {
  it('lie where the documents differ, also where a whole document was put', () => {
    const before = { mine: { a: 1 }, theirs: [1, 2] };
    expect(changedPlaces(before, { mine: { a: 2 }, theirs: [1, 2] })).toStrictEqual(['/mine/a']);
    expect(changedPlaces(before, { mine: { a: 1 }, theirs: [1] })).toStrictEqual(['/theirs/1']);
  });

  it('are none exactly between equals', () => {
    fc.assert(
      fc.property(jsonObject, jsonObject, (before, after) => {
        const same = jsonEqual(before, after);
        expect(changedPlaces(before, after).length === 0).toBe(same);
        expect(changedPlaces(before, structuredClone(before))).toStrictEqual([]);
      }),
    );
  });
});
