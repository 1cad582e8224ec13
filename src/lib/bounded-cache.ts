// A cache that keeps the entries used last, bounded by their number.
import { LRUCache } from 'lru-cache';

/**
 * It takes memory as it fills. With `max`, the library takes the memory of all entries at once: 18 ms and 30 MB for the
 * caches of a service that has just started.
 */
export function boundedCache<K extends string, V extends string | number | boolean | object>(
  entriesMax: number,
): LRUCache<K, V> {
  return new LRUCache<K, V>({ maxSize: entriesMax, sizeCalculation: () => 1 });
}
