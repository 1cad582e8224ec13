// The locations of a document that a patch may change, as a tree of member names. Knows no schema.
import { isJsonObject, jsonEqual, ownMember, type JsonValue } from './json.js';
import type { Patch } from './patch.js';
import { locationsOf } from './patch-locations.js';
import { parsePointer } from './pointer.js';

/** What a patch may change at one location. */
export interface ChangedLocations {
  /** True if the value itself is added, replaced or removed. Otherwise only what is below it changes. */
  readonly isWhole: boolean;
  /** By segment. Within an array, operations shift items, so segments there do not tell which item changes. */
  readonly below: ReadonlyMap<string, ChangedLocations>;
}

/** Whether a write changes the value at a pointer. */
export type ChangesAt = (pointer: string) => boolean;

interface Draft extends ChangedLocations {
  isWhole: boolean;
  readonly below: Map<string, Draft>;
}

const draft = (): Draft => ({ isWhole: false, below: new Map() });

/** @returns `null` if an operation has no valid pointer. */
export function changedLocations(patch: Patch): ChangedLocations | null {
  const root = draft();
  for (const operation of patch) {
    if (operation.op === 'test') continue;
    for (const pointer of locationsOf(operation)) {
      const segments = parsePointer(pointer);
      if (segments === null) return null;
      let current = root;
      for (const segment of segments) {
        const next = current.below.get(segment) ?? draft();
        current.below.set(segment, next);
        current = next;
      }
      current.isWhole = true;
    }
  }
  return root;
}

/** Compares two values that can differ at these locations only. */
export function differAt(before: JsonValue, after: JsonValue, locations: ChangedLocations): boolean {
  if (before === after) return false;
  if (locations.isWhole || !isJsonObject(before) || !isJsonObject(after)) return !jsonEqual(before, after);
  for (const [name, below] of locations.below) {
    const was = ownMember(before, name);
    const is = ownMember(after, name);
    if (was === undefined || is === undefined ? was !== is : differAt(was, is, below)) return true;
  }
  return false;
}
