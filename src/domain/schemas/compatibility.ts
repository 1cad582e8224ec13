// What a name promises of its versions, and which comparisons that asks for. Knows nothing of how schemas are compared.

/** `backward`: a new version accepts what the one before accepts. `forward`: the other way. Transitive: all versions. */
export const COMPATIBILITY_MODES = [
  'none',
  'backward',
  'forward',
  'full',
  'backward_transitive',
  'forward_transitive',
  'full_transitive',
] as const;

export type CompatibilityMode = (typeof COMPATIBILITY_MODES)[number];

/** Backward: the new one is to be the wider. Forward: the old one is. */
export type Direction = 'backward' | 'forward';

/** The directions in which a mode compares. */
export function directionsOf(mode: CompatibilityMode): readonly Direction[] {
  if (mode === 'none') return [];
  if (mode.startsWith('full')) return ['backward', 'forward'];
  return mode.startsWith('backward') ? ['backward'] : ['forward'];
}

/** True where a mode compares with every version, not with the newest alone. */
export function isTransitive(mode: CompatibilityMode): boolean {
  return mode.endsWith('_transitive');
}
