// A flag that takes a decimal number from 0 to 1.
import type { Flag } from '../../flag.js';
import { UsageError } from '../../usage-error.js';

/** @throws UsageError From `read`, for anything else. */
export function decimalFlag(spec: string, text: string): Flag<number | undefined> {
  return {
    spec,
    text,
    env: null,
    read: (raw, source) => {
      if (raw === undefined) return undefined;
      const value = typeof raw === 'string' && /^\d(\.\d+)?$/.test(raw) ? Number(raw) : NaN;
      if (value <= 1) return value;
      throw new UsageError(`${source} needs a number from 0 to 1, not '${String(raw)}'`);
    },
  };
}
