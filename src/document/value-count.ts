// Counts the values in a JSON value. Parts that document versions share are counted once.
import { isJsonArray, type JsonValue } from '../domain/json/json.js';

/** Counts of at least this many values are cached. */
const REMEMBERED_MIN = 1000;

const counts = new WeakMap<object, number>();

/**
 * The number of values: the value itself and all within it.
 *
 * @param depthMax - Levels to count; deeper content counts as infinitely many.
 */
export function valueCount(value: JsonValue, depthMax: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  if (depthMax === 0) return Infinity;
  const known = counts.get(value);
  if (known !== undefined) return known;
  let count = 1;
  for (const item of isJsonArray(value) ? value : Object.values(value)) {
    count += typeof item === 'object' ? valueCount(item, depthMax - 1) : 1;
  }
  if (count >= REMEMBERED_MIN) counts.set(value, count);
  return count;
}
