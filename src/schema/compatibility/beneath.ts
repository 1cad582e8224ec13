// Converts differences of members and items into differences of their container.
import type { Difference } from './rule.js';
import type { Shape } from './shape.js';

/** A difference stays certain only if such a member or item can certainly exist. */
export function beneath(around: Shape, differences: readonly Difference[]): readonly Difference[] {
  if (around.plain) return differences;
  return differences.map((one) => ({ ...one, certain: false }));
}
