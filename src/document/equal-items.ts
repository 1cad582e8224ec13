// Finds two equal items of an array. Time is linear in the number of scalars and in the size of other items.
import type { JsonValue } from '../domain/json/json.js';
import { canonicalJson } from './canonical.js';

/** The positions of the first two items that are equal as JSON values; `null` if all differ. */
export function equalItems(items: readonly JsonValue[]): readonly [number, number] | null {
  const scalars = new Map<unknown, number>();
  const others = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    const isScalar = typeof item !== 'object' || item === null;
    const before = isScalar ? scalars.get(item) : others.get(canonicalJson(item));
    if (before !== undefined) return [before, index];
    if (isScalar) scalars.set(item, index);
    else others.set(canonicalJson(item), index);
  }
  return null;
}
