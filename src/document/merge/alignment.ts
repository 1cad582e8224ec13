// Finds out what one side of a merge did with each item of the base, in arrays without an item key. Compares
// the items' content. Pure; decides no conflicts.
import type { JsonValue } from '../../domain/json/json.js';
import type { ValueNumbers } from './value-numbers.js';
import { longestIncreasing } from './longest-increasing.js';
import { hasOwnFeature, ownFeatures, partnersByFeature } from './features.js';

type Items = readonly JsonValue[];

/**
 * What a side did with an item of the base.
 *
 * - `kept`: equal, and in the order of the base.
 * - `changed`: certainly the same item, with other content.
 * - `moved`: certainly the same item, in another order.
 * - `replaced`: another item is at its position, which may or may not be the same item.
 * - `loose`: in a range that was replaced by more or fewer items.
 * - `removed`: nothing replaced it.
 */
export type Fate = 'kept' | 'changed' | 'moved' | 'replaced' | 'loose' | 'removed';

export interface Alignment {
  /** By index in the base. */
  readonly fates: readonly Fate[];
  /** Index in the side, by index in the base; `-1` if there is none. */
  readonly to: readonly number[];
  readonly loose: readonly Stretch[];
}

/** Indices of a range's items in the base, and of the items in its place in the side. */
interface Stretch {
  readonly base: readonly number[];
  readonly side: readonly number[];
}

/**
 * Aligns a side with the base. Linear in the items, except for the search for those that kept their order.
 * Beyond `mergeItemsMax` items there is no such search.
 */
export function align(base: Items, side: Items, alike: ValueNumbers): Alignment {
  return new Aligning(base, side, alike).result();
}

class Aligning {
  readonly #fates: Fate[];
  readonly #to: number[];
  readonly #loose: Stretch[] = [];
  /**
   * True if there are too many items to match them by content. Then only equal items at the same position are
   * certain.
   */
  #blind = false;
  #own: ReturnType<typeof ownFeatures> | null = null;

  constructor(
    private readonly base: Items,
    private readonly side: Items,
    private readonly alike: ValueNumbers,
  ) {
    this.#fates = base.map(() => 'removed');
    this.#to = base.map(() => -1);
  }

  result(): Alignment {
    const whole = this.#trim(range(0, this.base.length), range(0, this.side.length));
    if (whole.base.length > 0 && whole.side.length > 0) {
      this.#blind = !this.alike.reserveItems(whole.base.length + whole.side.length);
      if (this.#blind) this.#pairRange(whole.base, whole.side);
      else this.#between(whole.base, whole.side);
    }
    return { fates: this.#fates, to: this.#to, loose: this.#loose };
  }

  /** Finds certain pairs, and pairs the ranges between those that kept their order. */
  #between(base: readonly number[], side: readonly number[]): void {
    const partners = this.#partners(base, side);
    const paired = [...partners.keys()].sort((a, b) => a - b);
    const inOrder = longestIncreasing(paired.map((index) => partners.get(index) ?? -1));
    const moved = new Set(paired);
    for (const at of inOrder) moved.delete(paired[at] ?? -1);
    const movedTo = new Set<number>();
    for (const index of moved) {
      const to = partners.get(index) ?? -1;
      this.#pair(index, to, 'moved');
      movedTo.add(to);
    }
    let [baseAt, sideAt] = [0, 0];
    const stretch = (baseEnd: number, sideEnd: number) => {
      const ofBase: number[] = [];
      for (; baseAt < base.length && (base[baseAt] ?? 0) < baseEnd; baseAt += 1) {
        if (!moved.has(base[baseAt] ?? -1)) ofBase.push(base[baseAt] ?? -1);
      }
      const ofSide: number[] = [];
      for (; sideAt < side.length && (side[sideAt] ?? 0) < sideEnd; sideAt += 1) {
        if (!movedTo.has(side[sideAt] ?? -1)) ofSide.push(side[sideAt] ?? -1);
      }
      this.#pairRange(ofBase, ofSide);
    };
    for (const at of inOrder) {
      const index = paired[at] ?? -1;
      const to = partners.get(index) ?? -1;
      stretch(index, to);
      this.#pair(index, to, this.alike.same(this.base[index], this.side[to]) ? 'kept' : 'changed');
      [baseAt, sideAt] = [baseAt + 1, sideAt + 1];
    }
    stretch(Infinity, Infinity);
  }

  /** Pairs equal items that occur once on each side, then items that share a distinguishing feature. */
  #partners(base: readonly number[], side: readonly number[]): ReadonlyMap<number, number> {
    const numbersOf = (items: Items, indices: readonly number[]) =>
      single(indices, (index) => this.alike.numberOf(items[index] ?? null));
    const indexOfNumber = numbersOf(this.side, side);
    const partners = new Map<number, number>();
    for (const [number, index] of numbersOf(this.base, base)) {
      const to = indexOfNumber.get(number);
      if (to !== undefined) partners.set(index, to);
    }
    const paired = new Set(partners.values());
    const unpaired = base.filter((index) => !partners.has(index));
    const open = side.filter((index) => !paired.has(index));
    if (unpaired.length === 0 || open.length === 0) return partners;
    for (const [index, to] of partnersByFeature(this.base, this.side, unpaired, open, this.alike)) {
      partners.set(index, to);
    }
    return partners;
  }

  /** Pairs what is in a range without certain pairs: equal items at its ends and positions, then the others. */
  #pairRange(left: readonly number[], right: readonly number[]): void {
    const { base, side } = this.#trim(left, right);
    if (base.length === 0 || side.length === 0) return;
    if (base.length !== side.length) {
      for (const [at, index] of base.entries()) this.#pair(index, side[at] ?? -1, 'loose');
      this.#loose.push({ base, side });
      return;
    }
    let run: [number, number][] = [];
    const close = () => {
      const fate = this.#blind || run.some(([index]) => this.#hasOwn(index)) ? 'replaced' : 'changed';
      for (const [index, to] of run) this.#pair(index, to, fate);
      run = [];
    };
    for (const [at, index] of base.entries()) {
      const to = side[at] ?? -1;
      if (this.alike.same(this.base[index], this.side[to])) {
        close();
        this.#pair(index, to, 'kept');
      } else run.push([index, to]);
    }
    close();
  }

  /** Pairs equal items at both ends. @returns The range between them. */
  #trim(base: readonly number[], side: readonly number[]): Stretch {
    const least = Math.min(base.length, side.length);
    const equal = (left: number | undefined, right: number | undefined) =>
      this.alike.same(this.base[left ?? -1], this.side[right ?? -1]);
    let start = 0;
    for (; start < least && equal(base[start], side[start]); start += 1) {
      this.#pair(base[start] ?? -1, side[start] ?? -1, 'kept');
    }
    let end = 0;
    for (; end < least - start && equal(base.at(-1 - end), side.at(-1 - end)); end += 1) {
      this.#pair(base.at(-1 - end) ?? -1, side.at(-1 - end) ?? -1, 'kept');
    }
    return { base: base.slice(start, base.length - end), side: side.slice(start, side.length - end) };
  }

  /** True if the item has a feature that no other item has. */
  #hasOwn(index: number): boolean {
    this.#own ??= ownFeatures(this.base, this.alike);
    return hasOwnFeature(this.base[index] ?? null, this.#own, this.alike);
  }

  #pair(index: number, to: number, fate: Fate): void {
    this.#fates[index] = fate;
    this.#to[index] = to;
  }
}

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from }, (_, at) => from + at);
}

/** Maps each value that occurs at only one index to that index. */
function single<V>(indices: readonly number[], valueOf: (index: number) => V): ReadonlyMap<V, number> {
  const found = new Map<V, number>();
  const twice = new Set<V>();
  for (const index of indices) {
    const value = valueOf(index);
    if (found.has(value)) twice.add(value);
    else found.set(value, index);
  }
  for (const value of twice) found.delete(value);
  return found;
}
