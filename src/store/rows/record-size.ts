// Estimates how much memory a record takes. An estimate is enough for the bound of a cache.

const VALUE_BYTES = 8;

/** The characters of all texts in a value, and a constant for each other value. */
export function sizeOf(value: unknown): number {
  if (typeof value === 'string') return VALUE_BYTES + value.length;
  if (typeof value !== 'object' || value === null) return VALUE_BYTES;
  let size = VALUE_BYTES;
  if (Array.isArray(value)) for (const item of value) size += sizeOf(item);
  else for (const name in value) size += VALUE_BYTES + sizeOf((value as Record<string, unknown>)[name]);
  return size;
}

/** The size of a cached record when it was last measured, and what it may have grown to since. */
export interface Measured {
  readonly measured: number;
  /** No less than its size: what was replaced since the measurement still counts. */
  readonly bytes: number;
}

/** A record is measured again when it may have grown to this many times its size. */
const GROWN_MAX = 2;

/**
 * The size of a record that replaces another one. Measuring a large record for each small change would take long.
 *
 * @param grownBytes - The size of what was written since.
 */
export function measured(record: object, before: Measured | undefined, grownBytes: number): Measured {
  const bytes = (before?.bytes ?? Infinity) + grownBytes;
  if (before !== undefined && bytes <= GROWN_MAX * before.measured)
    return { measured: before.measured, bytes };
  const size = sizeOf(record);
  return { measured: size, bytes: size };
}
