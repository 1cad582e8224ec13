// The compatibility modes of a schema name, and the comparisons that each requires. Does not know how schemas
// are compared.
import type { CompatibilityMode } from '../records/records.js';

export const COMPATIBILITY_MODES = [
  'none',
  'backward',
  'forward',
  'full',
  'backward_transitive',
  'forward_transitive',
  'full_transitive',
] as const satisfies readonly CompatibilityMode[];

/** Backward: the new version must accept at least what the old one accepts. Forward: the reverse. */
type Direction = 'backward' | 'forward';

/** The directions in which a mode compares. */
export function directionsOf(mode: CompatibilityMode): readonly Direction[] {
  if (mode === 'none') return [];
  if (mode.startsWith('full')) return ['backward', 'forward'];
  return mode.startsWith('backward') ? ['backward'] : ['forward'];
}

/** True if a mode compares with every version instead of only the newest. */
export function isTransitive(mode: CompatibilityMode): boolean {
  return mode.endsWith('_transitive');
}
