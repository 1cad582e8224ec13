// Three-way merge of JSON values: what two sides made of one base, in one document. Pure; knows no versions or writers.
import { isJsonArray, isJsonObject, jsonEqual, type JsonObject, type JsonValue } from '../../domain/json.js';
import { formatPointer } from '../../domain/pointer.js';
import { mergeKeyed } from './keyed.js';
import { mergeHunks, mergePlaces } from './positional.js';
import type { KeyOf, MergeConflict, Merged } from './types.js';

type Maybe = JsonValue | undefined;
type Items = readonly JsonValue[];

const NOTHING: JsonObject = {};

/**
 * Applies to `theirs` what `yours` changed since `base`.
 *
 * Objects are merged member by member, arrays with a key item by item, other arrays by position. What one side changed
 * is taken, and so is what both changed alike. Where both changed a place in different ways, one of them by deleting
 * it included, there is a conflict. No value is changed; what yours left alone is shared with `theirs`.
 *
 * @see docs/merging.md
 */
export function mergeDocuments(base: JsonValue, theirs: JsonValue, yours: JsonValue, keyOf: KeyOf): Merged {
  const merging = new Merging(keyOf);
  const document = merging.value(base, theirs, yours, '') ?? theirs;
  return { document, conflicts: merging.conflicts };
}

class Merging {
  readonly conflicts: MergeConflict[] = [];

  constructor(private readonly keyOf: KeyOf) {}

  readonly value = (base: Maybe, theirs: Maybe, yours: Maybe, at: string): Maybe => {
    if (theirs === yours || base === yours) return theirs;
    if (base === theirs) return yours;
    if (isJsonObject(theirs) && isJsonObject(yours)) {
      return this.#object(isJsonObject(base) ? base : NOTHING, theirs, yours, at);
    }
    if (isJsonArray(theirs) && isJsonArray(yours)) {
      return this.#array(isJsonArray(base) ? base : [], theirs, yours, at);
    }
    return this.#whole(base, theirs, yours, at);
  };

  /** Merges without looking inside: one of them has left the place alone, or it is a conflict. */
  readonly #whole = (base: Maybe, theirs: Maybe, yours: Maybe, at: string): Maybe => {
    if (jsonEqual(theirs, yours) || jsonEqual(base, yours)) return theirs;
    if (!jsonEqual(base, theirs)) this.#conflict(base, theirs, yours, at);
    return yours;
  };

  #object(base: JsonObject, theirs: JsonObject, yours: JsonObject, at: string): JsonObject {
    let merged: Record<string, JsonValue> | null = null;
    const names = new Set([...Object.keys(theirs), ...Object.keys(yours)]);
    for (const name of names) {
      const before = own(theirs, name);
      const mine = own(yours, name);
      if (mine === before) continue;
      const value = this.value(own(base, name), before, mine, at + formatPointer([name]));
      if (value === before) continue;
      merged ??= { ...theirs };
      if (value === undefined) Reflect.deleteProperty(merged, name);
      else merged[name] = value;
    }
    return merged ?? theirs;
  }

  #array(base: Items, theirs: Items, yours: Items, at: string): JsonValue {
    const key = this.keyOf(at);
    const keyed = key === null ? null : mergeKeyed({ base, theirs, yours }, key, at, this.value);
    if (keyed !== null) return keyed;
    return base.length === theirs.length && base.length === yours.length
      ? this.#places(base, theirs, yours, at)
      : this.#hunks(base, theirs, yours, at);
  }

  /**
   * By place; where that leaves conflicts, items may have moved, so by hunks. These are not looked into again: each
   * level of arrays within arrays would double the work.
   */
  #places(base: Items, theirs: Items, yours: Items, at: string): JsonValue {
    const known = this.conflicts.length;
    const places = mergePlaces(base, theirs, yours, at, this.value);
    if (this.conflicts.length === known) return places;
    const found = this.conflicts.splice(known);
    const hunks = mergeHunks(base, theirs, yours, at, this.#whole);
    if ('items' in hunks && this.conflicts.length === known) return hunks.items;
    this.conflicts.splice(known, Infinity, ...found);
    return places;
  }

  #hunks(base: Items, theirs: Items, yours: Items, at: string): JsonValue {
    const known = this.conflicts.length;
    const hunks = mergeHunks(base, theirs, yours, at, this.value);
    if ('items' in hunks) return hunks.items;
    this.conflicts.splice(known);
    this.#conflict(base, theirs, yours, at);
    return hunks.clash;
  }

  #conflict(base: Maybe, theirs: Maybe, yours: Maybe, pointer: string): void {
    this.conflicts.push({
      pointer,
      ...(base === undefined ? {} : { base }),
      ...(theirs === undefined ? {} : { theirs }),
      ...(yours === undefined ? {} : { yours }),
    });
  }
}

function own(object: JsonObject, name: string): Maybe {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
