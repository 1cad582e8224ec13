import fc from 'fast-check';
import { expect, it } from 'vitest';
import { applyPatch, diffDocuments } from '../../../src/document/index.js';
import { changedLocations, differAt } from '../../../src/domain/json/changed-locations.js';
import { isJsonObject, jsonEqual, type JsonObject, type JsonValue } from '../../../src/domain/json/json.js';

it('lists the places of all operations, those that a move leaves too', () => {
  const places = changedLocations([
    { op: 'add', path: '/a/b~1c', value: 1 },
    { op: 'move', from: '/x', path: '/a' },
    { op: 'test', path: '/never', value: 1 },
  ]);
  expect([...(places?.below.keys() ?? [])]).toEqual(['a', 'x']);
  expect(places?.below.get('a')).toMatchObject({ isWhole: true });
  expect([...(places?.below.get('a')?.below.keys() ?? [])]).toEqual(['b/c']);
  expect(changedLocations([{ op: 'remove', path: 'no pointer' }])).toBeNull();
});

it('compares documents at the places of a patch as a whole comparison would', () => {
  const document = fc
    .jsonValue({ maxDepth: 3 })
    .filter((value) => isJsonObject(value as JsonValue))
    .map((value) => value as JsonObject);
  let same = 0;
  fc.assert(
    fc.property(document, document, fc.boolean(), (before, other, isRestored) => {
      const there = diffDocuments(before, other);
      const back = isRestored ? diffDocuments(other, before) : [];
      const patch = [...there, ...back];
      const places = changedLocations(patch);
      if (places === null) throw new Error('a difference has a pointer that is none');
      const after = applyPatch(before, patch);
      expect(differAt(before, after, places)).toBe(!jsonEqual(before, after));
      if (jsonEqual(before, after)) same += 1;
    }),
    { numRuns: 300 },
  );
  expect(same).toBeGreaterThan(50);
});
