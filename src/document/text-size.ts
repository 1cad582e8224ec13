// Computes the size of a value as JSON text without writing the text. Iterative, and can stop early.
import { isJsonArray, type JsonValue } from '../domain/json/json.js';

function scalarBytes(value: string | number | boolean | null): number {
  return typeof value === 'string' ? Buffer.byteLength(JSON.stringify(value)) : String(value).length;
}

/** A character written as `\u0000`. */
const ESCAPED_BYTES_MAX = 6;
/** Length of `-1.2345678901234567e-308`, and more than `false`. */
const NUMBER_BYTES_MAX = 25;

/** An upper bound of the size that does not read strings; exact for objects and arrays. */
export function textSizeMax(value: JsonValue): number {
  if (typeof value === 'string') return 2 + ESCAPED_BYTES_MAX * value.length;
  return typeof value === 'object' && value !== null ? textSize(value) : NUMBER_BYTES_MAX;
}

/**
 * The number of UTF-8 bytes of `JSON.stringify(value)`.
 *
 * @param bytesMax - The walk stops once this is exceeded; the result is then any number above it.
 */
export function textSize(value: JsonValue, bytesMax = Infinity): number {
  let bytes = 0;
  const stack: JsonValue[] = [value];
  for (let here = stack.pop(); here !== undefined && bytes <= bytesMax; here = stack.pop()) {
    if (typeof here !== 'object' || here === null) {
      bytes += scalarBytes(here);
    } else if (isJsonArray(here)) {
      bytes += 2 + Math.max(0, here.length - 1);
      for (const item of here) stack.push(item);
    } else {
      const names = Object.keys(here);
      bytes += 2 + Math.max(0, names.length - 1);
      for (const name of names) {
        bytes += scalarBytes(name) + 1;
        const item = here[name];
        if (item !== undefined) stack.push(item);
      }
    }
  }
  return bytes;
}
