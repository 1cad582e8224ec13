// The operations that put a value at a place, whatever is there now, with the objects on the way to it.
import type { JsonObject, JsonValue } from '../json/json.js';
import type { PatchOperation } from '../json/patch.js';
import { formatPointer, parsePointer, valueAt } from '../json/pointer.js';

/**
 * @param pointer - A JSON Pointer; what is no pointer is left to whoever applies the operations.
 * @returns A JSON Patch for that document. Objects that are missing on the way are made; what stands in the way
 *   otherwise stays, and the write is refused there. An array's item is replaced where there is one, not put before it.
 */
export function placeValue(
  document: JsonObject,
  pointer: string,
  value: JsonValue,
): readonly PatchOperation[] {
  if (valueAt(document, pointer) !== undefined) return [{ op: 'replace', path: pointer, value }];
  const segments = parsePointer(pointer) ?? [];
  const missing = segments
    .slice(0, -1)
    .map((_, depth) => formatPointer(segments.slice(0, depth + 1)))
    .filter((place) => valueAt(document, place) === undefined);
  return [
    ...missing.map((path): PatchOperation => ({ op: 'add', path, value: {} })),
    { op: 'add', path: pointer, value },
  ];
}
