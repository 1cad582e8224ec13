// Merging arrays whose items have no identity: by their places, and by hunks where places have moved.
import { jsonEqual, type JsonValue } from '../../domain/json.js';
import { hunksOf, type Hunk } from './hunks.js';
import type { MergeValue } from './types.js';

type Items = readonly JsonValue[];

/** What the hunks came to, or that both sides changed the same stretch in ways that do not fit together. */
export type HunksMerged = { readonly items: Items } | { readonly clash: Items };

/** Items at the same place are the same item. The three must be of one length, so that no place has moved. */
export function mergePlaces(base: Items, theirs: Items, yours: Items, at: string, merge: MergeValue): Items {
  let merged: JsonValue[] | null = null;
  for (const [index, item] of theirs.entries()) {
    const value = merge(base[index], item, yours[index], `${at}/${String(index)}`);
    if (value === item || value === undefined) continue;
    merged ??= [...theirs];
    merged[index] = value;
  }
  return merged ?? theirs;
}

/** Hunks that meet, with the stretch of the base that they cover. */
interface Group {
  readonly from: number;
  readonly to: number;
  readonly theirs: readonly Hunk[];
  readonly yours: readonly Hunk[];
}

/**
 * Puts the hunks of both sides one beside the other. Where both insert at one place, theirs come first, and what
 * both begin with stands once.
 *
 * @returns The items; or, as `clash`, what they are where yours wins each stretch that does not fit.
 */
export function mergeHunks(
  base: Items,
  theirs: Items,
  yours: Items,
  at: string,
  merge: MergeValue,
): HunksMerged {
  const items: JsonValue[] = [];
  let clash = false;
  let done = 0;
  let shift = 0;
  for (const group of groupsOf(hunksOf(base, theirs), hunksOf(base, yours))) {
    items.push(...base.slice(done, group.from));
    const sides = {
      base: base.slice(group.from, group.to),
      theirs: applied(base, group, group.theirs),
      yours: applied(base, group, group.yours),
    };
    const fitted = fit(group, sides, base.length, { at, index: group.from + shift, merge });
    clash ||= fitted === null;
    items.push(...(fitted ?? sides.yours));
    done = group.to;
    shift += sides.theirs.length - sides.base.length;
  }
  items.push(...base.slice(done));
  return clash ? { clash: items } : { items };
}

/** One stretch as each of the three has it. */
interface Sides {
  readonly base: Items;
  readonly theirs: Items;
  readonly yours: Items;
}

interface Place {
  readonly at: string;
  /** Index of the stretch in the array of theirs. */
  readonly index: number;
  readonly merge: MergeValue;
}

function fit(group: Group, { base, theirs, yours }: Sides, length: number, place: Place): Items | null {
  if (group.yours.length === 0) return theirs;
  if (group.theirs.length === 0 || jsonEqual(theirs, yours)) return yours;
  const same = theirs.length === base.length && yours.length === base.length;
  const grown = theirs.length >= base.length && yours.length >= base.length;
  // Items may have been added after the changed ones only where the array ends there, or nothing was changed.
  if (!same && !(grown && (group.to === length || base.length === 0))) return null;
  const changed = base.map((item, offset) => {
    const pointer = `${place.at}/${String(place.index + offset)}`;
    return place.merge(item, theirs[offset], yours[offset], pointer) ?? item;
  });
  return [...changed, ...both(theirs.slice(base.length), yours.slice(base.length))];
}

/** What both have added at one place. */
function both(theirs: Items, yours: Items): Items {
  let shared = 0;
  while (shared < theirs.length && shared < yours.length && jsonEqual(theirs[shared], yours[shared]))
    shared += 1;
  return [...theirs, ...yours.slice(shared)];
}

function applied(base: Items, { from, to }: Group, hunks: readonly Hunk[]): Items {
  const items: JsonValue[] = [];
  let done = from;
  for (const hunk of hunks) {
    items.push(...base.slice(done, hunk.from), ...hunk.items);
    done = hunk.to;
  }
  items.push(...base.slice(done, to));
  return items;
}

/** Groups of hunks that meet, first to last; a hunk that meets none of the other side is a group of its own. */
function groupsOf(theirs: readonly Hunk[], yours: readonly Hunk[]): readonly Group[] {
  const marked = [
    ...theirs.map((hunk) => ({ hunk, mine: false })),
    ...yours.map((hunk) => ({ hunk, mine: true })),
  ].sort((a, b) => a.hunk.from - b.hunk.from || a.hunk.to - b.hunk.to);
  const groups: (typeof marked)[] = [];
  for (const one of marked) {
    const last = groups.at(-1);
    if (last?.some((other) => other.mine !== one.mine && meet(other.hunk, one.hunk)) === true) last.push(one);
    else groups.push([one]);
  }
  return groups.map((group) => ({
    from: Math.min(...group.map(({ hunk }) => hunk.from)),
    to: Math.max(...group.map(({ hunk }) => hunk.to)),
    theirs: group.filter(({ mine }) => !mine).map(({ hunk }) => hunk),
    yours: group.filter(({ mine }) => mine).map(({ hunk }) => hunk),
  }));
}

/** Hunks that lie side by side do not meet; two insertions at one place do. */
function meet(a: Hunk, b: Hunk): boolean {
  if (a.from === a.to && b.from === b.to) return a.from === b.from;
  return a.from < b.to && b.from < a.to;
}
