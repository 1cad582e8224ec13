// Counts the values in a JSON value. Parts that document versions share are counted once. It walks by itself, and not with
// `domain/json/scan.ts`, because counts are cached: a scan would walk the whole document for each write.
import { isJsonArray, type JsonValue } from '../domain/json/json.js';

/** Counts of at least this many values are cached. */
const KEPT_MIN = 1000;

/** Counts values that are never changed in place. A cached count lives as long as its value. */
export class ValueCounter {
  readonly #counts = new WeakMap<object, number>();

  /**
   * The number of values: the value itself and all within it.
   *
   * @param depthMax - Levels to count; deeper content counts as infinitely many.
   */
  count(value: JsonValue, depthMax: number): number {
    if (typeof value !== 'object' || value === null) return 1;
    if (depthMax === 0) return Infinity;
    const known = this.#counts.get(value);
    if (known !== undefined) return known;
    let count = 1;
    for (const item of isJsonArray(value) ? value : Object.values(value)) {
      count += typeof item === 'object' ? this.count(item, depthMax - 1) : 1;
    }
    if (count >= KEPT_MIN) this.#counts.set(value, count);
    return count;
  }
}
