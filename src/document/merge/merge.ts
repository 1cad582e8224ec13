// Three-way merge of JSON values: what two sides made of one base, in one document. Pure; knows no versions or writers.
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import { DEFAULT_LIMITS, type Limits } from '../../domain/limits.js';
import { formatPointer } from '../../domain/json/pointer.js';
import { Alike } from './alike.js';
import { mergeKeyed } from './keyed.js';
import { mergePositional } from './positional.js';
import type { ArraySides, KeyOf, MergeConflict, Merged } from './types.js';

type Maybe = JsonValue | undefined;
type Items = readonly JsonValue[];

type MergeLimits = Pick<Limits, 'mergeItemsMax'>;

const NOTHING: JsonObject = {};

/**
 * Applies to `theirs` what `yours` changed since `base`.
 *
 * Objects are merged member by member, arrays with a key item by item, and so other
 * arrays as far as their items can be told apart. What one side changed
 * is taken, and so is what both changed alike. Where both changed a place in different ways, one of them by deleting
 * it included, there is a conflict. No value is changed; what yours left alone is shared with `theirs`.
 *
 * @see docs/merging.md
 */
export function mergeDocuments(
  base: JsonValue,
  theirs: JsonValue,
  yours: JsonValue,
  keyOf: KeyOf,
  limits: MergeLimits = DEFAULT_LIMITS,
): Merged {
  const merging = new Merging(keyOf, limits);
  const document = merging.value(base, theirs, yours, '') ?? theirs;
  return { document, conflicts: merging.conflicts };
}

class Merging {
  readonly conflicts: MergeConflict[] = [];
  readonly #alike: Alike;

  constructor(
    private readonly keyOf: KeyOf,
    { mergeItemsMax }: MergeLimits,
  ) {
    this.#alike = new Alike(mergeItemsMax);
  }

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
    if (this.#same(theirs, yours) || this.#same(base, yours)) return theirs;
    if (!this.#same(base, theirs)) this.#conflict(base, theirs, yours, at);
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
    if (this.#alike.sameItems(theirs, yours) || this.#alike.sameItems(base, yours)) return theirs;
    if (this.#alike.sameItems(base, theirs)) return yours;
    const key = this.keyOf(at);
    const sides = { base, theirs, yours };
    const keyed = key === null ? null : mergeKeyed(sides, key, at, this.value);
    return shared(theirs, keyed ?? this.#positional(sides, at));
  }

  /** A clash is one conflict of the array: what was found within it may not be of the same items. */
  #positional(sides: ArraySides, at: string): Items {
    const known = this.conflicts.length;
    const { items, clash } = mergePositional(sides, at, this.#alike, {
      inside: this.value,
      whole: this.#whole,
    });
    if (!clash) return items;
    this.conflicts.length = known;
    this.#conflict(sides.base, sides.theirs, sides.yours, at);
    return items;
  }

  #same(a: Maybe, b: Maybe): boolean {
    return this.#alike.same(a, b);
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

/** `theirs` itself where nothing came of the merge. */
function shared(theirs: Items, items: Items): Items {
  return items.length === theirs.length && items.every((item, index) => item === theirs[index])
    ? theirs
    : items;
}

function own(object: JsonObject, name: string): Maybe {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
