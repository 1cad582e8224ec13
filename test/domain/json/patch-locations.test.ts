// What a patch may change, by a table, and as a property: a place that changed is one that it may change.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonEqual } from '../../../src/domain/json/json.js';
import type { Patch } from '../../../src/domain/json/patch.js';
import { mayChange } from '../../../src/domain/json/patch-locations.js';
import { valueAt } from '../../../src/domain/json/pointer.js';
import { applyJsonPatch } from '../../../src/document/index.js';
import { DEFAULT_LIMITS } from '../../../src/domain/limits.js';
import { runs } from '../../support/runs.js';

describe('a patch may change a place', () => {
  it.each<[boolean, Patch[number], string]>([
    [true, { op: 'replace', path: '/a', value: 1 }, '/a/b'],
    [true, { op: 'add', path: '/a/b/c', value: 1 }, '/a/b'],
    [false, { op: 'add', path: '/a/b', value: 1 }, '/a/c'],
    [true, { op: 'remove', path: '/l/0' }, '/l/1/x'],
    [true, { op: 'add', path: '/l/1', value: 1 }, '/l/1'],
    [true, { op: 'add', path: '/l/-', value: 1 }, '/l/2'],
    [false, { op: 'remove', path: '/l/2' }, '/l/1'],
    [false, { op: 'replace', path: '/l/0', value: 1 }, '/l/1'],
    [true, { op: 'move', from: '/l/0', path: '/x' }, '/l/1'],
    [false, { op: 'add', path: '/m/0', value: 1 }, '/l/1'],
    [true, { op: 'add', path: '/0', value: 1 }, '/1'],
  ])('%s: %j at %s', (may, operation, pointer) => {
    expect(mayChange([operation], pointer)).toBe(may);
  });

  it('wherever it does', () => {
    const document = { l: [{ x: 1 }, { x: 2 }, [3, 4]], o: { '0': 1, '1': [5] }, p: 1 };
    const places = ['/l', '/l/0', '/l/1', '/l/2', '/l/2/0', '/l/2/1', '/l/3', '/o/0', '/o/1', '/o/1/0', '/p'];
    const place = fc.constantFrom(...places, '/l/-', '/l/2/-', '/o/n');
    const operation = fc.oneof(
      fc.record({ op: fc.constantFrom('add', 'replace'), path: place, value: fc.constant(9) }),
      fc.record({ op: fc.constant('remove'), path: place }),
      fc.record({ op: fc.constantFrom('move', 'copy'), path: place, from: place }),
    );
    fc.assert(
      fc.property(fc.array(operation, { minLength: 1, maxLength: 3 }), (operations) => {
        const result = applyJsonPatch(document, operations, DEFAULT_LIMITS);
        if (!result.ok) return;
        for (const pointer of places) {
          const same = jsonEqual(valueAt(document, pointer), valueAt(result.value.document, pointer));
          if (!same) expect(mayChange(result.value.patch, pointer)).toBe(true);
        }
      }),
      { numRuns: runs(1000) },
    );
  });
});
