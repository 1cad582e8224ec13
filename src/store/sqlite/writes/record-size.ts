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
