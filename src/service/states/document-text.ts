// The JSON text of a document, made once. Documents are never changed in place, so the text belongs to the object, and
// what two versions of a document share is written only once.
import {
  isJsonArray,
  isJsonObject,
  quoted,
  type JsonObject,
  type JsonValue,
} from '../../domain/json/json.js';

/** A JSON text and its length in UTF-8. */
export interface Text {
  readonly text: string;
  readonly bytes: number;
}

type Container = JsonObject | readonly JsonValue[];

/** Below it, writing all of a document anew costs less than looking for what it shares; characters. */
const DERIVED_MIN = 4 * 1024;
/** From here on the text of a shared part is remembered; characters. */
const REMEMBERED_MIN = 1024;
/** Containers whose parts are shorter than that on average are written as a whole; characters. */
const PART_MIN = 256;

/** How many characters of small texts are held, beside as many that were held before them. */
const RECENT_CHARACTERS_MAX = 64 * 1024;

/** In small documents too; characters. */
const PIECE_MIN = 64;

/** A value of a small document with its text, and that of what it consists of where a change has passed through it. */
interface Piece extends Text {
  /** In an object; its text begins with it. */
  readonly name: string | null;
  readonly value: JsonValue;
  readonly pieces: readonly Piece[] | null;
}

/** Texts of large documents, and of their parts. */
const texts = new WeakMap<Container, Text>();

/**
 * Texts of small documents, for as long as they are being written and answered: the newest, and those before them. To
 * write one anew is cheaper than to let the collector look after many that nobody asks for again.
 */
let recent = new Map<JsonObject, Piece>();
let older = new Map<JsonObject, Piece>();
let recentCharacters = 0;

/** The document as JSON text. */
export function documentText(document: JsonObject): string {
  return sizedText(document).text;
}

/** The length of that text in UTF-8. */
export function documentBytes(document: JsonObject): number {
  return sizedText(document).bytes;
}

/** Remembers the text that a document was parsed from. */
export function rememberText(document: JsonObject, text: string): void {
  remember(document, { name: null, value: document, ...sized(text), pieces: null });
}

/** The text of a document that a change of another one has led to, made from the texts of what it left alone. */
export function derivedText(document: JsonObject, before: JsonObject): Text {
  const small = recent.get(before) ?? older.get(before);
  if (small !== undefined) {
    return recent.get(document) ?? texts.get(document) ?? remember(document, pieced(document, null, small));
  }
  const known = texts.get(before);
  if (known !== undefined && known.text.length >= DERIVED_MIN && !texts.has(document)) {
    texts.set(document, derived(document, before, known));
  }
  return sizedText(document);
}

/** The text and its length. */
export function sizedText(document: JsonObject): Text {
  return (
    recent.get(document) ??
    older.get(document) ??
    texts.get(document) ??
    remember(document, pieceOf(document))
  );
}

function remember(document: JsonObject, made: Piece): Text {
  if (made.text.length >= DERIVED_MIN) {
    texts.set(document, { text: made.text, bytes: made.bytes });
    return made;
  }
  if (recentCharacters > RECENT_CHARACTERS_MAX) {
    older = recent;
    recent = new Map();
    recentCharacters = 0;
  }
  recent.set(document, made);
  recentCharacters += made.text.length;
  return made;
}

function sized(text: string): Text {
  return { text, bytes: Buffer.byteLength(text) };
}

/** A text as the member of an object that has this name; `null` for an item of an array, or a document. */
function named(name: string | null, { text, bytes }: Text): Text {
  if (name === null) return { text, bytes };
  const label = sized(`${quoted(name)}:`);
  return { text: label.text + text, bytes: label.bytes + bytes };
}

/** The text of an array of items, or of an object of named members. */
function joined(of: Container, parts: readonly Text[]): Text {
  let text = '';
  let bytes = 1 + Math.max(1, parts.length);
  for (const part of parts) {
    text += text === '' ? part.text : `,${part.text}`;
    bytes += part.bytes;
  }
  return { text: isJsonArray(of) ? `[${text}]` : `{${text}}`, bytes };
}

function pieceOf(value: JsonValue, name: string | null = null): Piece {
  const own = typeof value === 'string' ? quoted(value) : JSON.stringify(value);
  const { text, bytes } = sized(name === null ? own : `${quoted(name)}:${own}`);
  return { name, value, text, bytes, pieces: null };
}

/**
 * What a change has passed through is put together from the texts of what it left where it was.
 *
 * @param before - What was there before.
 */
function pieced(value: JsonValue, name: string | null, before: Piece | undefined): Piece {
  if (before === undefined || !isContainer(value)) return pieceOf(value, name);
  const pieces = isJsonArray(value) ? itemsOf(value, before) : membersOf(value, before);
  if (pieces === null) return pieceOf(value, name);
  const same = before.name === name && isJsonArray(value) === isJsonArray(before.value);
  const { text, bytes } = (same ? replaced(before, pieces) : null) ?? named(name, joined(value, pieces));
  return { name, value, text, bytes, pieces };
}

/** The piece that was at this place, where it still says the same, or another. */
function pieceAt(value: JsonValue, name: string | null, before: Piece | undefined): Piece {
  return before?.value === value && before.name === name ? before : pieced(value, name, before);
}

/** `null` where they are so short that writing them is cheaper. */
function itemsOf(items: readonly JsonValue[], before: Piece): readonly Piece[] | null {
  if (items.length * PIECE_MIN > before.text.length) return null;
  return items.map((item, at) => pieceAt(item, null, before.pieces?.[at]));
}

function membersOf(members: JsonObject, before: Piece): readonly Piece[] | null {
  const names = Object.keys(members);
  if (names.length * PIECE_MIN > before.text.length) return null;
  return names.map((name, at) => pieceAt(members[name] ?? null, name, before.pieces?.[at]));
}

/** The text with these pieces in place of its own; `null` where it has another number of them. */
function replaced({ text: was, bytes: wasBytes, pieces: own }: Piece, pieces: readonly Piece[]): Text | null {
  if (own?.length !== pieces.length) return null;
  let text = '';
  let bytes = wasBytes;
  let from = was.length;
  // From the end, where there is a bracket; what comes before the first piece may be a name.
  let end = from - 1;
  for (let i = pieces.length - 1; i >= 0; i -= 1) {
    const old = own[i];
    const now = pieces[i];
    if (old === undefined || now === undefined) return null;
    const start = end - old.text.length;
    if (now !== old) {
      text = `${now.text}${was.slice(end, from)}${text}`;
      bytes += now.bytes - old.bytes;
      from = start;
    }
    end = start - 1;
  }
  return { text: was.slice(0, from) + text, bytes };
}

/**
 * What a change has passed through: part by part, or as a whole where its parts are short or it left none of them alone.
 *
 * @param known - The text of what was there before.
 */
function derived(value: Container, before: Container, known: Text): Text {
  const names = isJsonArray(value) ? null : Object.keys(value);
  const items = isJsonArray(value) ? value : Object.values(value);
  if (items.length * PART_MIN > known.text.length) return sized(JSON.stringify(value));
  const parts = items.map((item, index) => {
    const old = isJsonArray(before) ? before[index] : before[names?.[index] ?? ''];
    return { item, old, shared: isContainer(item) && (item === old || texts.has(item)) };
  });
  const within = parts.filter(({ item }) => isContainer(item));
  if (within.length > 1 && !within.some(({ shared }) => shared)) return sized(JSON.stringify(value));
  return joined(
    value,
    parts.map(({ item, old, shared }, at) => named(names?.[at] ?? null, partOf(item, old, shared))),
  );
}

function isContainer(value: JsonValue | undefined): value is Container {
  return isJsonArray(value) || isJsonObject(value);
}

function partOf(item: JsonValue, old: JsonValue | undefined, shared: boolean): Text {
  if (!isContainer(item)) return sized(JSON.stringify(item));
  const own = shared ? texts.get(item) : undefined;
  if (own !== undefined) return own;
  const before = !shared && isContainer(old) ? { of: old, text: texts.get(old) } : undefined;
  const made =
    before?.text === undefined ? sized(JSON.stringify(item)) : derived(item, before.of, before.text);
  if (made.text.length >= REMEMBERED_MIN) texts.set(item, made);
  return made;
}
