// Bounded views of JSON and text for prompts and messages that an agent reads.
import { isJsonArray, isJsonObject, type JsonValue } from './json.js';

/** The text, or its beginning and its end with a note of what is missing between them. */
export function boundedText(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text;
  const head = Math.ceil(charactersMax * 0.7);
  const tail = charactersMax - head;
  const left = text.length - head - tail;
  return `${text.slice(0, head)}\n[… ${String(left)} characters left out …]\n${text.slice(text.length - tail)}`;
}

/** The value as JSON, or an outline of it where that is too long. */
export function boundedJson(value: JsonValue, charactersMax: number): string {
  const text = JSON.stringify(value);
  return text.length <= charactersMax ? text : outlineOf(value, charactersMax);
}

/** The top level of a value: each member or item with its type and size, as many as fit. */
export function outlineOf(value: JsonValue, charactersMax: number): string {
  const entries: [string, JsonValue][] = isJsonArray(value)
    ? value.slice(0, 200).map((item, index) => [String(index), item])
    : isJsonObject(value)
      ? Object.entries(value)
      : [];
  if (entries.length === 0) return boundedText(JSON.stringify(value), charactersMax);
  let outline = '';
  for (const [index, [name, member]] of entries.entries()) {
    const line = `- /${name.slice(0, 128)}: ${describe(member)}\n`;
    if (outline.length + line.length > charactersMax) {
      return `${outline}- … ${String(entries.length - index)} more`;
    }
    outline += line;
  }
  return outline.trimEnd();
}

function describe(value: JsonValue): string {
  if (isJsonArray(value)) return `array of ${String(value.length)}`;
  if (isJsonObject(value)) return `object of ${String(Object.keys(value).length)} members`;
  if (typeof value === 'string') {
    return value.length <= 80 ? JSON.stringify(value) : `string of ${String(value.length)} characters`;
  }
  return String(value);
}

/** Text that cannot close the element it stands in. */
export function fenced(text: string, element: string): string {
  return text.replaceAll(`</${element}`, `<\\/${element}`);
}

/** A value for an attribute, in quotes. */
export function quoteAttribute(value: string): string {
  return `"${value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')}"`;
}
