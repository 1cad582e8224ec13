// Caches the JSON texts of documents. Documents are never changed in place, so a text stays valid for its object.
// After a change, the text of the new version reuses the texts of the parts that both versions share.
import type { ChangedLocations } from '../../domain/json/changed-locations.js';
import {
  isJsonArray,
  isJsonObject,
  quoted,
  ownMember,
  type JsonObject,
  type JsonValue,
  isJsonContainer,
  type JsonContainer,
} from '../../domain/json/json.js';
import { ValueCounter } from '../../document/index.js';
import type { JsonText } from '../../ports/host.js';

/** Below this length, serializing the whole document costs less than reusing shared parts. In characters. */
const DERIVED_MIN = 4 * 1024;
/** From this length on, the text of a shared part is cached. In characters. */
const REMEMBERED_MIN = 1024;
/** A container whose parts are shorter than this on average is serialized as a whole. In characters. */
const PART_MIN = 256;

/** Bound of each of the two generations of small texts. In characters. */
const RECENT_CHARACTERS_MAX = 64 * 1024;

/** The same as `PART_MIN`, for small documents. In characters. */
const PIECE_MIN = 64;

/**
 * A value within a small document and its text. If a change affected the value, also the pieces that it consists of.
 */
interface Piece extends JsonText {
  /** The member name, if the value is a member of an object. The text begins with it. */
  readonly name: string | null;
  readonly value: JsonValue;
  readonly pieces: readonly Piece[] | null;
}

/**
 * The texts and value counts of the documents of one service. A text of a large document lives as long as the
 * document, whose bound is that of `Documents` and of the requests in progress.
 */
export class DocumentTexts {
  readonly #values = new ValueCounter();
  /** Texts of large documents, and of their parts. */
  readonly #large = new WeakMap<JsonContainer, JsonText>();
  /**
   * Texts of small documents, in two generations: the newest, and those before. They are needed only while a document
   * is written and answered. Serializing one again is cheaper than garbage collection of many unused texts.
   */
  #recent = new Map<JsonObject, Piece>();
  #older = new Map<JsonObject, Piece>();
  #recentCharacters = 0;

  /** The document's JSON text and its length. */
  of(document: JsonObject): JsonText {
    return this.#cached(document) ?? this.#keep(document, pieceOf(document));
  }

  #cached(document: JsonObject): JsonText | undefined {
    return this.#recent.get(document) ?? this.#older.get(document) ?? this.#large.get(document);
  }

  /** The document as JSON text. */
  text(document: JsonObject): string {
    return this.of(document).text;
  }

  /** The length of the document's JSON text, in UTF-8 bytes. */
  bytes(document: JsonObject): number {
    return this.of(document).bytes;
  }

  /** The same if the text is cached; `undefined` says nothing. */
  cachedBytes(document: JsonObject): number | undefined {
    return this.#cached(document)?.bytes;
  }

  /** The number of values in a document or payload; Infinity if it is deeper than `depthMax`. */
  valueCount(value: JsonValue, depthMax: number): number {
    return this.#values.count(value, depthMax);
  }

  /** Caches the text that a document was parsed from. */
  note(document: JsonObject, text: string): void {
    this.#keep(document, { name: null, value: document, ...sized(text), pieces: null });
  }

  /**
   * The text of a changed document. It reuses the texts of the parts that are the same as in `before`.
   *
   * @param locations - Where the documents may differ, if the new one was made by changing a copy of the one before: then
   * both have their members in one order. `null` otherwise.
   */
  derived(document: JsonObject, before: JsonObject, locations: ChangedLocations | null): JsonText {
    const small = this.#recent.get(before) ?? this.#older.get(before);
    if (small !== undefined) {
      return (
        this.#recent.get(document) ??
        this.#large.get(document) ??
        this.#keep(document, pieced(document, null, small))
      );
    }
    const known = this.#large.get(before);
    if (known !== undefined && known.text.length >= DERIVED_MIN && !this.#large.has(document)) {
      this.#large.set(document, this.#derived(document, before, known, locations));
    }
    return this.of(document);
  }

  #keep(document: JsonObject, made: Piece): JsonText {
    if (made.text.length >= DERIVED_MIN) {
      this.#large.set(document, { text: made.text, bytes: made.bytes });
      return made;
    }
    if (this.#recentCharacters > RECENT_CHARACTERS_MAX) {
      this.#older = this.#recent;
      this.#recent = new Map();
      this.#recentCharacters = 0;
    }
    this.#recent.set(document, made);
    this.#recentCharacters += made.text.length;
    return made;
  }

  /**
   * Builds the text of a changed container part by part. Serializes it as a whole if its parts are short, or if the
   * change left none of them unchanged.
   *
   * @param known - The text of the container before the change.
   */
  #derived(
    value: JsonContainer,
    before: JsonContainer,
    known: JsonText,
    locations: ChangedLocations | null,
  ): JsonText {
    const longer = locations === null ? null : withNewMember(value, before, known, locations);
    if (longer !== null) return longer;
    const names = isJsonArray(value) ? null : Object.keys(value);
    const items = isJsonArray(value) ? value : Object.values(value);
    if (items.length * PART_MIN > known.text.length) return sized(JSON.stringify(value));
    const parts = items.map((item, index) => {
      const old = isJsonArray(before) ? before[index] : before[names?.[index] ?? ''];
      return { item, old, shared: isJsonContainer(item) && (item === old || this.#large.has(item)) };
    });
    const within = parts.filter(({ item }) => isJsonContainer(item));
    if (within.length > 1 && !within.some(({ shared }) => shared)) return sized(JSON.stringify(value));
    return joined(
      value,
      parts.map(({ item, old, shared }, at) => {
        const name = names?.[at] ?? null;
        // Within an array, the locations do not tell which item changes.
        const below = name === null ? null : (locations?.below.get(name) ?? null);
        return named(name, this.#partOf(item, old, shared, below));
      }),
    );
  }

  #partOf(
    item: JsonValue,
    old: JsonValue | undefined,
    shared: boolean,
    locations: ChangedLocations | null,
  ): JsonText {
    if (!isJsonContainer(item)) return sized(JSON.stringify(item));
    const own = shared ? this.#large.get(item) : undefined;
    if (own !== undefined) return own;
    const before = !shared && isJsonContainer(old) ? { of: old, text: this.#large.get(old) } : undefined;
    const made =
      before?.text === undefined
        ? sized(JSON.stringify(item))
        : this.#derived(item, before.of, before.text, locations);
    if (made.text.length >= REMEMBERED_MIN) this.#large.set(item, made);
    return made;
  }
}

/**
 * The text of an object that differs by one new member: that stands at the end. Without this, an object of many small
 * members, such as the results of many children, would be serialized as a whole for each new one.
 *
 * @returns `null` if the change is another one.
 */
function withNewMember(
  value: JsonContainer,
  before: JsonContainer,
  known: JsonText,
  locations: ChangedLocations,
): JsonText | null {
  const [name, ...others] = locations.below.keys();
  if (locations.isWhole || name === undefined || others.length > 0) return null;
  if (!isJsonObject(value) || !isJsonObject(before) || Object.hasOwn(before, name)) return null;
  const added = ownMember(value, name);
  // Names like indices stand in front of all others.
  if (added === undefined || /^\d+$/.test(name)) return null;
  // A text that was edited in the database may end otherwise.
  if (!known.text.endsWith('}')) return null;
  const member = named(name, sized(JSON.stringify(added)));
  const comma = NO_MEMBERS.test(known.text) ? '' : ',';
  return {
    text: `${known.text.slice(0, -1)}${comma}${member.text}}`,
    bytes: known.bytes + comma.length + member.bytes,
  };
}

/** Tests only the first characters: listing the names of a large object is slow. */
const NO_MEMBERS = /^\{\s*\}/;

function sized(text: string): JsonText {
  return { text, bytes: Buffer.byteLength(text) };
}

/** The text of a member with this name; `null` for an item of an array or for a document. */
function named(name: string | null, { text, bytes }: JsonText): JsonText {
  if (name === null) return { text, bytes };
  const label = sized(`${quoted(name)}:`);
  return { text: label.text + text, bytes: label.bytes + bytes };
}

/** The text of an array with these items, or of an object with these members. */
function joined(of: JsonContainer, parts: readonly JsonText[]): JsonText {
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
 * Builds a piece for a changed value. Reuses the pieces of parts that are unchanged at the same position.
 *
 * @param before - The piece at this position before the change.
 */
function pieced(value: JsonValue, name: string | null, before: Piece | undefined): Piece {
  if (before === undefined || !isJsonContainer(value)) return pieceOf(value, name);
  const pieces = isJsonArray(value) ? itemsOf(value, before) : membersOf(value, before);
  if (pieces === null) return pieceOf(value, name);
  const same = before.name === name && isJsonArray(value) === isJsonArray(before.value);
  const { text, bytes } = (same ? replaced(before, pieces) : null) ?? named(name, joined(value, pieces));
  return { name, value, text, bytes, pieces };
}

/** Returns the piece before the change if the value and the name are the same, else builds a new one. */
function pieceAt(value: JsonValue, name: string | null, before: Piece | undefined): Piece {
  return before?.value === value && before.name === name ? before : pieced(value, name, before);
}

/** Returns `null` if the items are so short that serializing the whole array is cheaper. */
function itemsOf(items: readonly JsonValue[], before: Piece): readonly Piece[] | null {
  if (items.length * PIECE_MIN > before.text.length) return null;
  return items.map((item, at) => pieceAt(item, null, before.pieces?.[at]));
}

function membersOf(members: JsonObject, before: Piece): readonly Piece[] | null {
  const names = Object.keys(members);
  if (names.length * PIECE_MIN > before.text.length) return null;
  return names.map((name, at) => pieceAt(members[name] ?? null, name, before.pieces?.[at]));
}

/** Replaces the pieces within a text. Returns `null` if the number of pieces differs. */
function replaced(
  { text: was, bytes: wasBytes, pieces: own }: Piece,
  pieces: readonly Piece[],
): JsonText | null {
  if (own?.length !== pieces.length) return null;
  let text = '';
  let bytes = wasBytes;
  let from = was.length;
  // Work backward from the closing bracket. At the front, a member name may come before the first piece.
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
