// The text of a document that is put together from the texts of what a change left alone.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/domain/json.js';
import { applyPatch } from '../../src/schema/index.js';
import { deriveText, documentBytes, documentText } from '../../src/service/document-text.js';

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

function textIsExact(document: JsonObject): void {
  const text = JSON.stringify(document);
  expect(documentText(document)).toBe(text);
  expect(documentBytes(document)).toBe(Buffer.byteLength(text));
}

describe('the text of a document', () => {
  it.each([
    ['a member', { op: 'replace', path: '/status', value: 'ö' }],
    ['a member among many', { op: 'replace', path: '/results/child "3"/text', value: 'new' }],
    ['an item', { op: 'replace', path: '/list/3/deep/0/a/0', value: { x: 1 } }],
    ['a new item before others', { op: 'add', path: '/list/0', value: result('first', 500) }],
    ['a removed item', { op: 'remove', path: '/list/7' }],
    ['an item of a wide array', { op: 'replace', path: '/wide/1999/i', value: -0 }],
    ['a large part by another', { op: 'replace', path: '/results', value: { a: [result('b', 3)] } }],
    ['an object by an array', { op: 'replace', path: '/results', value: [result('b', 3)] }],
    ['what is empty', { op: 'add', path: '/nothing/x', value: [] }],
    ['a copy', { op: 'copy', from: '/results', path: '/again' }],
  ] as const)('is that of JSON.stringify after %s', (_name, operation) => {
    let before = large();
    textIsExact(before);
    for (let times = 0; times < 3; times += 1) {
      const after = applyPatch(before, [operation]);
      deriveText(after, before);
      textIsExact(after);
      before = after;
    }
  });

  it('is that of JSON.stringify after any changes of any places', () => {
    const start = large();
    textIsExact(start);
    const places = [
      '/status',
      '/results/child "3"',
      '/results/child "3"/deep',
      '/list/2',
      '/list/2/deep/0',
      '/wide/5',
    ];
    const change = fc.record({ path: fc.constantFrom(...places), value: fc.jsonValue() });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 5 }), (changes) => {
        let before = start;
        for (const { path, value } of changes) {
          const after: JsonValue = applyPatch(start, [{ op: 'replace', path, value: value as JsonValue }]);
          if (!isJsonObject(after)) throw new Error('no object');
          deriveText(after, before);
          textIsExact(after);
          before = after;
        }
      }),
      { numRuns: 50 },
    );
  });
});
