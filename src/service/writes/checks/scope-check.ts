// Gives the rule of write scopes the difference between two documents. It knows no rule.
import type { JsonObject } from '../../../domain/json/json.js';
import type { Patch } from '../../../domain/json/patch.js';
import { checkWriteScope } from '../../../domain/writes/write-scope.js';
import type { WriterTerms } from '../../../domain/states/write.js';
import { findChange } from '../../../document/index.js';

/** @returns `write_scope_violation`; `null` if the write keeps to the scope of its session. */
export function checkScope(before: JsonObject, after: JsonObject, patch: Patch, terms: WriterTerms | null) {
  const scope = terms?.settings.writeScope ?? null;
  const firstChange = (counts: (pointer: string) => boolean) => findChange(before, after, counts);
  return checkWriteScope(scope, { before, after, patch, firstChange });
}
