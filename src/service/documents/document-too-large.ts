// The failure for a document that is larger than a state may be.
import { fail } from '../../domain/errors.js';
import type { Limits } from '../../domain/limits.js';

export function documentTooLarge(bytes: number, { stateBytesMax }: Limits) {
  return fail(
    'limit_exceeded',
    `The document would have ${String(bytes)} bytes; at most ${String(stateBytesMax)} are allowed.`,
    { limit: 'stateBytesMax', maximum: stateBytesMax, actual: bytes },
  );
}
