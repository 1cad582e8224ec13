// Which values are alike, found out once per merge: equal values get the same number. Pure; knows no arrays to merge.
import { isJsonArray, isJsonObject, type JsonValue } from '../../domain/json/json.js';

type Container = Extract<JsonValue, object>;

/**
 * Numbers values by their content, as `jsonEqual` compares it. Each container is looked through once, so that merging
 * arrays within arrays costs no more than reading them.
 */
export class Alike {
  readonly #numbers = new Map<JsonValue, number>();
  readonly #contents = new Map<string, number>();
  #next = 0;
  #itemsLeft: number;

  /** @param itemsMax - Items of arrays that may be told apart by what they are. */
  constructor(itemsMax: number) {
    this.#itemsLeft = itemsMax;
  }

  /** Takes account of items that are to be told apart. @returns False where they are too many. */
  mayTellApart(items: number): boolean {
    if (items > this.#itemsLeft) return false;
    this.#itemsLeft -= items;
    return true;
  }

  /** True where two values are equal; told without numbering where it is plain. */
  same(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
    if (a === b) return true;
    if (!isContainer(a) || !isContainer(b)) return false;
    return this.numberOf(a) === this.numberOf(b);
  }

  /** True where two arrays hold equal items at all places. */
  sameItems(a: readonly JsonValue[], b: readonly JsonValue[]): boolean {
    return a === b || (a.length === b.length && a.every((item, index) => this.same(item, b[index])));
  }

  numberOf(value: JsonValue): number {
    const known = this.#numbers.get(value);
    if (known !== undefined) return known;
    const number = isContainer(value) ? this.#ofContent(this.#content(value)) : this.#fresh();
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

  #content(value: Container): string {
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

export function isContainer(value: JsonValue | undefined): value is Container {
  return isJsonArray(value) || isJsonObject(value);
}
