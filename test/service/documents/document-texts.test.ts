// The text of a document that is put together from the texts of what a change left alone.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/domain/json/json.js';
import { changedLocations } from '../../../src/domain/json/changed-locations.js';
import type { PatchOperation } from '../../../src/domain/json/patch.js';
import { applyPatch } from '../../../src/document/index.js';
import { DocumentTexts } from '../../../src/service/documents/document-texts.js';

const result = (name: string, length: number) => ({
  name,
  text: 'ü😀"\\\n'.repeat(length),
  deep: [{ a: [1] }],
});

/** Of some hundred kilobytes, with wide and narrow places, and arrays of objects. */
function large(): JsonObject {
  return {
    status: 'running',
    results: Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [`child "${String(i)}"`, result('r', 300)]),
    ),
    list: Array.from({ length: 30 }, (_, i) => result(`item ${String(i)}`, i * 10)),
    wide: Array.from({ length: 2000 }, (_, i) => ({ i })),
    nothing: {},
    none: [],
  };
}

/** Below what is remembered part by part for good: its text is put together from pieces. */
function small(): JsonObject {
  return {
    status: 'running',
    results: Object.fromEntries(
      Array.from({ length: 4 }, (_, i) => [`child "${String(i)}"`, result('ü', 8)]),
    ),
    list: Array.from({ length: 12 }, (_, i) => result(`item ${String(i)}`, i)),
    wide: Array.from({ length: 20 }, (_, i) => ({ i })),
    same: ['a', 'a', null, null, true, 1e300, -1.5, ''],
    toJSON: { 'né "w"': 'a' },
    nothing: {},
    none: [],
  };
}

const texts = new DocumentTexts();

function textIsExact(document: JsonObject): void {
  const text = JSON.stringify(document);
  expect(texts.text(document)).toBe(text);
  expect(texts.bytes(document)).toBe(Buffer.byteLength(text));
}

/** `null` where there is no such place any more. */
function changed(document: JsonObject, path: string, value: JsonValue): JsonObject | null {
  try {
    const after: JsonValue = applyPatch(document, [{ op: 'add', path, value }]);
    return isJsonObject(after) ? after : null;
  } catch {
    return null;
  }
}

describe('the text of a document', () => {
  it.each([
    ['a member', { op: 'replace', path: '/status', value: 'ö' }],
    ['a member among many', { op: 'replace', path: '/results/child "3"/text', value: 'new' }],
    ['an item', { op: 'replace', path: '/list/3/deep/0/a/0', value: { x: 1 } }],
    ['a new item before others', { op: 'add', path: '/list/0', value: result('first', 500) }],
    ['a removed item', { op: 'remove', path: '/list/7' }],
    ['an item of a wide array', { op: 'replace', path: '/wide/19/i', value: -0 }],
    ['a large part by another', { op: 'replace', path: '/results', value: { a: [result('b', 3)] } }],
    ['an object by an array', { op: 'replace', path: '/results', value: [result('b', 3)] }],
    ['what is empty', { op: 'add', path: '/nothing/x', value: [] }],
    ['a copy', { op: 'copy', from: '/results', path: '/again' }],
  ] as const)('is that of JSON.stringify after %s', (_name, operation) => {
    for (let before of [large(), small()]) {
      textIsExact(before);
      for (let times = 0; times < 3; times += 1) {
        const after = applyPatch(before, [operation]);
        const places = times === 1 ? changedLocations([operation]) : null;
        expect(texts.derived(after, before, places).text).toBe(JSON.stringify(after));
        textIsExact(after);
        before = after;
      }
    }
  });

  it('is that of JSON.stringify after members were added to, changed in and removed from a wide object', () => {
    const start: JsonObject = {
      title: 'x',
      results: Object.fromEntries(
        Array.from({ length: 300 }, (_, i) => [`child-${String(i)}`, { ok: true }]),
      ),
      none: {},
    };
    const place = fc.constantFrom('/results', '/none', '/results/child-7', '');
    const name = fc.constantFrom('x', 'ü"', '', '7', '007', '-1', '1.5', 'a b', 'child-8', 'toString');
    const operation = fc.record({
      op: fc.constantFrom('add' as const, 'add' as const, 'remove' as const),
      path: fc.tuple(place, name).map(([at, last]) => `${at}/${last}`),
      value: fc.oneof(fc.jsonValue(), fc.constant({ verdict: 'pass' })),
    });
    let added = 0;
    fc.assert(
      fc.property(
        fc.array(fc.array(operation, { minLength: 1, maxLength: 2 }), { maxLength: 6 }),
        (patches) => {
          let before = start;
          textIsExact(before);
          for (const given of patches) {
            const patch = given.map(({ op, path, value }): PatchOperation =>
              op === 'add' ? { op, path, value: value as JsonValue } : { op, path },
            );
            let after: JsonObject;
            try {
              after = applyPatch(before, patch);
            } catch {
              continue;
            }
            const { text, bytes } = texts.derived(after, before, changedLocations(patch));
            expect([text, bytes]).toEqual([JSON.stringify(after), Buffer.byteLength(text)]);
            added += 1;
            before = after;
          }
        },
      ),
      { numRuns: 200 },
    );
    expect(added).toBeGreaterThan(100);
  });

  it.each([
    ['small', small()],
    ['large', large()],
  ])('is not made of a %s document to learn whether its length is known', (_size, document) => {
    const texts = new DocumentTexts();
    expect(texts.cachedBytes(document)).toBeUndefined();
    expect(texts.cachedBytes(document)).toBeUndefined();
    const { bytes } = texts.of(document);
    expect(texts.cachedBytes(document)).toBe(bytes);
  });

  it('is right after a new member in a document whose text was edited in the database', () => {
    const filler = 'x'.repeat(5000);
    for (const text of [`{ "a": "${filler}" }\n`, `{"a":"${filler}" }`]) {
      const before = JSON.parse(text) as JsonObject;
      texts.note(before, text);
      const after = applyPatch(before, [{ op: 'add', path: '/b', value: 1 }]);
      const made = texts.derived(after, before, changedLocations([{ op: 'add', path: '/b', value: 1 }]));
      expect(JSON.parse(made.text)).toEqual(after);
      expect(made.bytes).toBe(Buffer.byteLength(made.text));
    }
  });

  it.each([
    ['large', large()],
    ['small', small()],
  ])('is that of JSON.stringify after any changes of any places of a %s one', (name, start) => {
    expect(JSON.stringify(start).length < 4 * 1024).toBe(name === 'small');
    textIsExact(start);
    const places = [
      '/status',
      '/results/child "3"',
      '/results/child "3"/deep',
      '/list/2',
      '/list/2/deep/0',
      '/wide/5',
      '/list',
      '/results/another',
    ];
    const change = fc.record({ path: fc.constantFrom(...places), value: fc.jsonValue() });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 5 }), (changes) => {
        let before = start;
        for (const { path, value } of changes) {
          const direct = changed(before, path, value as JsonValue);
          const after = direct ?? changed(start, path, value as JsonValue);
          if (after === null) throw new Error('no object');
          const of =
            direct === null ? null : changedLocations([{ op: 'add', path, value: value as JsonValue }]);
          const { text, bytes } = texts.derived(after, before, of);
          expect([text, bytes]).toEqual([JSON.stringify(after), Buffer.byteLength(text)]);
          textIsExact(after);
          before = after;
        }
      }),
      { numRuns: 50 },
    );
  });
});
