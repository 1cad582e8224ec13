// Expensive work that needs only documents: applying a write, merging, comparing. Takes and returns texts, so
// that it can run in another thread.
import { ok, type Result } from '../../domain/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import type { Limits } from '../../domain/limits.js';
import type { DocumentWork, DocumentWorked } from '../../ports/schema-engine.js';
import { applyForm } from '../../document/apply-form.js';
import { canonicalPatch } from '../../document/canonical.js';
import { diffDocuments } from '../../document/diff.js';
import type { Patched } from '../../document/json-patch.js';
import { mergeOnto } from '../../document/merge/index.js';
import { compileRules, itemKeyAt } from '../rules/index.js';

/** Performs the work. @throws A text is not a document; this is a bug, because the texts come from the service. */
export function doDocumentWork(work: DocumentWork, limits: Limits): Result<DocumentWorked> {
  switch (work.kind) {
    case 'apply': {
      const payload = JSON.parse(work.payload) as JsonValue;
      const applied = applyForm(documentFrom(work.document), work.form, payload, limits);
      return applied.ok ? ok(workedOf(applied.value)) : applied;
    }
    case 'merge': {
      const rules = compileRules(work.schema);
      const sides = {
        base: documentFrom(work.base),
        current: documentFrom(work.current),
        yours: documentFrom(work.yours),
      };
      const merged = mergeOnto(sides, (pointer) => itemKeyAt(rules, pointer), work.overwrite, limits);
      return ok('conflicts' in merged ? merged : workedOf(merged.patched));
    }
    case 'diff': {
      const patch = diffDocuments(documentFrom(work.from), documentFrom(work.to));
      return ok({ patch: JSON.stringify(patch) });
    }
  }
}

function workedOf({ document, patch, keepsShape }: Patched): DocumentWorked {
  return { document: JSON.stringify(document), patch: canonicalPatch(patch), keepsShape };
}

function documentFrom(text: string): JsonObject {
  const document = JSON.parse(text) as JsonValue;
  if (!isJsonObject(document)) throw new Error('a document is no object');
  return document;
}
