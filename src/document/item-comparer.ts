// Finds equal items of arrays, as JSON values. The time is linear in the document, however deep its arrays are nested.
import {
  isJsonArray,
  isJsonContainer,
  isJsonObject,
  ownMember,
  quoted,
  type JsonValue,
} from '../domain/json/json.js';

/** How many members of an item are tried as what tells the items apart. */
const TRIED_MEMBERS = 3;

/** Compares the items of arrays. Between `begin` and `end`, each part of a document is read once. */
export class ItemComparer {
  /** A number for each object and array. The key is its text, with numbers in place of nested objects and arrays. */
  readonly #numbers = new Map<string, number>();
  readonly #known = new Map<object, number>();
  #isOpen = false;

  /** Starts a run. The compared documents must not change until `end`. */
  begin(): void {
    this.#isOpen = true;
  }

  end(): void {
    this.#isOpen = false;
    if (this.#numbers.size === 0) return;
    this.#numbers.clear();
    this.#known.clear();
  }

  /**
   * @param items - Their depth must be checked: the walk is recursive.
   * @returns The positions of the first two items that are equal; `null` if all differ.
   */
  equalItems(items: readonly JsonValue[]): readonly [number, number] | null {
    const found = differInOneMember(items) ? null : this.#equalItems(items);
    if (!this.#isOpen) this.end();
    return found;
  }

  #equalItems(items: readonly JsonValue[]): readonly [number, number] | null {
    const scalars = new Map<JsonValue, number>();
    const others = new Map<number, number>();
    for (const [index, item] of items.entries()) {
      const isScalar = typeof item !== 'object' || item === null;
      const number = isScalar ? 0 : this.#numberOf(item);
      const before = isScalar ? scalars.get(item) : others.get(number);
      if (before !== undefined) return [before, index];
      if (isScalar) scalars.set(item, index);
      else others.set(number, index);
    }
    return null;
  }

  /** Equal values, and only these, have the same number. */
  #numberOf(value: JsonValue & object): number {
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    const text = isJsonArray(value)
      ? `[${value.map((item) => this.#textOf(item)).join()}]`
      : Object.keys(value)
          .sort()
          .map((name) => `${quoted(name)}:${this.#textOf(value[name] ?? null)}`)
          .join();
    const number = this.#numbers.get(text) ?? this.#numbers.size;
    this.#numbers.set(text, number);
    this.#known.set(value, number);
    return number;
  }

  #textOf(value: JsonValue): string {
    if (typeof value === 'string') return quoted(value);
    return typeof value === 'object' && value !== null ? `#${String(this.#numberOf(value))}` : String(value);
  }
}

/** True if all items are objects of which each has another scalar in one member, such as an id. Reads no more of them. */
function differInOneMember(items: readonly JsonValue[]): boolean {
  const [first] = items;
  if (!isJsonObject(first)) return false;
  return Object.keys(first)
    .slice(0, TRIED_MEMBERS)
    .some((name) => {
      const seen = new Set<JsonValue>();
      return items.every((item) => {
        const value = ownMember(item, name);
        if (value === undefined || isJsonContainer(value) || seen.has(value)) return false;
        seen.add(value);
        return true;
      });
    });
}
