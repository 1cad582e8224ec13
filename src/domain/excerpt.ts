// Bounded excerpts of JSON and text, for prompts and messages that an agent reads.
import { escapeSequences, isJsonArray, isJsonObject, type JsonValue } from './json/json.js';
import { formatPointer } from './json/pointer.js';
import { isLongerThan } from './json/text-size.js';

const OUTLINE_ITEMS_MAX = 200;
const OUTLINE_NAME_CHARACTERS_MAX = 128;

/** The text; or its beginning and end with a note on how much is left out between them. */
export function boundedText(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text;
  const head = wholeCharacters(text, Math.ceil(charactersMax * 0.7));
  const tail = wholeCharacters(text, text.length - (charactersMax - Math.ceil(charactersMax * 0.7)));
  return `${text.slice(0, head)}\n[… ${String(tail - head)} characters left out …]\n${text.slice(tail)}`;
}

/** The index; or the one before it if the index would split a surrogate pair. */
function wholeCharacters(text: string, index: number): number {
  const code = text.charCodeAt(index);
  return index > 0 && code >= 0xdc00 && code <= 0xdfff ? index - 1 : index;
}

/** The value as JSON; or an outline of it if that is too long. */
export function boundedJson(value: JsonValue, charactersMax: number): string {
  return isLongerThan(value, charactersMax) ? outlineOf(value, charactersMax) : JSON.stringify(value);
}

/** The top level of a value: each member or item with its type and size, as many as fit. */
export function outlineOf(value: JsonValue, charactersMax: number): string {
  const names = isJsonArray(value)
    ? [...value.slice(0, OUTLINE_ITEMS_MAX).keys()].map(String)
    : isJsonObject(value)
      ? Object.keys(value)
      : [];
  if (names.length === 0) return boundedText(JSON.stringify(value), charactersMax);
  const count = isJsonArray(value) ? value.length : names.length;
  let outline = '';
  for (const [index, name] of names.entries()) {
    const member = isJsonArray(value) ? value[index] : isJsonObject(value) ? value[name] : undefined;
    const pointer = formatPointer([name.slice(0, OUTLINE_NAME_CHARACTERS_MAX)]);
    const text = `${visible(`- ${pointer}: ${describe(member ?? null)}`)}\n`;
    if (outline.length + text.length > charactersMax) return `${outline}${more(count - index)}`;
    outline += text;
  }
  return count > names.length ? `${outline}${more(count - names.length)}` : outline.trimEnd();
}

function more(count: number): string {
  return `- … ${String(count)} more`;
}

function describe(value: JsonValue): string {
  if (isJsonArray(value)) return `array of ${String(value.length)}`;
  if (isJsonObject(value)) return `object of ${String(Object.keys(value).length)} members`;
  if (typeof value === 'string') {
    return value.length <= 80 ? JSON.stringify(value) : `string of ${String(value.length)} characters`;
  }
  return String(value);
}

/** Characters that end a line, change its order, move a cursor, or cannot be seen. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** The text on one line, with these characters as escape sequences of JSON. */
export function visible(text: string): string {
  return text.replace(UNSEEN, escapeSequences);
}
