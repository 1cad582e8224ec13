// Merges arrays whose items have no identity of their own. Items get one as far as it is certain which ones
// correspond.
import type { JsonValue } from '../../domain/json/json.js';
import { align, type Alignment, type Fate } from './alignment.js';
import type { ValueNumbers } from './value-numbers.js';
import { mergeIdentified, type Identified } from './identified.js';
import type { ArraySides, MergeValue } from './types.js';

type Items = readonly JsonValue[];

/** The ways to merge values: recursively (`inside`), or as a whole. */
interface Ways {
  readonly inside: MergeValue;
  readonly whole: MergeValue;
}

/** `clash`: the changes of the two sides cannot be separated with certainty. The items are then those of `yours`. */
interface PositionalMerge {
  readonly items: Items;
  readonly clash: boolean;
}

/**
 * Merges items of which both sides are certainly versions of the same one. If a side changed, removed or
 * moved an item and the other did not certainly leave it unchanged, the result is a conflict or a clash.
 */
export function mergePositional(
  sides: ArraySides,
  at: string,
  alike: ValueNumbers,
  ways: Ways,
): PositionalMerge {
  const { base, theirs, yours } = sides;
  const t = align(base, theirs, alike);
  const y = align(base, yours, alike);
  const quiet = quietEnds(sides, t, y);
  const [ofTheirs, ofYours] = identify(sides, t, y, quiet, alike);
  const agreed = alikeStretches(sides, t, y, alike);
  let clash = false;
  const items = mergeIdentified(
    { base: between(base, quiet, (index) => index), theirs: ofTheirs, yours: ofYours },
    { at, from: quiet.start },
    (id, before, one, other, pointer) => {
      const [did, does] = [t.fates[id], y.fates[id]];
      if (did === undefined || does === undefined) return one === undefined ? other : one;
      if (does === 'kept') return one;
      if (did === 'kept') return other;
      if (agreed.has(id) || (did === 'removed' && does === 'removed')) return one;
      if (did === 'changed' && does === 'changed') return ways.inside(before, one, other, pointer);
      clash ||= !isPlaced(did) || !isPlaced(does);
      return ways.whole(before, one, other, pointer);
    },
  );
  const { start, end } = quiet;
  return { items: theirs.slice(0, start).concat(items, theirs.slice(theirs.length - end)), clash };
}

/** Number of items at the start and at the end that both sides kept in place, so that nothing is merged there. */
interface Ends {
  readonly start: number;
  readonly end: number;
}

function quietEnds({ base, theirs, yours }: ArraySides, t: Alignment, y: Alignment): Ends {
  const isUnchangedAt = (index: number, ...targets: readonly [number, number]) =>
    t.fates[index] === 'kept' &&
    y.fates[index] === 'kept' &&
    t.to[index] === targets[0] &&
    y.to[index] === targets[1];
  let start = 0;
  while (isUnchangedAt(start, start, start)) start += 1;
  let end = 0;
  while (
    base.length - end > start &&
    isUnchangedAt(base.length - 1 - end, theirs.length - 1 - end, yours.length - 1 - end)
  )
    end += 1;
  return { start, end };
}

/** The items between the ends, by identity, in order. */
function between(
  items: Items,
  { start, end }: Ends,
  identityOf: (index: number, item: JsonValue) => number,
): Identified<number> {
  const found = new Map<number, JsonValue>();
  for (let index = start; index < items.length - end; index += 1) {
    const item = items[index];
    if (item !== undefined) found.set(identityOf(index, item), item);
  }
  return found;
}

/** Items of the base in ranges that both sides replaced equally. */
function alikeStretches(
  { theirs, yours }: ArraySides,
  t: Alignment,
  y: Alignment,
  alike: ValueNumbers,
): ReadonlySet<number> {
  const agreed = new Set<number>();
  const ofYours = new Map(y.loose.map((stretch) => [stretch.base[0], stretch]));
  for (const { base, side } of t.loose) {
    const other = ofYours.get(base[0]);
    if (other === undefined || !alike.sameItems(base, other.base)) continue;
    const items = side.map((index) => theirs[index] ?? null);
    const others = other.side.map((index) => yours[index] ?? null);
    if (alike.sameItems(items, others)) base.forEach((index) => agreed.add(index));
  }
  return agreed;
}

/** True if the side has an item at the position of the base's item. */
function isPlaced(fate: Fate): boolean {
  return fate === 'changed' || fate === 'replaced';
}

/**
 * Assigns identities. An item of the base has its index, new items have higher numbers. New items that both
 * sides inserted after the same item get the same identity as long as they are equal.
 */
function identify(
  { base, theirs, yours }: ArraySides,
  t: Alignment,
  y: Alignment,
  ends: Ends,
  alike: ValueNumbers,
): readonly [Identified<number>, Identified<number>] {
  let next = base.length;
  const fresh = () => {
    next += 1;
    return next - 1;
  };
  const added = new Map<number, { readonly id: number; readonly item: JsonValue }[]>();
  const ofTheirs = named(theirs, t, ends, (item, after, nth) => {
    const id = fresh();
    if (nth === 0) added.set(after, [{ id, item }]);
    else added.get(after)?.push({ id, item });
    return id;
  });
  const ofYours = named(yours, y, ends, (item, after, nth) => {
    const one = added.get(after)?.[nth];
    if (one !== undefined && alike.same(one.item, item)) return one.id;
    added.delete(after);
    return fresh();
  });
  return [ofTheirs, ofYours];
}

/** @param nameNew - Returns the identity of the nth new item after an item of the base (`-1` for none). */
function named(
  items: Items,
  { to }: Alignment,
  ends: Ends,
  nameNew: (item: JsonValue, after: number, nth: number) => number,
): Identified<number> {
  const known = new Map<number, number>();
  for (let index = ends.start; index < to.length - ends.end; index += 1) {
    const target = to[index] ?? -1;
    if (target >= 0) known.set(target, index);
  }
  let [after, nth] = [-1, 0];
  return between(items, ends, (at, item) => {
    const index = known.get(at);
    if (index === undefined) {
      nth += 1;
      return nameNew(item, after, nth - 1);
    }
    [after, nth] = [index, 0];
    return index;
  });
}
