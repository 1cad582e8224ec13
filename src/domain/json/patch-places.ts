// Which places a patch may change. Knows operations and pointers only: where a document has arrays is not known here.
import type { Patch, PatchOperation } from './patch.js';
import { isAtOrUnder, overlaps, parseArrayIndex } from './pointer.js';

/**
 * True where the patch may change what stands at a pointer: at the place, around it, below it, or by moving the items
 * of an array along. Says so too often rather than too seldom.
 */
export function mayChange(patch: Patch, pointer: string): boolean {
  return patch.some((operation) => placesOf(operation).some((place) => reaches(operation, place, pointer)));
}

function placesOf(operation: PatchOperation): readonly string[] {
  return operation.op === 'move' ? [operation.path, operation.from] : [operation.path];
}

function reaches({ op }: PatchOperation, place: string, pointer: string): boolean {
  if (overlaps(place, pointer)) return true;
  return op !== 'replace' && op !== 'test' && shifts(place, pointer);
}

/** True where an item that comes or goes at `place` gives another index to the one that `pointer` lies in. */
function shifts(place: string, pointer: string): boolean {
  const end = place.lastIndexOf('/');
  const list = place.slice(0, end);
  if (end < 0 || pointer === list || !isAtOrUnder(pointer, list)) return false;
  const [segment = ''] = pointer.slice(end + 1).split('/');
  const index = parseArrayIndex(segment);
  if (index === null) return false;
  const from = parseArrayIndex(place.slice(end + 1));
  return place.endsWith('/-') || (from !== null && from <= index);
}
