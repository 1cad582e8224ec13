// Applies a write to a document according to the write's form. Pure; checks only what the form requires.
import { ok, type Result } from '../domain/errors.js';
import type { JsonObject, JsonValue } from '../domain/json/json.js';
import type { Limits } from '../domain/limits.js';
import type { Patch } from '../domain/json/patch.js';
import { commandFrom } from '../domain/workflow/commands.js';
import { record } from '../domain/workflow/record.js';
import type { WriteForm } from '../ports/schema-engine.js';
import { diffDocuments } from './diff.js';
import { checkDocument } from './document.js';
import { applyJsonPatch, applyPatch, type Patched } from './json-patch.js';
import { applyMergePatch } from './merge-patch.js';
import { applyOperators } from './operators/apply.js';

/**
 * A patch with at most this many operations is applied to the old document, so that the new one shares
 * unchanged parts.
 */
const SHARED_OPERATIONS_MAX = 16;

/** A value equal to `payload` that shares its unchanged parts with the old document. */
function sharing(before: JsonObject, payload: JsonObject, patch: Patch): JsonObject {
  return patch.length > SHARED_OPERATIONS_MAX ? payload : applyPatch(before, patch);
}

/** @returns The new document and the patch that produces it; or why the write cannot be applied. */
export function applyForm(
  document: JsonObject,
  form: WriteForm,
  payload: JsonValue,
  limits: Limits,
): Result<Patched> {
  switch (form) {
    case 'json_patch':
    case 'migrate':
      return applyJsonPatch(document, payload, limits);
    case 'workflow': {
      const recorded = record(document, commandFrom(payload));
      return recorded.ok
        ? applyJsonPatch(
            document,
            recorded.value.map((operation) => ({ ...operation })),
            limits,
          )
        : recorded;
    }
    case 'merge_patch':
      return applyMergePatch(document, payload, limits);
    case 'ops':
      return applyOperators(document, payload, limits);
    case 'replace':
    case 'revert': {
      const checked = checkDocument(payload, limits);
      if (!checked.ok) return checked;
      const patch = diffDocuments(document, checked.value);
      return ok({ document: sharing(document, checked.value, patch), patch, keepsShape: true });
    }
  }
}
