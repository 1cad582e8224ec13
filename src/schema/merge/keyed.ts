// Merging arrays whose items are identified by a member (`x-key`): each item with itself, wherever it stands.
import { isJsonObject, type JsonValue } from '../../domain/json.js';
import type { MergeValue } from './types.js';

type Items = readonly JsonValue[];
type Identified = ReadonlyMap<string, JsonValue>;

/**
 * Merges item by item. The order is that of the side that changed it, of theirs where both did; new items stand after
 * the one that they stood after, theirs before yours.
 *
 * @returns The items; `null` where an item has no identity, or two have the same: such arrays go by position.
 */
export function mergeKeyed(
  { base, theirs, yours }: { readonly base: Items; readonly theirs: Items; readonly yours: Items },
  key: string,
  at: string,
  merge: MergeValue,
): Items | null {
  const [b, t, y] = [identified(base, key), identified(theirs, key), identified(yours, key)];
  if (b === null || t === null || y === null) return null;
  const places = new Map<string, number>();
  [...y.keys()].forEach((id, index) => places.set(id, index));
  [...t.keys()].forEach((id, index) => places.set(id, index));
  const merged = new Map<string, JsonValue>();
  for (const [id, index] of places) {
    const value = merge(b.get(id), t.get(id), y.get(id), `${at}/${String(index)}`);
    if (value !== undefined) merged.set(id, value);
  }
  const items = orderOf(b, t, y, merged).flatMap((id) => merged.get(id) ?? []);
  const same = items.length === theirs.length && items.every((item, index) => item === theirs[index]);
  return same ? theirs : items;
}

function identified(items: Items, key: string): Identified | null {
  const found = new Map<string, JsonValue>();
  for (const item of items) {
    const id = isJsonObject(item) && Object.hasOwn(item, key) ? item[key] : undefined;
    if (typeof id !== 'string' && typeof id !== 'number' && typeof id !== 'boolean') return null;
    const text = JSON.stringify(id);
    if (found.has(text)) return null;
    found.set(text, item);
  }
  return found;
}

function orderOf(
  b: Identified,
  t: Identified,
  y: Identified,
  merged: ReadonlyMap<string, unknown>,
): readonly string[] {
  const shared = [...b.keys()].filter((id) => t.has(id) && y.has(id));
  const inBoth = new Set(shared);
  const ofTheirs = [...t.keys()].filter((id) => inBoth.has(id));
  const theirsMoved = ofTheirs.some((id, index) => id !== shared[index]);
  const order = theirsMoved ? inserted(t, y, true) : inserted(y, t, false);
  return order.filter((id) => merged.has(id));
}

/** The ids of `frame` in its order, with those that only `more` has after the one that they stand after there. */
function inserted(frame: Identified, more: Identified, framesFirst: boolean): readonly string[] {
  const after = new Map<string | null, string[]>();
  let previous: string | null = null;
  for (const id of more.keys()) {
    if (frame.has(id)) {
      previous = id;
      continue;
    }
    after.set(previous, [...(after.get(previous) ?? []), id]);
  }
  const order: string[] = [];
  let waiting = after.get(null) ?? [];
  for (const id of frame.keys()) {
    // What is new in the frame stands where it stood; only whose is first has to be settled.
    if (!framesFirst || more.has(id)) {
      order.push(...waiting);
      waiting = [];
    }
    order.push(id);
    waiting = [...waiting, ...(after.get(id) ?? [])];
  }
  return [...order, ...waiting];
}
