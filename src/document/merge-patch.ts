// JSON Merge Patch (RFC 7396): computes the result, and the JSON Patch that produces it.
import { ok, fail, type Result } from '../domain/errors.js';
import { isJsonObject, jsonEqual, ownMember, type JsonObject, type JsonValue } from '../domain/json/json.js';
import type { Limits } from '../domain/limits.js';
import type { PatchOperation } from '../domain/json/patch.js';
import { formatPointer } from '../domain/json/pointer.js';
import { shorterOf } from './diff.js';
import { applyPatch, type Patched } from './json-patch.js';
import { scan } from '../domain/json/scan.js';

/**
 * Applies an untrusted merge patch. `document` is not changed; the result shares its unchanged parts. A patch
 * that changes nothing returns `document` itself and no operations.
 *
 * @returns The new document, which is any JSON value if the patch is not an object; or `patch_failed` (a
 * forbidden member name), `limit_exceeded` (nested too deep).
 */
export function applyMergePatch(
  document: JsonObject,
  patch: JsonValue,
  limits: Pick<Limits, 'documentDepthMax'>,
): Result<Patched> {
  const result = scan(patch, limits.documentDepthMax);
  if (result.found === 'name') {
    const reason = `the member name "${result.name}" is not allowed`;
    return fail('patch_failed', `${result.pointer}: ${reason}`, { pointer: result.pointer, reason });
  }
  if (result.found === 'depth') {
    const maximum = limits.documentDepthMax;
    return fail('limit_exceeded', `The merge patch is nested deeper than ${maximum} levels`, {
      limit: 'documentDepthMax',
      maximum,
      actual: result.depth,
      pointer: result.pointer,
    });
  }
  if (!isJsonObject(patch)) {
    const whole: PatchOperation = { op: 'replace', path: '', value: patch };
    return ok({ document: patch, patch: [whole], keepsShape: false });
  }
  const operations = mergeOperations(document, patch, '');
  const merged = applyPatch(document, operations);
  return ok({ document: merged, patch: shorterOf(operations, merged), keepsShape: true });
}

/** The JSON Patch for a checked merge patch on an object. The cost is proportional to the size of the merge patch. */
export function mergeOperations(
  target: JsonObject,
  patch: JsonObject,
  pointer: string,
): readonly PatchOperation[] {
  const operations: PatchOperation[] = [];
  collect(target, patch, pointer, operations);
  return operations;
}

function collect(target: JsonObject, patch: JsonObject, pointer: string, operations: PatchOperation[]): void {
  for (const [name, value] of Object.entries(patch)) {
    const path = pointer + formatPointer([name]);
    const old = ownMember(target, name);
    if (value === null) {
      if (old !== undefined) operations.push({ op: 'remove', path });
    } else if (isJsonObject(value) && isJsonObject(old)) {
      collect(old, value, path, operations);
    } else {
      const next = withoutNulls(value);
      if (old !== undefined && jsonEqual(old, next)) continue;
      operations.push({ op: old === undefined ? 'add' : 'replace', path, value: next });
    }
  }
}

/** The result of merging a value into nothing: without members that are `null`, at every depth outside arrays. */
export function withoutNulls(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNulls(member)]));
}
