// A write that was made on an older version: its difference from there, put on top of what others wrote meanwhile.
import { accepted, refused, type Outcome } from '../domain/errors.js';
import { isJsonObject, jsonEqual, type JsonObject, type JsonValue } from '../domain/json.js';
import type { Limits } from '../domain/limits.js';
import type * as api from '../ports/api/index.js';
import {
  bounded,
  checkDocument,
  diffDocuments,
  mergeDocuments,
  type KeyOf,
  type MergeConflict,
  type Patched,
} from '../schema/index.js';
import { applyForm, type WriteForm } from './apply-form.js';
import type { BaseView } from './base-view.js';

/** A write with what it was made on. */
export interface Merging {
  readonly base: BaseView;
  /** The document that the writer wants, as if nobody else had written. */
  readonly yours: JsonObject;
  readonly onConflict: api.OnConflict;
}

/** @returns The write as it would be on its base; or why it cannot be applied there. */
export function mergingOf(
  base: BaseView,
  form: WriteForm,
  payload: JsonValue,
  onConflict: api.OnConflict,
  limits: Limits,
): Outcome<Merging> {
  const applied = applyForm(base.document, form, payload, limits);
  if (!applied.ok) return applied;
  const shape = checkDocument(applied.value.document, limits);
  if (!shape.ok) return shape;
  if (!isJsonObject(applied.value.document)) throw new Error('a checked document is no object');
  return accepted({ base, yours: applied.value.document, onConflict });
}

interface Present {
  readonly version: number;
  readonly document: JsonObject;
  readonly keyOf: KeyOf;
}

/** @returns The merged document and the patch that leads to it; or `merge_conflict`, `version_conflict` (reject). */
export function mergeInto(
  present: Present,
  { base, yours, onConflict }: Merging,
  limits: Limits,
): Outcome<Patched> {
  const { document: current } = present;
  if (onConflict === 'reject' && base.version !== present.version && !jsonEqual(base.document, current)) {
    return refused(
      'version_conflict',
      `Others have written since version ${String(base.version)}, which this write was made on; the state is at version ${String(present.version)}. Read it again, and write on top of what is there.`,
      { current_version: present.version, your_version: base.version, current_data: current },
    );
  }
  const { document, conflicts } = mergeDocuments(base.document, current, yours, present.keyOf, limits);
  if (conflicts.length > 0 && onConflict !== 'overwrite') return inConflict(conflicts, base, present, limits);
  return accepted({
    document,
    patch: isJsonObject(document) ? diffDocuments(current, document) : [],
    keepsShape: false,
  });
}

function inConflict(conflicts: readonly MergeConflict[], base: BaseView, present: Present, limits: Limits) {
  const listed = conflicts.slice(0, limits.mergeConflictsMax).map((conflict): JsonValue => ({
    pointer: conflict.pointer,
    ...side('base', conflict.base),
    ...side('theirs', conflict.theirs),
    ...side('yours', conflict.yours),
  }));
  const places = listed.length === 1 ? '1 place' : `${String(conflicts.length)} places`;
  const [first] = conflicts;
  return refused(
    'merge_conflict',
    `Since version ${String(base.version)}, which this write was made on, others have changed ${places} that it changes too (${placeText(first)}). Nothing was written. Read the state, decide what should stand there, and write only that.`,
    {
      conflicts: listed,
      conflicts_total: conflicts.length,
      base_version: base.version,
      current_version: present.version,
    },
  );
}

function placeText(conflict: MergeConflict | undefined): string {
  return conflict === undefined || conflict.pointer === ''
    ? 'the whole document'
    : `first ${conflict.pointer}`;
}

function side(name: string, value: JsonValue | undefined): Record<string, JsonValue> {
  return value === undefined ? {} : { [name]: bounded(value) };
}
