// Matches the items of an array before and after a write by their identifying member.
import { ownMember, type JsonValue } from '../../domain/json/json.js';

/** An item before, after or both. `index` is its position after the write, or before it if the item is gone. */
interface ItemPair {
  readonly index: number;
  readonly before: JsonValue | undefined;
  readonly after: JsonValue | undefined;
}

interface MatchedItems {
  readonly pairs: readonly ItemPair[];
  /** Items of the new array with the identity of an earlier item, in order. */
  readonly twice: readonly { readonly index: number; readonly value: JsonValue }[];
}

/** Matches items by identity. Items of the old array without an identity, or with a repeated one, are left out. */
export function matchItems(
  before: readonly JsonValue[],
  after: readonly JsonValue[],
  key: string,
): MatchedItems {
  const old = new Map<JsonValue, { readonly index: number; readonly item: JsonValue }>();
  for (const [index, item] of before.entries()) {
    const identity = identityOf(item, key);
    if (identity !== undefined && !old.has(identity)) old.set(identity, { index, item });
  }
  const pairs: ItemPair[] = [];
  const twice: { index: number; value: JsonValue }[] = [];
  const seen = new Set<JsonValue>();
  for (const [index, item] of after.entries()) {
    const identity = identityOf(item, key);
    if (identity !== undefined && seen.has(identity)) {
      twice.push({ index, value: identity });
      continue;
    }
    if (identity !== undefined) seen.add(identity);
    pairs.push({ index, before: identity === undefined ? undefined : old.get(identity)?.item, after: item });
  }
  for (const [identity, { index, item }] of old) {
    if (!seen.has(identity)) pairs.push({ index, before: item, after: undefined });
  }
  return { pairs, twice };
}

/** A string and a number are never the same identity. */
function identityOf(item: JsonValue, key: string): string | number | undefined {
  const value = ownMember(item, key);
  return typeof value === 'string' || typeof value === 'number' ? value : undefined;
}
