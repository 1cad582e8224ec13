// The JSON text of a document, made once. Documents are never changed in place, so the text belongs to the object, and
// what two versions of a document share is written only once.
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../domain/json.js';

/** A JSON text and its length in UTF-8. */
interface Text {
  readonly text: string;
  readonly bytes: number;
}

type Container = JsonObject | readonly JsonValue[];

/** Below it, writing all of a document anew costs less than looking for what it shares; characters. */
const DERIVED_MIN = 16 * 1024;
/** From here on the text of a shared part is remembered; characters. */
const REMEMBERED_MIN = 1024;
/** Wider containers are written as a whole. */
const WIDTH_MAX = 1024;

const texts = new WeakMap<Container, Text>();

/** The document as JSON text. */
export function documentText(document: JsonObject): string {
  return textOf(document).text;
}

/** The length of that text in UTF-8. */
export function documentBytes(document: JsonObject): number {
  return textOf(document).bytes;
}

/** Remembers the text that a document was parsed from. */
export function rememberText(document: JsonObject, text: string): void {
  texts.set(document, sized(text));
}

/** Makes the text of a document that a change of another one has led to, from the texts of what it left alone. */
export function deriveText(document: JsonObject, before: JsonObject): void {
  const known = texts.get(before);
  if (known === undefined || known.text.length < DERIVED_MIN || texts.has(document)) return;
  texts.set(document, derived(document, before));
}

function textOf(document: JsonObject): Text {
  let known = texts.get(document);
  if (known === undefined) {
    known = sized(JSON.stringify(document));
    texts.set(document, known);
  }
  return known;
}

function sized(text: string): Text {
  return { text, bytes: Buffer.byteLength(text) };
}

/** What a change has passed through: part by part, or as a whole where it left none of the parts alone. */
function derived(value: Container, before: Container): Text {
  const names = isJsonArray(value) ? null : Object.keys(value);
  const items = isJsonArray(value) ? value : Object.values(value);
  if (items.length > WIDTH_MAX) return sized(JSON.stringify(value));
  const parts = items.map((item, index) => {
    const old = isJsonArray(before) ? before[index] : before[names?.[index] ?? ''];
    return { item, old, shared: isContainer(item) && (item === old || texts.has(item)) };
  });
  const within = parts.filter(({ item }) => isContainer(item));
  if (within.length > 1 && !within.some(({ shared }) => shared)) return sized(JSON.stringify(value));
  let [text, bytes] = ['', 1 + Math.max(1, parts.length)];
  for (const [index, { item, old, shared }] of parts.entries()) {
    const name = names === null ? NO_NAME : sized(`${JSON.stringify(names[index])}:`);
    const part = partOf(item, old, shared);
    text += `${index === 0 ? '' : ','}${name.text}${part.text}`;
    bytes += name.bytes + part.bytes;
  }
  return { text: names === null ? `[${text}]` : `{${text}}`, bytes };
}

const NO_NAME: Text = { text: '', bytes: 0 };

function isContainer(value: JsonValue | undefined): value is Container {
  return isJsonArray(value) || isJsonObject(value);
}

function partOf(item: JsonValue, old: JsonValue | undefined, shared: boolean): Text {
  if (!isContainer(item)) return sized(JSON.stringify(item));
  if (!shared) return isContainer(old) ? derived(item, old) : sized(JSON.stringify(item));
  const known = texts.get(item);
  if (known !== undefined) return known;
  const made = sized(JSON.stringify(item));
  if (made.text.length >= REMEMBERED_MIN) texts.set(item, made);
  return made;
}
