// Merges arrays whose items are identified by a member (`x-key`).
import { ownMember, type JsonValue } from '../../domain/json/json.js';
import { mergeIdentified, type Identified } from './identified.js';
import type { ArraySides, MergeValue } from './types.js';

type Items = readonly JsonValue[];

/**
 * @returns The items; `null` if an item has no identity, or two have the same. Then the arrays are merged by
 * position.
 */
export function mergeKeyed(
  { base, theirs, yours }: ArraySides,
  key: string,
  at: string,
  merge: MergeValue,
): Items | null {
  const [b, t, y] = [identified(base, key), identified(theirs, key), identified(yours, key)];
  if (b === null || t === null || y === null) return null;
  return mergeIdentified(
    { base: b, theirs: t, yours: y },
    { at, from: 0 },
    (_id, before, one, other, pointer) => merge(before, one, other, pointer),
  );
}

function identified(items: Items, key: string): Identified<string> | null {
  const found = new Map<string, JsonValue>();
  for (const item of items) {
    const id = ownMember(item, key);
    if (typeof id !== 'string' && typeof id !== 'number' && typeof id !== 'boolean') return null;
    const text = JSON.stringify(id);
    if (found.has(text)) return null;
    found.set(text, item);
  }
  return found;
}
