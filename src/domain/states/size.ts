// The warning that a document is close to its maximum size.
import type { Violation } from '../errors.js';
import type { Limits } from '../limits.js';

type SizeLimits = Pick<Limits, 'stateBytesMax' | 'stateBytesWarnPercent'>;

/** True from `stateBytesWarnPercent` of the maximum size on. */
export function isNearLimit(bytes: number, { stateBytesMax, stateBytesWarnPercent }: SizeLimits): boolean {
  return bytes * 100 >= stateBytesMax * stateBytesWarnPercent;
}

/** The name of the limit, as `keyword` of the warning. */
export const SIZE_WARNING = 'stateBytesMax';

/** The warnings for the reply to a write; none below the threshold. */
export function sizeWarnings(bytes: number, limits: SizeLimits): readonly Violation[] {
  if (!isNearLimit(bytes, limits)) return NONE;
  const { stateBytesMax: maximum } = limits;
  const message = `the document has ${String(bytes)} of at most ${String(maximum)} bytes; a write that needs more is refused`;
  return [{ pointer: '', keyword: SIZE_WARNING, message, expected: { maximum, actual: bytes } }];
}

const NONE: readonly Violation[] = [];
