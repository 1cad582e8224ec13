// Whether a write keeps to what its session may change.
import { refused } from '../../domain/errors.js';
import type { JsonObject } from '../../domain/json/json.js';
import type { Patch } from '../../domain/json/patch.js';
import { valueAt } from '../../domain/json/pointer.js';
import { isInScope, isParentOnly } from '../../domain/sessions/write-scope.js';
import type { WriterTerms } from '../../domain/states/write.js';
import { findChange } from '../../document/index.js';

/** Holds what really changed against the scope, however the write was put. Missing parents of its places may come with them. */
export function checkScope(before: JsonObject, after: JsonObject, patch: Patch, terms: WriterTerms | null) {
  const scope = terms?.settings.writeScope ?? null;
  if (scope === null) return null;
  const inside = (pointer: string) => isInScope(scope, pointer);
  const isNewParent = (pointer: string) => {
    if (valueAt(before, pointer) !== undefined) return false;
    const value = valueAt(after, pointer);
    return value !== undefined && isParentOnly(scope, pointer, value);
  };
  // An item that comes or goes moves those after it: at a place that is the scope's own, the shortcut says too little.
  const certainly = (pointer: string) =>
    inside(pointer) && !(scope.includes(pointer) && /\/(\d+|-)$/.test(pointer));
  if (touched(patch).every(certainly)) return null;
  const outside = findChange(before, after, (pointer) => !inside(pointer) && !isNewParent(pointer));
  if (outside === undefined) return null;
  const allowed = scope.length === 0 ? 'nothing' : scope.join(', ');
  return refused(
    'write_scope_violation',
    `The write changes ${outside === '' ? 'the whole document' : outside}, but this session may change only ${allowed}.`,
    {
      pointer: outside,
      allowed: scope,
    },
  );
}

function touched(patch: Patch): readonly string[] {
  return patch.flatMap((operation) =>
    operation.op === 'move' ? [operation.path, operation.from] : [operation.path],
  );
}
