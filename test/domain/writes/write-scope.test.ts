// What a write scope takes, whatever the form of the write.
import { describe, expect, it } from 'vitest';
import { findChange } from '../../../src/document/index.js';
import type { JsonObject } from '../../../src/domain/json/json.js';
import type { Patch } from '../../../src/domain/json/patch.js';
import { checkWriteScope } from '../../../src/domain/writes/write-scope.js';

const WHOLE: Patch = [{ op: 'replace', path: '', value: null }];

function outside(scope: readonly string[] | null, before: JsonObject, after: JsonObject, patch = WHOLE) {
  const firstChange = (counts: (pointer: string) => boolean) => findChange(before, after, counts);
  return checkWriteScope(scope, { before, after, patch, firstChange })?.failure.members['pointer'];
}

describe('a write scope', () => {
  it.each<[string, readonly string[] | null, JsonObject, JsonObject, string | undefined]>([
    ['none takes everything', null, {}, { a: 1 }, undefined],
    ['an empty one takes nothing', [], {}, { a: 1 }, '/a'],
    ['takes its place', ['/a'], { a: 1 }, { a: 2 }, undefined],
    ['takes what is under its place', ['/a'], { a: { b: 1 } }, { a: { b: 2 } }, undefined],
    ['refuses another place', ['/a'], { a: 1, b: 1 }, { a: 2, b: 2 }, '/b'],
    ['takes missing parents that hold nothing else', ['/a/b'], {}, { a: { b: 1 } }, undefined],
    ['refuses missing parents that hold more', ['/a/b'], {}, { a: { b: 1, c: 1 } }, '/a'],
    ['takes a whole document that keeps the rest', ['/a'], { a: 1, b: 1 }, { a: 2, b: 1 }, undefined],
  ])('%s', (_what, scope, before, after, pointer) => {
    expect(outside(scope, before, after)).toBe(pointer);
  });

  it('looks at what moves behind an item that comes or goes', () => {
    const patch: Patch = [{ op: 'remove', path: '/items/0' }];
    expect(outside(['/items/0'], { items: [1, 2] }, { items: [2] }, patch)).toBe('/items/1');
  });
});
