// Which locations a patch may change. Knows only operations and pointers, not where a document has arrays.
import type { Patch, PatchOperation } from './patch.js';
import { isAtOrUnder, overlaps, parseArrayIndex } from './pointer.js';

/**
 * True if the patch may change the value at a pointer: at the location, above it, below it, or by shifting the
 * items of an array. May report a change that does not happen; never misses one.
 */
export function mayChange(patch: Patch, pointer: string): boolean {
  return patch.some((operation) =>
    locationsOf(operation).some((location) => reaches(operation, location, pointer)),
  );
}

/** The locations that an operation names. */
export function locationsOf(operation: PatchOperation): readonly string[] {
  return operation.op === 'move' ? [operation.path, operation.from] : [operation.path];
}

/** True if an operation changes the indices of other items where it names an item of an array. */
export function mayShiftItems({ op }: PatchOperation): boolean {
  return op !== 'replace' && op !== 'test';
}

function reaches(operation: PatchOperation, location: string, pointer: string): boolean {
  return overlaps(location, pointer) || (mayShiftItems(operation) && shifts(location, pointer));
}

/** True if an item that is added or removed at `location` changes the index of the item that contains `pointer`. */
function shifts(location: string, pointer: string): boolean {
  const end = location.lastIndexOf('/');
  const list = location.slice(0, end);
  if (end < 0 || pointer === list || !isAtOrUnder(pointer, list)) return false;
  const [segment = ''] = pointer.slice(end + 1).split('/');
  const index = parseArrayIndex(segment);
  if (index === null) return false;
  const from = parseArrayIndex(location.slice(end + 1));
  return location.endsWith('/-') || (from !== null && from <= index);
}
