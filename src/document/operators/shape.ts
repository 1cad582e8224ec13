// Checks the form of untrusted atomic operators before anything is applied.
import { ok, type Result } from '../../domain/errors.js';
import {
  isForbiddenName,
  isJsonArray,
  isJsonObject,
  jsonTypeOf,
  ownMember,
  type JsonObject,
  type JsonValue,
} from '../../domain/json/json.js';
import type { Limits } from '../../domain/limits.js';
import { parsePointer } from '../../domain/json/pointer.js';
import { excerpt } from '../../domain/json/quoted.js';
import { checkOperand, parseEach, patchFailed } from '../json-patch-shape.js';

interface Placed {
  readonly pointer: string;
  /** The parsed pointer. */
  readonly path: readonly string[];
}

/** One operator of valid form. */
export type Operator = Placed &
  (
    | { readonly op: 'increment'; readonly delta: number }
    | { readonly op: 'append'; readonly items: readonly JsonValue[] }
    | { readonly op: 'merge'; readonly patch: JsonObject }
    | { readonly op: 'set'; readonly value: JsonValue }
    | { readonly op: 'delete' }
  );

/** The operand of each operator: its member besides `op` and `pointer`. */
const OPERANDS: Readonly<Record<string, string | null>> = {
  increment: 'delta',
  append: 'items',
  merge: 'patch',
  set: 'value',
  delete: null,
};
const OPS = Object.keys(OPERANDS);

/** @returns The operators; or `patch_failed` with `operation_index` and `pointer`, `limit_exceeded`. */
export function parseOperators(
  operations: JsonValue,
  limits: Pick<Limits, 'patchOperationsMax' | 'documentDepthMax'>,
): Result<readonly Operator[]> {
  const words = { list: 'the operations are an array', write: 'A write' };
  return parseEach(operations, limits, words, parseOperator);
}

function parseOperator(operation: JsonValue, index: number, depthMax: number): Result<Operator> {
  if (!isJsonObject(operation)) {
    return patchFailed(index, `/${index}`, `an operation is an object, not ${jsonTypeOf(operation)}`);
  }
  const { op, pointer } = operation;
  if (typeof op !== 'string' || !OPS.includes(op)) {
    const given = op === undefined ? '' : `, not ${excerpt(op)}`;
    return patchFailed(index, `/${index}/op`, `"op" must be one of ${OPS.join(', ')}${given}`, {
      expected: { enum: OPS },
    });
  }
  const location = parseLocation(pointer, index);
  if (!location.ok) return location;
  const operand = OPERANDS[op] ?? null;
  const known = operand === null ? ['op', 'pointer'] : ['op', 'pointer', operand];
  const unknown = Object.keys(operation).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const reason = `${JSON.stringify(op)} takes no member ${excerpt(unknown)}`;
    return patchFailed(index, `/${index}`, reason, { expected: known });
  }
  const value = operand === null ? undefined : ownMember(operation, operand);
  if (operand !== null && value === undefined) {
    return patchFailed(
      index,
      `/${index}/${operand}`,
      `${JSON.stringify(op)} needs ${JSON.stringify(operand)}`,
    );
  }
  const failure = value === undefined ? null : checkOperand(value, index, operand ?? '', 'it', depthMax);
  return failure ?? withOperand(op, location.value, value, index);
}

function withOperand(
  op: string,
  location: Placed,
  value: JsonValue | undefined,
  index: number,
): Result<Operator> {
  const wrong = (operand: string, expected: string) =>
    patchFailed(index, `/${index}/${operand}`, `"${operand}" must be ${expected}`, { expected });
  switch (op) {
    case 'increment':
      return typeof value === 'number' && Number.isFinite(value)
        ? ok({ op, delta: value, ...location })
        : wrong('delta', 'a finite number');
    case 'append':
      return isJsonArray(value) ? ok({ op, items: value, ...location }) : wrong('items', 'an array of items');
    case 'merge':
      return isJsonObject(value)
        ? ok({ op, patch: value, ...location })
        : wrong('patch', 'an object: a merge patch (RFC 7396)');
    case 'set':
      return ok({ op, value: value ?? null, ...location });
    default:
      return ok({ op: 'delete', ...location });
  }
}

function parseLocation(pointer: JsonValue | undefined, index: number): Result<Placed> {
  const at = `/${index}/pointer`;
  if (typeof pointer !== 'string') {
    return patchFailed(index, at, `"pointer" ${pointer === undefined ? 'is missing' : 'must be a string'}`);
  }
  const path = parsePointer(pointer);
  if (path === null) return patchFailed(index, at, `"pointer" is no JSON Pointer: ${excerpt(pointer)}`);
  const forbidden = path.find(isForbiddenName);
  return forbidden === undefined
    ? ok({ pointer, path })
    : patchFailed(index, at, `"pointer" uses the member name "${forbidden}", which is not allowed`);
}
