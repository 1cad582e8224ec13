// The initial knowledge of a location.
import type { Known } from './shape.js';

/** A location to which these subschemas apply. */
export function knownAs(...indices: readonly number[]): Known {
  return { indices: [...new Set(indices)], type: null, chosen: [] };
}
