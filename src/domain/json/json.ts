// JSON values and their comparison. Knows nothing of schemas, patches or the wire.

export type JsonPrimitive = string | number | boolean | null;
export type JsonValue = JsonPrimitive | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [member: string]: JsonValue;
}

/** Text that needs no escapes in a JSON string. */
const PLAIN_TEXT = /^[ !#-[\]-~]*$/;

/** Returns the same as `JSON.stringify` of a text, at half the cost for ids and names, which need no escapes. */
export function quoted(text: string): string {
  return PLAIN_TEXT.test(text) ? `"${text}"` : JSON.stringify(text);
}

/** A text as escape sequences of JSON, one for each half of a surrogate pair. */
export function escapeSequences(text: string): string {
  return Array.from(
    { length: text.length },
    (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');
}

/** Member names that reach the prototype of a JavaScript object. No document, schema or pointer may use them. */
export function isForbiddenName(name: string): boolean {
  return name === '__proto__' || name === 'constructor' || name === 'prototype';
}

/** Tells a JSON object from arrays and primitives. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Tells a whole number, zero or more, that JSON represents exactly. */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** Tells a JSON array. Narrows correctly where `Array.isArray` loses the element type of a readonly array. */
export function isJsonArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** The JSON name of a value's type. */
export function jsonTypeOf(value: JsonValue): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** The own member of an object; `undefined` if it has none of this name, or if the value is not an object. */
export function ownMember(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** An object or an array. */
export type JsonContainer = JsonObject | readonly JsonValue[];

/** Tells objects and arrays from primitives. */
export function isJsonContainer(value: JsonValue | undefined): value is JsonContainer {
  return typeof value === 'object' && value !== null;
}

/** The value of a JSON text; `undefined` if the text is not JSON. */
export function parsedJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/**
 * Deep equality as RFC 6902, section 4.6, defines it: member order does not count, array order does. Subtrees
 * that both values share by reference are not walked.
 */
export function jsonEqual(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true;
  if (isJsonArray(a)) {
    return isJsonArray(b) && a.length === b.length && a.every((item, i) => jsonEqual(item, b[i]));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const keys = Object.keys(a);
  const hasSame = (key: string) => Object.hasOwn(b, key) && jsonEqual(a[key], b[key]);
  // Items of a list often differ in their first member, such as an id: then nothing has to be counted.
  const [first] = keys;
  if (first !== undefined && !hasSame(first)) return false;
  return keys.length === Object.keys(b).length && keys.every((key, at) => at === 0 || hasSame(key));
}
