// What a write makes of a document, by the form that it has. Pure; checks nothing but what the form itself needs.
import { accepted, type Outcome } from '../domain/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../domain/json/json.js';
import type { Limits } from '../domain/limits.js';
import type { Patch } from '../domain/json/patch.js';
import type { WriteForm } from '../ports/schema-engine.js';
import { diffDocuments } from './diff.js';
import { checkDocument } from './document.js';
import { applyJsonPatch, applyPatch, type Patched } from './json-patch.js';
import { applyMergePatch } from './merge-patch.js';
import { applyOperators } from './operators/apply.js';

/** A patch up to so many operations is carried out again to share what it leaves alone with the document before. */
const SHARED_OPERATIONS_MAX = 16;

/** The same value as `payload`, made of the parts of the document before that did not change: few of it are new. */
function sharing(before: JsonObject, payload: JsonObject, patch: Patch): JsonObject {
  return patch.length > SHARED_OPERATIONS_MAX ? payload : applyPatch(before, patch);
}

/** @returns The document after the write and the patch that leads to it; or why the write cannot be applied. */
export function applyForm(
  document: JsonObject,
  form: WriteForm,
  payload: JsonValue,
  limits: Limits,
): Outcome<Patched> {
  switch (form) {
    case 'json_patch':
    case 'migrate':
      return applyJsonPatch(document, payload, limits);
    case 'merge_patch':
      return applyMergePatch(document, payload, limits);
    case 'ops':
      return applyOperators(document, payload, limits);
    case 'replace':
    case 'revert': {
      const shape = checkDocument(payload, limits);
      if (!shape.ok) return shape;
      if (!isJsonObject(payload)) throw new Error('a checked document is no object');
      const patch = diffDocuments(document, payload);
      return accepted({ document: sharing(document, payload, patch), patch, keepsShape: true });
    }
  }
}
