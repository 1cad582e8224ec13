// Merges a document based on an older version into the current one, and computes the patch.
import type { JsonObject, JsonValue } from '../../domain/json/json.js';
import { isJsonObject } from '../../domain/json/json.js';
import type { Limits } from '../../domain/limits.js';
import { bounded } from '../../domain/json/quoted.js';
import { diffDocuments } from '../diff.js';
import type { Patched } from '../json-patch.js';
import { mergeDocuments } from './merge.js';
import type { KeyOf, MergeConflict } from './types.js';

/** The documents of a merge. */
interface MergeSides {
  readonly base: JsonObject;
  /** The current document. */
  readonly current: JsonObject;
  readonly yours: JsonObject;
}

/** The locations that both sides changed: the first ones, with each side shortened, and their total number. */
export interface Conflicts {
  readonly listed: readonly JsonObject[];
  readonly total: number;
}

type MergedOnto = { readonly patched: Patched } | { readonly conflicts: Conflicts };

/** @param overwrite - Use `yours` for each location that both sides changed. */
export function mergeOnto(
  { base, current, yours }: MergeSides,
  keyOf: KeyOf,
  overwrite: boolean,
  limits: Limits,
): MergedOnto {
  const { document, conflicts } = mergeDocuments(base, current, yours, keyOf, limits);
  if (conflicts.length > 0 && !overwrite) {
    const listed = conflicts.slice(0, limits.mergeConflictsMax).map(viewOf);
    return { conflicts: { listed, total: conflicts.length } };
  }
  const patch = isJsonObject(document) ? diffDocuments(current, document) : [];
  return { patched: { document, patch, keepsShape: false } };
}

function viewOf(conflict: MergeConflict): JsonObject {
  return {
    pointer: conflict.pointer,
    ...side('base', conflict.base),
    ...side('theirs', conflict.theirs),
    ...side('yours', conflict.yours),
  };
}

function side(name: string, value: JsonValue | undefined): Record<string, JsonValue> {
  return value === undefined ? {} : { [name]: bounded(value) };
}
