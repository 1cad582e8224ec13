// The difference of two arrays as hunks, by the longest common subsequence of their items. Pure; knows no merge.
import { jsonEqual, type JsonValue } from '../../domain/json.js';
import { canonicalJson } from '../canonical.js';

/** Items `[from, to)` of the base give way to `items`. One with `from === to` only inserts. */
export interface Hunk {
  readonly from: number;
  readonly to: number;
  readonly items: readonly JsonValue[];
}

/** Cells of the table that two arrays may span, after what they share at both ends is set aside: about 1 MiB. */
const CELLS_MAX = 1_000_000;

/**
 * The hunks that lead from `base` to `side`, first to last; no two of them touch.
 * Arrays that differ in too many places to compare item by item give one hunk over all of it.
 */
export function hunksOf(base: readonly JsonValue[], side: readonly JsonValue[]): readonly Hunk[] {
  const least = Math.min(base.length, side.length);
  let start = 0;
  while (start < least && jsonEqual(base[start], side[start])) start += 1;
  let end = 0;
  while (end < least - start && jsonEqual(base[base.length - 1 - end], side[side.length - 1 - end])) end += 1;
  const before = base.slice(start, base.length - end);
  const after = side.slice(start, side.length - end);
  if (before.length === 0 && after.length === 0) return [];
  const whole = { from: start, to: base.length - end, items: after };
  if (before.length === 0 || after.length === 0) return [whole];
  if ((before.length + 1) * (after.length + 1) > CELLS_MAX) return [whole];
  return between(matches(before, after), before.length, after, start);
}

/** Pairs of equal items, in the order of both arrays, as many as there can be. */
function matches(
  before: readonly JsonValue[],
  after: readonly JsonValue[],
): readonly (readonly [number, number])[] {
  const numbers = new Map<string, number>();
  const numbered = (items: readonly JsonValue[]) =>
    items.map((item) => {
      const text = canonicalJson(item);
      const known = numbers.get(text);
      if (known !== undefined) return known;
      numbers.set(text, numbers.size);
      return numbers.size - 1;
    });
  const a = numbered(before);
  const b = numbered(after);
  const width = b.length + 1;
  // longest[i * width + j]: length of the longest common subsequence of a[i..] and b[j..].
  const longest = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => longest[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      longest[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const pairs: [number, number][] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) {
      pairs.push([i, j]);
      i += 1;
      j += 1;
    } else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  }
  return pairs;
}

function between(
  pairs: readonly (readonly [number, number])[],
  beforeLength: number,
  after: readonly JsonValue[],
  offset: number,
): readonly Hunk[] {
  const hunks: Hunk[] = [];
  let [from, sideFrom] = [0, 0];
  for (const [to, sideTo] of [...pairs, [beforeLength, after.length] as const]) {
    if (from < to || sideFrom < sideTo) {
      hunks.push({ from: from + offset, to: to + offset, items: after.slice(sideFrom, sideTo) });
    }
    [from, sideFrom] = [to + 1, sideTo + 1];
  }
  return hunks;
}
