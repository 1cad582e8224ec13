// Differences of members and items, as differences of what is around them.
import type { Difference } from './rule.js';
import type { Shape } from './shape.js';

/** They are as certain as it is that such a member or item can be there. */
export function beneath(around: Shape, differences: readonly Difference[]): readonly Difference[] {
  if (around.plain) return differences;
  return differences.map((one) => ({ ...one, certain: false }));
}
