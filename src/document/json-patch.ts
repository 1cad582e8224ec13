// JSON Patch (RFC 6902): exact and atomic, on a copy of the paths that it changes.
import { ok, type Result } from '../domain/errors.js';
import { isJsonObject, jsonEqual, type JsonObject, type JsonValue } from '../domain/json/json.js';
import type { Limits } from '../domain/limits.js';
import type { Patch, PatchOperation } from '../domain/json/patch.js';
import { parsePointer } from '../domain/json/pointer.js';
import { scan } from '../domain/json/scan.js';
import { grownTooLarge, parseOperations, patchFailed, type ParsedOperation } from './json-patch-shape.js';
import { PatchGrowth } from './patch-growth.js';
import { PathCopy, type Problem } from './path-copy.js';

/** The limits of a patch. */
export type PatchLimits = Pick<
  Limits,
  'patchOperationsMax' | 'documentDepthMax' | 'stateBytesMax' | 'patchGrowthBytesMax'
>;

/** A changed document and the operations that produce it, without `test` operations. */
export interface Patched {
  readonly document: JsonValue;
  readonly patch: Patch;
  /** The canonical text of `patch`, if already known. */
  readonly patchText?: string;
  /** True if the document certainly has the shape that every document needs, because the one before had it. */
  readonly keepsShape: boolean;
}

/** Why an operation failed: at `path`, `from` or `value` for the given reason, or the size limit. */
type OperationProblem =
  (Problem & { readonly member: 'path' | 'from' | 'value' }) | { readonly bytes: number };

/**
 * Applies an untrusted JSON Patch. `document` is not changed; the result shares its unchanged parts.
 *
 * @returns The new document, which may be any JSON value (RFC 6902 lets a patch replace the root); or
 * `patch_failed` with `operation_index` and `pointer` (into the operations), `limit_exceeded`.
 */
export function applyJsonPatch(
  document: JsonObject,
  operations: JsonValue,
  limits: PatchLimits,
): Result<Patched> {
  const parsed = parseOperations(operations, limits);
  if (!parsed.ok) return parsed;
  const copy = new PathCopy(document);
  const growth = new PatchGrowth(document, limits);
  const patch: PatchOperation[] = [];
  let hasShape = true;
  let index = 0;
  for (const one of parsed.value) {
    const problem = applyOperation(copy, one, growth);
    if (problem !== null) return failure(index, one, problem, limits);
    if (one.operation.op !== 'test') patch.push(one.operation);
    hasShape &&= keepsShape(one, limits.documentDepthMax);
    index += 1;
  }
  return ok({ document: copy.root, patch, keepsShape: hasShape });
}

/**
 * Applies a stored patch when history is replayed.
 *
 * @throws Error - The patch does not apply: the history is damaged.
 */
export function applyPatch(document: JsonObject, patch: Patch): JsonObject {
  const copy = new PathCopy(document);
  for (const [index, operation] of patch.entries()) {
    const path = parsePointer(operation.path);
    const from = 'from' in operation ? parsePointer(operation.from) : [];
    if (path === null || from === null) throw new Error(`operation ${index} of a stored patch is malformed`);
    const problem = applyOperation(copy, { operation, path, from }, null);
    if (problem !== null) {
      const reason = 'problem' in problem ? problem.problem : 'too large';
      throw new Error(`operation ${index} of a stored patch does not apply: ${reason}`);
    }
  }
  if (!isJsonObject(copy.root)) throw new Error('a stored patch leads to a document that is no object');
  return copy.root;
}

/** True if the operation certainly makes the document not too deep, and adds no forbidden member name. */
function keepsShape({ operation, path }: ParsedOperation, depthMax: number): boolean {
  if (path.length === 0) return false;
  if (operation.op === 'remove' || operation.op === 'test') return true;
  if (!('value' in operation)) return false;
  const { value } = operation;
  // Each segment of the path is within one more object or array.
  const levels = depthMax - path.length;
  return typeof value !== 'object' || (levels > 0 && scan(value, levels).found === 'nothing');
}

function failure(index: number, { operation }: ParsedOperation, why: OperationProblem, limits: PatchLimits) {
  if ('problem' in why) {
    const { member, problem } = why;
    return patchFailed(index, `/${index}/${member}`, problem, { op: operation.op, path: operation.path });
  }
  return grownTooLarge(index, why.bytes, limits);
}

/** Applies one operation. Without `growth`, sizes are not counted. */
function applyOperation(
  copy: PathCopy,
  { operation, path, from }: ParsedOperation,
  growth: PatchGrowth | null,
): OperationProblem | null {
  switch (operation.op) {
    case 'add':
    case 'replace': {
      const { value } = operation;
      const change = operation.op === 'add' ? copy.add(path, value) : copy.replace(path, value);
      if ('problem' in change) return { ...change, member: 'path' };
      return tooLarge(growth?.change(value, change.replaced));
    }
    case 'remove': {
      const change = copy.remove(path);
      if ('problem' in change) return { ...change, member: 'path' };
      return tooLarge(growth?.change(undefined, change.replaced));
    }
    case 'move':
      return move(copy, from, path, growth);
    case 'copy': {
      const source = copy.read(from);
      if ('problem' in source) return { ...source, member: 'from' };
      const excess = tooLarge(growth?.copy(source.value));
      if (excess !== null) return excess;
      copy.share(source.value);
      const change = copy.add(path, source.value);
      if ('problem' in change) return { ...change, member: 'path' };
      return tooLarge(growth?.change(undefined, change.replaced));
    }
    case 'test': {
      const actual = copy.read(path);
      if ('problem' in actual) return { ...actual, member: 'path' };
      if (jsonEqual(operation.value, actual.value)) return null;
      const problem = `the value at ${JSON.stringify(operation.path)} is not the tested one`;
      return { problem, member: 'value' };
    }
  }
}

/** `move` (RFC 6902, section 4.4): a removal, then an addition. A value cannot be moved into itself. */
function move(
  copy: PathCopy,
  from: readonly string[],
  path: readonly string[],
  growth: PatchGrowth | null,
): OperationProblem | null {
  const source = copy.read(from);
  if ('problem' in source) return { ...source, member: 'from' };
  const inside = from.every((segment, at) => segment === path[at]);
  if (inside && from.length === path.length) return null;
  if (inside) return { problem: 'a value cannot be moved into itself', member: 'path' };
  const removed = copy.remove(from);
  if ('problem' in removed) return { ...removed, member: 'from' };
  const change = copy.add(path, source.value);
  if ('problem' in change) return { ...change, member: 'path' };
  return tooLarge(growth?.change(undefined, change.replaced));
}

function tooLarge(bytes: number | null | undefined): OperationProblem | null {
  return bytes == null ? null : { bytes };
}
