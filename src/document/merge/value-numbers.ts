// Numbers values so that equal values have the same number, computed once per merge. Pure; merges nothing.
import { isJsonArray, type JsonValue, isJsonContainer, type JsonContainer } from '../../domain/json/json.js';

/**
 * Numbers values by their content, with the equality of `jsonEqual`. Each container is read once, so merging
 * nested arrays costs no more than reading them.
 */
export class ValueNumbers {
  readonly #numbers = new Map<JsonValue, number>();
  readonly #contents = new Map<string, number>();
  #next = 0;
  #itemsLeft: number;

  /** @param itemsMax - Most array items to match by content in one merge. */
  constructor(itemsMax: number) {
    this.#itemsLeft = itemsMax;
  }

  /** Counts items that are to be matched by content. @returns False if there are too many. */
  reserveItems(items: number): boolean {
    if (items > this.#itemsLeft) return false;
    this.#itemsLeft -= items;
    return true;
  }

  /** True if two values are equal. Numbers them only if necessary. */
  same(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
    if (a === b) return true;
    if (!isJsonContainer(a) || !isJsonContainer(b)) return false;
    return this.numberOf(a) === this.numberOf(b);
  }

  /** True if two arrays have equal items at all positions. */
  sameItems(a: readonly JsonValue[], b: readonly JsonValue[]): boolean {
    return a === b || (a.length === b.length && a.every((item, index) => this.same(item, b[index])));
  }

  numberOf(value: JsonValue): number {
    const known = this.#numbers.get(value);
    if (known !== undefined) return known;
    const number = isJsonContainer(value) ? this.#ofContent(this.#content(value)) : this.#fresh();
    this.#numbers.set(value, number);
    return number;
  }

  #ofContent(content: string): number {
    const known = this.#contents.get(content);
    if (known !== undefined) return known;
    const number = this.#fresh();
    this.#contents.set(content, number);
    return number;
  }

  #content(value: JsonContainer): string {
    if (isJsonArray(value)) return `[${value.map((item) => this.numberOf(item)).join()}]`;
    const members = Object.entries(value).map(
      ([name, item]) => `${JSON.stringify(name)}:${String(this.numberOf(item))}`,
    );
    return `{${members.sort().join()}}`;
  }

  #fresh(): number {
    this.#next += 1;
    return this.#next;
  }
}
