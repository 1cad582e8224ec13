// Three-way merge of JSON values: combines the changes of two sides to one base. Pure; knows no versions or writers.
import {
  isJsonArray,
  isJsonObject,
  ownMember,
  type JsonObject,
  type JsonValue,
} from '../../domain/json/json.js';
import { DEFAULT_LIMITS, type Limits } from '../../domain/limits.js';
import { formatPointer } from '../../domain/json/pointer.js';
import { ValueNumbers } from './value-numbers.js';
import { mergeKeyed } from './keyed.js';
import { mergePositional } from './positional.js';
import type { ArraySides, KeyOf, MergeConflict, Merged } from './types.js';

type Maybe = JsonValue | undefined;
type Items = readonly JsonValue[];

type MergeLimits = Pick<Limits, 'mergeItemsMax'>;

const NOTHING: JsonObject = {};

/**
 * Applies the changes from `base` to `yours` to `theirs`.
 *
 * Objects are merged member by member, arrays with a key item by item, and other arrays as far as their items
 * can be matched. A change by one side is applied, and so is an equal change by both. If both changed a
 * location differently, or one deleted it and the other changed it, there is a conflict. The inputs are not
 * changed; the result shares with `theirs` what `yours` did not change.
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
  readonly #alike: ValueNumbers;

  constructor(
    private readonly keyOf: KeyOf,
    { mergeItemsMax }: MergeLimits,
  ) {
    this.#alike = new ValueNumbers(mergeItemsMax);
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

  /** Merges two values as a whole: one side must be unchanged, or it is a conflict. */
  readonly #whole = (base: Maybe, theirs: Maybe, yours: Maybe, at: string): Maybe => {
    if (this.#same(theirs, yours) || this.#same(base, yours)) return theirs;
    if (!this.#same(base, theirs)) this.#conflict(base, theirs, yours, at);
    return yours;
  };

  #object(base: JsonObject, theirs: JsonObject, yours: JsonObject, at: string): JsonObject {
    let merged: Record<string, JsonValue> | null = null;
    const names = new Set([...Object.keys(theirs), ...Object.keys(yours)]);
    for (const name of names) {
      const before = ownMember(theirs, name);
      const mine = ownMember(yours, name);
      if (mine === before) continue;
      const value = this.value(ownMember(base, name), before, mine, at + formatPointer([name]));
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

  /** A clash is reported as one conflict of the whole array: conflicts found inside may concern different items. */
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

/** `theirs` itself if the merge changed nothing. */
function shared(theirs: Items, items: Items): Items {
  return items.length === theirs.length && items.every((item, index) => item === theirs[index])
    ? theirs
    : items;
}
