// What differs between two values of one location: members and items that they do not share. Knows no schema.
import { jsonEqual, ownMember, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import { textSize } from '../../domain/json/text-size.js';
import type { ChangedLocations } from '../../domain/json/changed-locations.js';

/** Most bytes to compare for `uniqueItems`. */
const COMPARED_BYTES_MAX = 2 * 1024 ** 2;

/** A member whose value, or presence, differs. */
export interface ChangedMember {
  readonly name: string;
  readonly before: JsonValue | undefined;
  readonly after: JsonValue | undefined;
  /** `null` if it is not known what differs. */
  readonly locations: ChangedLocations | null;
}

/** @param locations - Where the values may differ; `null` if that is not known. */
export function changedMembers(
  before: JsonObject,
  after: JsonObject,
  locations: ChangedLocations | null,
): readonly ChangedMember[] {
  const names =
    locations === null ? new Set([...Object.keys(before), ...Object.keys(after)]) : locations.below.keys();
  const changed: ChangedMember[] = [];
  for (const name of names) {
    const was = ownMember(before, name);
    const is = ownMember(after, name);
    if (was !== is)
      changed.push({ name, before: was, after: is, locations: locations?.below.get(name) ?? null });
  }
  return changed;
}

/** True for a member that was added or removed. */
export function hasMoved({ before, after }: ChangedMember): boolean {
  return (before === undefined) !== (after === undefined);
}

/** The range of items that differ: before it and behind it, the arrays share their items. */
export function changedItems(before: readonly JsonValue[], after: readonly JsonValue[]) {
  const shorter = Math.min(before.length, after.length);
  let from = 0;
  while (from < shorter && before[from] === after[from]) from += 1;
  let sharedAtEnd = 0;
  const [lastBefore, lastAfter] = [before.length - 1, after.length - 1];
  while (sharedAtEnd < shorter - from && before[lastBefore - sharedAtEnd] === after[lastAfter - sharedAtEnd])
    sharedAtEnd += 1;
  return { from, to: after.length - sharedAtEnd };
}

/** True if the items of a range certainly differ from all others, provided that the others differ from each other. */
export function staysUnique(items: readonly JsonValue[], from: number, to: number): boolean {
  if (!isComparable(items, from, to)) return false;
  for (let at = from; at < to; at += 1) {
    const item = items[at];
    for (let other = 0; other < items.length; other += 1) {
      if (other !== at && jsonEqual(item, items[other])) return false;
    }
  }
  return true;
}

/** A comparison reads no more of the one item than of the other: few changed bytes spare measuring all items. */
function isComparable(items: readonly JsonValue[], from: number, to: number): boolean {
  const changedMax = COMPARED_BYTES_MAX / Math.max(1, items.length);
  if (textSize(items.slice(from, to), changedMax) <= changedMax) return true;
  const bytesMax = COMPARED_BYTES_MAX / Math.max(1, to - from);
  return textSize(items, bytesMax) <= bytesMax;
}
