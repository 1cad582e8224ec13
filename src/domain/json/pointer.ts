// JSON Pointer (RFC 6901): parsing, formatting, prefix tests and look-up. Pure text and tree walking.
import { isJsonArray, ownMember, type JsonValue } from './json.js';

/**
 * Splits a pointer into its unescaped segments. `''` is the whole document.
 *
 * @returns The segments, or `null` if the text is no JSON Pointer (RFC 6901, section 3).
 */
export function parsePointer(pointer: string): string[] | null {
  if (pointer === '') return [];
  if (!pointer.startsWith('/')) return null;
  const segments: string[] = [];
  let from = 1;
  for (let to = pointer.indexOf('/', from); to >= 0; to = pointer.indexOf('/', from)) {
    segments.push(pointer.slice(from, to));
    from = to + 1;
  }
  segments.push(pointer.slice(from));
  if (!pointer.includes('~')) return segments;
  if (/~(?![01])/.test(pointer)) return null;
  return segments.map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Formats segments as a pointer; escapes `~` and `/`. */
export function formatPointer(segments: readonly (string | number)[]): string {
  let pointer = '';
  for (const segment of segments) pointer += `/${escaped(String(segment))}`;
  return pointer;
}

function escaped(segment: string): string {
  if (!segment.includes('~') && !segment.includes('/')) return segment;
  return segment.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** A location in a sentence. */
export function locationText(pointer: string): string {
  return pointer === '' ? 'the whole document' : pointer;
}

/** True if `pointer` equals `prefix` or lies under it. `''` covers everything. */
export function isAtOrUnder(pointer: string, prefix: string): boolean {
  return pointer.startsWith(prefix) && (pointer.length === prefix.length || pointer[prefix.length] === '/');
}

/** True if one of the two locations contains the other. */
export function overlaps(a: string, b: string): boolean {
  return isAtOrUnder(a, b) || isAtOrUnder(b, a);
}

const ZERO = '0'.charCodeAt(0);

/** Parses an array index as RFC 6901, section 4, allows it: no sign, no leading zeros. `null` for any other text. */
export function parseArrayIndex(segment: string): number | null {
  if (segment.length === 1) return segment >= '0' && segment <= '9' ? segment.charCodeAt(0) - ZERO : null;
  return /^[1-9][0-9]{1,15}$/.test(segment) ? Number(segment) : null;
}

/**
 * Reads the value at a pointer.
 *
 * @returns The value, or `undefined` if there is none (a missing member, an index past the end, a malformed pointer).
 */
export function valueAt(document: JsonValue, pointer: string): JsonValue | undefined {
  const segments = parsePointer(pointer);
  if (segments === null) return undefined;
  let value: JsonValue | undefined = document;
  for (const segment of segments) {
    value = childOf(value, segment);
    if (value === undefined) return undefined;
  }
  return value;
}

/** The member or item that a segment names; `undefined` if there is none. */
export function childOf(value: JsonValue, segment: string): JsonValue | undefined {
  if (!isJsonArray(value)) return ownMember(value, segment);
  const index = parseArrayIndex(segment);
  return index === null ? undefined : value[index];
}
