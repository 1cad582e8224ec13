// What is known of a place at its beginning.
import type { Known } from './shape.js';

/** A place of which certain subschemas speak, or none. */
export function knownAs(...indices: readonly number[]): Known {
  return { indices: [...new Set(indices)], type: null, chosen: [] };
}
