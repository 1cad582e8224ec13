// The places of a document that a patch may change, as a tree of member names. Knows no schema and no document.
import type { Patch } from '../../domain/json/patch.js';
import { parsePointer } from '../../domain/json/pointer.js';

/** What a patch may change at one place. */
export interface ChangedPlaces {
  /** True if the value itself is added, replaced or removed. Otherwise only what is below it changes. */
  readonly isWhole: boolean;
  /** By segment. Within an array, operations shift items, so segments there do not tell which item changes. */
  readonly below: ReadonlyMap<string, ChangedPlaces>;
}

interface Draft extends ChangedPlaces {
  isWhole: boolean;
  readonly below: Map<string, Draft>;
}

const draft = (): Draft => ({ isWhole: false, below: new Map() });

/** @returns `null` if an operation has no valid pointer. */
export function changedPlaces(patch: Patch): ChangedPlaces | null {
  const root = draft();
  for (const operation of patch) {
    if (operation.op === 'test') continue;
    for (const pointer of operation.op === 'move' ? [operation.path, operation.from] : [operation.path]) {
      const segments = parsePointer(pointer);
      if (segments === null) return null;
      let here = root;
      for (const segment of segments) {
        const next = here.below.get(segment) ?? draft();
        here.below.set(segment, next);
        here = next;
      }
      here.isWhole = true;
    }
  }
  return root;
}
