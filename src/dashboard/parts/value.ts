// A JSON value, and the name of a member, in one short line. Pure.
import type { JsonValue } from '../../client/index.js';

const VALUE_MAX = 60;

/** Arrays and objects by their number of items. */
export function valueInShort(value: JsonValue): string {
  if (typeof value === 'object' && value !== null) {
    const count = String(Object.keys(value).length);
    return Array.isArray(value) ? `[${count}]` : `{${count}}`;
  }
  // A cut before it is written saves writing a text of a megabyte.
  const text = JSON.stringify(typeof value === 'string' ? value.slice(0, VALUE_MAX + 1) : value);
  return text.length > VALUE_MAX ? `${text.slice(0, VALUE_MAX)}…` : text;
}

/** The name of a member. One without anything to see, such as the empty name, is in quotation marks. */
export function nameInShort(name: string): string {
  return /\S/.test(name) ? name : JSON.stringify(name);
}
