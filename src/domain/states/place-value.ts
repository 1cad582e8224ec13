// The patch operations that put a value at a location, together with missing parent objects.
import type { JsonObject, JsonValue } from '../json/json.js';
import type { PatchOperation } from '../json/patch.js';
import { formatPointer, parsePointer, valueAt } from '../json/pointer.js';

/**
 * Replaces the value if there is one: an existing array item is replaced, and nothing is inserted before it.
 *
 * @param pointer - A JSON Pointer. A malformed one fails when the operations are applied.
 * @returns A JSON Patch for that document. It adds the parent objects that are missing. A parent that is no object or
 *   array stays as it is, so the write is refused there.
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
