// Shortens parts of schemas and documents for messages. Every result is bounded text or JSON.
import { isJsonArray, isJsonObject, jsonTypeOf, type JsonValue } from './json.js';
import { textSize } from './text-size.js';

/** Most bytes of JSON that a violation quotes, and most characters of a value within a sentence. */
export const EXPECTED_BYTES_MAX = 1024;
const EXCERPT_CHARACTERS_MAX = 60;

/** A text unchanged, any other value as JSON. */
export function plain(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A member name in quotes. */
export function name(value: JsonValue): string {
  return clip(JSON.stringify(value), 200);
}

/** A value for a message: complete if it is short, else its type or its beginning. */
export function excerpt(value: JsonValue): string {
  if (typeof value === 'object' && value !== null) {
    return textSize(value, EXCERPT_CHARACTERS_MAX) <= EXCERPT_CHARACTERS_MAX
      ? JSON.stringify(value)
      : `an ${jsonTypeOf(value)}`;
  }
  return clip(JSON.stringify(value), EXCERPT_CHARACTERS_MAX);
}

/** A text up to a length, with `…` if it was cut. */
export function clip(text: string, charactersMax: number): string {
  return text.length <= charactersMax ? text : `${text.slice(0, charactersMax)}…`;
}

/**
 * Limits the size of an expected value: long arrays to their beginning, objects to their first members, texts
 * to their beginning.
 */
export function bounded(value: JsonValue): JsonValue {
  if (textSize(value, EXPECTED_BYTES_MAX) <= EXPECTED_BYTES_MAX) return value;
  if (typeof value === 'string') return clip(value, EXCERPT_CHARACTERS_MAX);
  if (isJsonArray(value)) return firstOf(value);
  if (!isJsonObject(value)) return value;
  const share = Object.entries(value).slice(0, 4);
  return Object.fromEntries(share.map(([member, part]) => [member, isJsonArray(part) ? firstOf(part) : '…']));
}

function firstOf(items: readonly JsonValue[]): JsonValue {
  const shown: JsonValue[] = [];
  let bytes = 0;
  for (const item of items) {
    bytes += textSize(item, EXPECTED_BYTES_MAX);
    if (bytes > EXPECTED_BYTES_MAX) return [...shown, `… ${items.length - shown.length} more`];
    shown.push(item);
  }
  return shown;
}
