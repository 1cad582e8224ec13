// Merges a write that is based on an older version into the current one.
import { ok, fail, type Result } from '../../domain/errors.js';
import { jsonEqual, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import type { Limits } from '../../domain/limits.js';
import { checkUnchangedSince } from '../../domain/writes/base-version.js';
import type * as api from '../../ports/api/index.js';
import type { AdmittedSchema, SchemaEngine, WriteForm } from '../../ports/schema-engine.js';
import { afterOk, type MaybePromise } from '../../lib/maybe-promise.js';
import { checkDocument, type Conflicts, type Patched } from '../../document/index.js';
import type { BaseView } from './base-view.js';
import { applyTo, mergeOn } from '../documents/document-work.js';
import type { DocumentTexts } from '../documents/document-texts.js';
import { mapped } from '../results.js';

interface Parts {
  readonly engine: SchemaEngine;
  readonly texts: DocumentTexts;
  readonly limits: Limits;
}

/** A write with its base. */
export interface Merging {
  readonly base: BaseView;
  /** The document that the writer wants, as if nobody else had written. */
  readonly yours: JsonObject;
  readonly onConflict: api.OnConflict;
}

/** @returns The write as it would be on its base; or why it cannot be applied there. */
export async function mergingOf(
  parts: Parts,
  base: BaseView,
  form: WriteForm,
  payload: JsonValue,
  onConflict: api.OnConflict,
): Promise<Result<Merging>> {
  // A whole document needs no base to be applied to.
  const isWhole = form === 'replace' || form === 'revert';
  return afterOk<{ readonly document: JsonValue }, Merging>(
    isWhole ? ok({ document: payload }) : applyTo(parts, base.document, form, payload),
    ({ document }) => mapped(checkDocument(document, parts.limits), (yours) => ({ base, yours, onConflict })),
  );
}

interface Present {
  readonly version: number;
  readonly document: JsonObject;
  readonly schema: AdmittedSchema;
}

/** @returns The merged document and the patch that leads to it; or `merge_conflict`, `version_conflict` (reject). */
export function mergeInto(
  parts: Parts,
  present: Present,
  { base, yours, onConflict }: Merging,
): MaybePromise<Result<Patched>> {
  const { document: current, schema } = present;
  const moved = onConflict === 'reject' ? checkUnchangedSince(base, present) : null;
  if (moved !== null) return moved;
  const overwrite = onConflict === 'overwrite';
  return afterOk(
    mergeOn(parts, { base: base.document, current, yours, schema, overwrite }),
    (merged): Result<Patched> =>
      'conflicts' in merged ? inConflict(merged.conflicts, base, present) : ok(merged.patched),
  );
}

function inConflict({ listed, total }: Conflicts, base: BaseView, present: Present) {
  const count = listed.length === 1 ? '1 place' : `${String(total)} places`;
  const [first] = listed;
  return fail(
    'merge_conflict',
    `Since version ${String(base.version)}, which this write was made on, others have changed ${count} that it changes too (${conflictText(first)}). Nothing was written. Read the state, decide what should stand there, and write only that.`,
    {
      conflicts: listed,
      conflicts_total: total,
      base_version: base.version,
      current_version: present.version,
    },
  );
}

function conflictText(conflict: JsonObject | undefined): string {
  const pointer = conflict?.['pointer'];
  return typeof pointer !== 'string' || pointer === '' ? 'the whole document' : `first ${pointer}`;
}

/** Whether a merge has brought changes of others into the document. */
export function isMerged(document: JsonObject, { yours }: Merging): boolean {
  return !jsonEqual(document, yours);
}
