// JSON Merge Patch (RFC 7396): the result, and the JSON Patch that leads to it.
import { accepted, refused, type Outcome } from '../domain/errors.js';
import { isJsonObject, jsonEqual, type JsonObject, type JsonValue } from '../domain/json.js';
import type { Limits } from '../domain/limits.js';
import type { PatchOperation } from '../domain/patch.js';
import { formatPointer } from '../domain/pointer.js';
import { shorterOf } from './diff.js';
import type { Patched } from './json-patch.js';
import { scan } from './scan.js';

/**
 * Applies a merge patch from outside. `document` is not changed, and what the patch leaves alone is shared with it;
 * a patch that changes nothing gives back `document` itself and no operations.
 *
 * @returns The new document, which is any JSON value where the patch is no object; or `patch_failed` (a forbidden
 *   member name), `limit_exceeded` (nested too deep).
 */
export function applyMergePatch(
  document: JsonObject,
  patch: JsonValue,
  limits: Pick<Limits, 'documentDepthMax'>,
): Outcome<Patched> {
  const result = scan(patch, limits.documentDepthMax);
  if (result.found === 'name') {
    const reason = `the member name "${result.name}" is not allowed`;
    return refused('patch_failed', `${result.pointer}: ${reason}`, { pointer: result.pointer, reason });
  }
  if (result.found === 'depth') {
    const maximum = limits.documentDepthMax;
    return refused('limit_exceeded', `The merge patch is nested deeper than ${maximum} levels`, {
      limit: 'documentDepthMax',
      maximum,
      actual: result.depth,
      pointer: result.pointer,
    });
  }
  if (!isJsonObject(patch)) {
    const whole: PatchOperation = { op: 'replace', path: '', value: patch };
    return accepted({ document: patch, patch: [whole], keepsShape: false });
  }
  const operations: PatchOperation[] = [];
  const merged = mergeObject(document, patch, '', operations);
  return accepted({ document: merged, patch: shorterOf(operations, merged), keepsShape: true });
}

function mergeObject(
  target: JsonObject,
  patch: JsonObject,
  pointer: string,
  operations: PatchOperation[],
): JsonObject {
  const changes: Record<string, JsonValue> = {};
  const before = operations.length;
  let removes = false;
  for (const [name, value] of Object.entries(patch)) {
    const path = pointer + formatPointer([name]);
    const old = Object.hasOwn(target, name) ? target[name] : undefined;
    if (value === null) {
      if (old === undefined) continue;
      removes = true;
      operations.push({ op: 'remove', path });
    } else if (isJsonObject(value) && isJsonObject(old)) {
      const merged = mergeObject(old, value, path, operations);
      if (merged !== old) changes[name] = merged;
    } else {
      const next = withoutNulls(value);
      if (old !== undefined && jsonEqual(old, next)) continue;
      changes[name] = next;
      operations.push({ op: old === undefined ? 'add' : 'replace', path, value: next });
    }
  }
  if (operations.length === before) return target;
  const merged = { ...target, ...changes };
  return removes ? without(merged, patch) : merged;
}

function without(target: JsonObject, patch: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(target).filter(([name]) => !Object.hasOwn(patch, name) || patch[name] !== null),
  );
}

/** What merging an object into nothing gives: its members that are not `null`, at every depth outside arrays. */
function withoutNulls(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNulls(member)]));
}
