// Checks the form of an untrusted JSON Patch (RFC 6902, section 4) before anything is applied.
import { ok, fail, type Failed, type Failure, type Result } from '../domain/errors.js';
import {
  isForbiddenName,
  isJsonArray,
  isJsonObject,
  jsonTypeOf,
  ownMember,
  type JsonObject,
  type JsonValue,
} from '../domain/json/json.js';
import type { Limits } from '../domain/limits.js';
import type { PatchOperation } from '../domain/json/patch.js';
import { parsePointer } from '../domain/json/pointer.js';
import { excerpt } from '../domain/json/quoted.js';
import { scan } from '../domain/json/scan.js';

/** An operation of valid form, with its pointers parsed. `operation` holds only the members of the RFC. */
export interface ParsedOperation {
  readonly operation: PatchOperation;
  readonly path: readonly string[];
  /** Empty if the operation has no `from`. */
  readonly from: readonly string[];
}

const OPS = ['add', 'remove', 'replace', 'move', 'copy', 'test'];

/**
 * A `patch_failed` failure for one operation.
 *
 * @param pointer - The member at fault, as a pointer into the array of operations.
 */
export function patchFailed(
  index: number,
  pointer: string,
  reason: string,
  members: Failure['members'] = {},
): Failed {
  return fail('patch_failed', `Operation ${index}: ${reason}`, {
    operation_index: index,
    pointer,
    reason,
    ...members,
  });
}

/** The failure for an operation that makes the document too large. */
export function grownTooLarge(
  index: number,
  bytes: number,
  { patchGrowthBytesMax: maximum }: Pick<Limits, 'patchGrowthBytesMax'>,
) {
  return fail('limit_exceeded', `Operation ${index}: the document would grow past ${maximum} bytes`, {
    limit: 'patchGrowthBytesMax',
    maximum,
    actual: bytes,
    operation_index: index,
    pointer: `/${index}`,
  });
}

/**
 * Checks the form of a patch: known operations and their required members, pointers, depth and member names
 * of values. Members that RFC 6902 does not define are ignored, as it requires.
 *
 * @returns The operations; or `patch_failed`, `limit_exceeded`.
 */
export function parseOperations(
  operations: JsonValue,
  limits: Pick<Limits, 'patchOperationsMax' | 'documentDepthMax'>,
): Result<readonly ParsedOperation[]> {
  const words = { list: 'a JSON Patch is an array of operations', write: 'A patch' };
  return parseEach(operations, limits, words, parseOperation);
}

/** Parses a bounded list one by one, up to the first failure. @returns `patch_failed`, `limit_exceeded`. */
export function parseEach<T>(
  operations: JsonValue,
  limits: Pick<Limits, 'patchOperationsMax' | 'documentDepthMax'>,
  words: { readonly list: string; readonly write: string },
  parse: (operation: JsonValue, index: number, depthMax: number) => Result<T>,
): Result<readonly T[]> {
  if (!isJsonArray(operations)) {
    const reason = `${words.list}, not ${jsonTypeOf(operations)}`;
    return fail('patch_failed', reason, { pointer: '', reason });
  }
  if (operations.length > limits.patchOperationsMax) {
    return fail('limit_exceeded', `${words.write} may hold ${limits.patchOperationsMax} operations`, {
      limit: 'patchOperationsMax',
      maximum: limits.patchOperationsMax,
      actual: operations.length,
    });
  }
  const parsed: T[] = [];
  for (const [index, operation] of operations.entries()) {
    const result = parse(operation, index, limits.documentDepthMax);
    if (!result.ok) return result;
    parsed.push(result.value);
  }
  return ok(parsed);
}

function parseOperation(operation: JsonValue, index: number, depthMax: number): Result<ParsedOperation> {
  if (!isJsonObject(operation)) {
    return patchFailed(index, `/${index}`, `an operation is an object, not ${jsonTypeOf(operation)}`);
  }
  const op = ownMember(operation, 'op');
  if (typeof op !== 'string' || !OPS.includes(op)) {
    const given = op === undefined ? 'is missing' : `must be one of ${OPS.join(', ')}, not ${excerpt(op)}`;
    return patchFailed(index, `/${index}/op`, `"op" ${given}`, { expected: { enum: OPS } });
  }
  const path = parseMemberPointer(operation, 'path', index);
  if (!path.ok) return path;
  const pathText = path.value.text;
  if (op === 'remove') {
    return ok({ operation: { op, path: pathText }, path: path.value.segments, from: [] });
  }
  if (op === 'move' || op === 'copy') {
    const from = parseMemberPointer(operation, 'from', index);
    if (!from.ok) return from;
    return ok({
      operation: { op, path: pathText, from: from.value.text },
      path: path.value.segments,
      from: from.value.segments,
    });
  }
  const value = ownMember(operation, 'value');
  if (value === undefined) {
    return patchFailed(index, `/${index}/value`, `"${op}" needs a "value" (null is a value)`);
  }
  const failure = checkOperand(value, index, 'value', 'the value', depthMax);
  if (failure !== null) return failure;
  const kind = op === 'add' ? 'add' : op === 'replace' ? 'replace' : 'test';
  return ok({ operation: { op: kind, path: pathText, value }, path: path.value.segments, from: [] });
}

function parseMemberPointer(
  operation: JsonObject,
  name: 'path' | 'from',
  index: number,
): Result<{ readonly text: string; readonly segments: readonly string[] }> {
  const at = () => `/${index}/${name}`;
  const text = ownMember(operation, name);
  if (text === undefined) return patchFailed(index, at(), `"${name}" is missing`);
  if (typeof text !== 'string') {
    return patchFailed(index, at(), `"${name}" must be a string, not ${jsonTypeOf(text)}`);
  }
  const segments = parsePointer(text);
  if (segments === null) {
    const rule = 'it is empty or starts with "/", and "~" stands only in "~0" and "~1"';
    return patchFailed(index, at(), `"${name}" is no JSON Pointer (${rule}): ${excerpt(text)}`);
  }
  for (const segment of segments) {
    if (!isForbiddenName(segment)) continue;
    return patchFailed(index, at(), `"${name}" uses the member name "${segment}", which is not allowed`);
  }
  return ok({ text, segments });
}

/**
 * Checks depth and member names of an operand.
 *
 * @param member - The member that holds it.
 * @param name - What the failure calls it.
 * @returns `patch_failed`, `limit_exceeded`; `null` if the operand may be used.
 */
export function checkOperand(
  value: JsonValue,
  index: number,
  member: string,
  name: string,
  depthMax: number,
) {
  if (typeof value !== 'object' || value === null) return null;
  const result = scan(value, depthMax);
  if (result.found === 'nothing') return null;
  const pointer = `/${index}/${member}${result.pointer}`;
  if (result.found === 'name') {
    return patchFailed(index, pointer, `the member name "${result.name}" is not allowed`);
  }
  return fail('limit_exceeded', `Operation ${index}: ${name} is nested deeper than ${depthMax} levels`, {
    limit: 'documentDepthMax',
    maximum: depthMax,
    actual: result.depth,
    operation_index: index,
    pointer,
  });
}
