// The maximum size of a document, and the warning that it is close.
import { fail, ok, type Result, type Violation } from '../errors.js';
import type { Limits } from '../limits.js';

type SizeLimits = Pick<Limits, 'stateBytesMax' | 'stateBytesWarnPercent'>;

const NOT_TOO_LARGE = ok(null);

/** The failure `limit_exceeded` if a document is larger than a state may be. */
export function checkStateSize(
  bytes: number,
  { stateBytesMax }: Pick<Limits, 'stateBytesMax'>,
): Result<null> {
  if (bytes <= stateBytesMax) return NOT_TOO_LARGE;
  return fail(
    'limit_exceeded',
    `The document would have ${String(bytes)} bytes; at most ${String(stateBytesMax)} are allowed.`,
    { limit: 'stateBytesMax', maximum: stateBytesMax, actual: bytes },
  );
}

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
