// How much of a schema or a document a message may show. Everything here gives bounded text or JSON.
import { isJsonArray, isJsonObject, type JsonValue } from '../domain/json/json.js';
import { jsonTypeOf } from './document.js';
import { textSize } from './text-size.js';

/** Bytes of JSON that a violation may quote, and characters of a value within a sentence. */
export const EXPECTED_BYTES_MAX = 1024;
const EXCERPT_CHARACTERS_MAX = 60;

/** A text as it is, anything else as JSON. */
export function plain(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A member name in quotes. */
export function name(value: JsonValue): string {
  return clip(JSON.stringify(value), 200);
}

/** A value as a message may show it: whole where it is short, else its type or its beginning. */
export function excerpt(value: JsonValue): string {
  if (typeof value === 'object' && value !== null) {
    return textSize(value, EXCERPT_CHARACTERS_MAX) <= EXCERPT_CHARACTERS_MAX
      ? JSON.stringify(value)
      : `an ${jsonTypeOf(value)}`;
  }
  return clip(JSON.stringify(value), EXCERPT_CHARACTERS_MAX);
}

/** A text up to a length, with a mark where it was cut. */
export function clip(text: string, charactersMax: number): string {
  return text.length <= charactersMax ? text : `${text.slice(0, charactersMax)}…`;
}

/** Cuts what was expected down to a size: long lists to their beginning, anything else to its type. */
export function bounded(value: JsonValue): JsonValue {
  if (textSize(value, EXPECTED_BYTES_MAX) <= EXPECTED_BYTES_MAX) return value;
  if (typeof value === 'string') return clip(value, EXCERPT_CHARACTERS_MAX);
  if (isJsonArray(value)) return firstOf(value);
  if (!isJsonObject(value)) return value;
  const share = Object.entries(value).slice(0, 4);
  return Object.fromEntries(share.map(([member, part]) => [member, isJsonArray(part) ? firstOf(part) : '…']));
}

function firstOf(items: readonly JsonValue[]): JsonValue {
  const kept: JsonValue[] = [];
  let bytes = 0;
  for (const item of items) {
    bytes += textSize(item, EXPECTED_BYTES_MAX);
    if (bytes > EXPECTED_BYTES_MAX) return [...kept, `… ${items.length - kept.length} more`];
    kept.push(item);
  }
  return kept;
}
