// Merges lists whose items have an identity: each item with its counterparts, at any position. Does not know
// what the identities are.
import type { JsonValue } from '../../domain/json/json.js';

type Items = readonly JsonValue[];
type Maybe = JsonValue | undefined;

/** The items of one side by identity, in order. */
export type Identified<Id> = ReadonlyMap<Id, JsonValue>;

interface IdentifiedSides<Id> {
  readonly base: Identified<Id>;
  readonly theirs: Identified<Id>;
  readonly yours: Identified<Id>;
}

/** The pointer of the list, and the index of its first item there. */
interface Where {
  readonly at: string;
  readonly from: number;
}

/** Merges one item. `pointer` is its location in `theirs`, or in `yours` if `theirs` does not have it. */
type MergeItem<Id> = (id: Id, base: Maybe, theirs: Maybe, yours: Maybe, pointer: string) => Maybe;

/**
 * Merges item by item. The order is that of the side that changed the order; if both did, that of `theirs`. A new
 * item follows the same predecessor as before, with those of `theirs` before those of `yours`. Linear in the items.
 */
export function mergeIdentified<Id>(
  { base, theirs, yours }: IdentifiedSides<Id>,
  { at, from }: Where,
  merge: MergeItem<Id>,
): Items {
  const indices = new Map<Id, number>();
  for (const side of [yours, theirs]) {
    let index = from;
    for (const id of side.keys()) {
      indices.set(id, index);
      index += 1;
    }
  }
  const merged = new Map<Id, JsonValue>();
  for (const [id, index] of indices) {
    const value = merge(id, base.get(id), theirs.get(id), yours.get(id), `${at}/${String(index)}`);
    if (value !== undefined) merged.set(id, value);
  }
  const items: JsonValue[] = [];
  for (const id of orderOf(base, theirs, yours)) {
    const value = merged.get(id);
    if (value !== undefined) items.push(value);
  }
  return items;
}

function orderOf<Id>(b: Identified<Id>, t: Identified<Id>, y: Identified<Id>): readonly Id[] {
  const shared = [...b.keys()].filter((id) => t.has(id) && y.has(id));
  const inBoth = new Set(shared);
  const ofTheirs = [...t.keys()].filter((id) => inBoth.has(id));
  const theirsMoved = ofTheirs.some((id, index) => id !== shared[index]);
  return theirsMoved ? inserted(t, y, true) : inserted(y, t, false);
}

/** The ids of `frame` in order. Ids that only `more` has follow their predecessor in `more`. */
function inserted<Id>(frame: Identified<Id>, more: Identified<Id>, framesFirst: boolean): readonly Id[] {
  const first: Id[] = [];
  const after = new Map<Id, Id[]>();
  let waiting = first;
  for (const id of more.keys()) {
    if (frame.has(id)) {
      waiting = [];
      after.set(id, waiting);
    } else waiting.push(id);
  }
  const order: Id[] = [];
  waiting = [...first];
  const release = () => {
    for (const id of waiting) order.push(id);
    waiting = [];
  };
  for (const id of frame.keys()) {
    // Items that only `frame` has keep their place. The flag decides whether they precede the inserted ones.
    if (!framesFirst || more.has(id)) release();
    order.push(id);
    for (const one of after.get(id) ?? []) waiting.push(one);
  }
  release();
  return order;
}
