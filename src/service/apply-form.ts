// What a write makes of a document, by the form that it has. Pure; checks nothing but what the form itself needs.
import { accepted, type Outcome } from '../domain/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../domain/json.js';
import type { Limits } from '../domain/limits.js';
import {
  applyJsonPatch,
  applyMergePatch,
  applyOperators,
  checkDocument,
  diffDocuments,
  type Patched,
} from '../schema/index.js';

/** How a write is put; `revert` is a `replace` by another name in the history. */
export type WriteForm = 'replace' | 'json_patch' | 'merge_patch' | 'ops' | 'revert' | 'migrate';

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
      return accepted({ document: payload, patch: diffDocuments(document, payload), keepsShape: true });
    }
  }
}
