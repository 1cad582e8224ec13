// Finds features that distinguish the items of an array without a key: a member with a different value in each item.
import { isJsonArray, ownMember, type JsonValue, isJsonContainer } from '../../domain/json/json.js';
import type { ValueNumbers } from './value-numbers.js';

type Items = readonly JsonValue[];

/**
 * Pairs items by a member that all items of both arrays have, with a different value in each item of an
 * array. If two such members contradict each other for an item, it is not paired.
 *
 * @returns Pairs of an index in `left` (base) and one in `open` (side).
 */
export function partnersByFeature(
  base: Items,
  side: Items,
  left: readonly number[],
  open: readonly number[],
  alike: ValueNumbers,
): ReadonlyMap<number, number> {
  const [first] = base;
  const pairs = new Map<number, number>();
  const claimed = new Map<number, number>();
  const doubtful = new Set<number>();
  if (!isJsonContainer(first)) return pairs;
  for (const name of Object.keys(first)) {
    const before = distinct(base, name, alike);
    const after = before === null ? null : distinct(side, name, alike);
    if (before === null || after === null) continue;
    const openNow = new Map(open.map((index) => [after[index], index]));
    for (const index of left) {
      const to = openNow.get(before[index]);
      if (to === undefined) continue;
      const [known, by] = [pairs.get(index) ?? to, claimed.get(to) ?? index];
      if (known !== to || by !== index) [index, by].forEach((one) => doubtful.add(one));
      pairs.set(index, known);
      claimed.set(to, by);
    }
  }
  for (const index of doubtful) pairs.delete(index);
  return pairs;
}

/**
 * The numbers of a member's values, one per item. `null` if an item lacks the member or has no string or
 * number there, or two items have the same value.
 */
function distinct(items: Items, name: string, alike: ValueNumbers): readonly number[] | null {
  const seen = new Set<number>();
  const numbers: number[] = [];
  for (const item of items) {
    const value = memberOf(item, name);
    if (typeof value !== 'string' && typeof value !== 'number') return null;
    const number = alike.numberOf(value);
    if (seen.has(number)) return null;
    seen.add(number);
    numbers.push(number);
  }
  return numbers;
}

function memberOf(item: JsonValue, name: string): JsonValue | undefined {
  if (isJsonArray(item)) return item[Number(name)];
  return ownMember(item, name);
}

/** The name and value of a member, or the number of the item itself. */
type Feature = string | number;

/** The features that only one of the items has. */
export function ownFeatures(items: Items, alike: ValueNumbers): ReadonlySet<Feature> {
  const once = new Set<Feature>();
  const more = new Set<Feature>();
  for (const item of items) {
    for (const feature of featuresOf(item, alike)) (once.has(feature) ? more : once).add(feature);
  }
  for (const feature of more) once.delete(feature);
  return once;
}

export function hasOwnFeature(item: JsonValue, own: ReadonlySet<Feature>, alike: ValueNumbers): boolean {
  return featuresOf(item, alike).some((feature) => own.has(feature));
}

/** Features that can only be true, false or null distinguish nothing. */
function featuresOf(item: JsonValue, alike: ValueNumbers): readonly Feature[] {
  if (!isJsonContainer(item)) return tells(item) ? [alike.numberOf(item)] : [];
  return Object.entries(item).flatMap(([name, value]) =>
    tells(value) ? [`${String(alike.numberOf(value))}:${name}`] : [],
  );
}

function tells(value: JsonValue): boolean {
  return typeof value !== 'boolean' && value !== null;
}
