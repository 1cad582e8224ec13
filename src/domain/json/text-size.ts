// Computes the size of a value as JSON text without writing the text. Iterative, and can stop early.
import { isJsonArray, quoted, type JsonValue } from './json.js';

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
  return sizeOf(value, bytesMax, (text) => Buffer.byteLength(quoted(text)));
}

/** True if the JSON text of the value is longer. The walk ends where that is certain, so a large value costs no more. */
export function isLongerThan(value: JsonValue, charactersMax: number): boolean {
  return sizeOf(value, charactersMax, (text) => quoted(text).length) > charactersMax;
}

function sizeOf(value: JsonValue, sizeMax: number, stringSize: (text: string) => number): number {
  let size = 0;
  const stack: JsonValue[] = [value];
  for (let current = stack.pop(); current !== undefined && size <= sizeMax; current = stack.pop()) {
    if (typeof current === 'string') {
      size += current.length > sizeMax ? current.length : stringSize(current);
    } else if (typeof current !== 'object' || current === null) {
      size += String(current).length;
    } else if (isJsonArray(current)) {
      size += 2 + Math.max(0, current.length - 1);
      // Each item has at least one character.
      if (size + current.length > sizeMax) return size + current.length;
      for (const item of current) stack.push(item);
    } else {
      const names = Object.keys(current);
      size += 2 + Math.max(0, names.length - 1);
      // Each member has at least a name in quotes, a colon and one character.
      if (size + 4 * names.length > sizeMax) return size + 4 * names.length;
      for (const name of names) {
        size += stringSize(name) + 1;
        const item = current[name];
        if (item !== undefined) stack.push(item);
      }
    }
  }
  return size;
}
