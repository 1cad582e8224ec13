// Values by location: those that a patch reaches are those of which `mayChange` is true.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Patch } from '../../../src/domain/json/patch.js';
import { mayChange } from '../../../src/domain/json/patch-locations.js';
import { PointerIndex } from '../../../src/domain/json/pointer-index.js';
import { runs } from '../../support/runs.js';

const segment = fc.constantFrom('a', 'b', '0', '1', '2', '10', '01', '~1', '-', '');
const pointer = fc.array(segment, { maxLength: 4 }).map((all) => all.map((one) => `/${one}`).join(''));
const operation: fc.Arbitrary<Patch[number]> = fc.oneof(
  fc.record({ op: fc.constantFrom('add', 'replace', 'test'), path: pointer, value: fc.constant(1) }),
  fc.record({ op: fc.constant('remove'), path: pointer }),
  fc.record({ op: fc.constantFrom('move', 'copy'), path: pointer, from: pointer }),
);

/** An index with all pointers, each as its own value. */
function indexOf(pointers: readonly string[]): PointerIndex<string> {
  const index = new PointerIndex<string>();
  for (const one of pointers) index.add(one, one);
  return index;
}

describe('values by location', () => {
  it('are reached by a patch that may change their locations, and no others', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(pointer, { maxLength: 12 }),
        fc.array(operation, { minLength: 1, maxLength: 3 }),
        (pointers, patch) => {
          const expected = pointers.filter((one) => mayChange(patch, one));
          expect([...indexOf(pointers).reachedBy(patch)].sort()).toEqual(expected.sort());
        },
      ),
      { numRuns: runs(2000) },
    );
  });

  it('are gone once they are removed, and only they', () => {
    fc.assert(
      fc.property(fc.uniqueArray(pointer, { maxLength: 12 }), fc.nat(12), (pointers, count) => {
        const index = indexOf(pointers);
        for (const one of pointers.slice(0, count)) index.delete(one, one);
        const left = index.reachedBy([{ op: 'replace', path: '', value: 1 }]);
        expect([...left].sort()).toEqual(pointers.slice(count).sort());
      }),
      { numRuns: runs(500) },
    );
  });

  it('of one location are told apart', () => {
    const index = new PointerIndex<number>();
    index.add('/a', 1);
    index.add('/a', 2);
    index.delete('/a', 1);
    index.delete('/b', 2);
    expect([...index.reachedBy([{ op: 'remove', path: '/a/x' }])]).toEqual([2]);
  });
});
