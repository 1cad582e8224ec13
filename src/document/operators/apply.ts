// Atomic operators on a document: each reads, changes and writes one location; a batch applies completely or
// not at all.
import { ok, fail, type Result } from '../../domain/errors.js';
import {
  isJsonArray,
  isJsonObject,
  jsonEqual,
  jsonTypeOf,
  type JsonObject,
  type JsonValue,
} from '../../domain/json/json.js';
import type { PatchOperation } from '../../domain/json/patch.js';
import { parsePointer } from '../../domain/json/pointer.js';
import { shorterOf } from '../diff.js';
import { excerpt } from '../../domain/json/quoted.js';
import { grownTooLarge, patchFailed } from '../json-patch-shape.js';
import type { Patched, PatchLimits } from '../json-patch.js';
import { mergeOperations, withoutNulls } from '../merge-patch.js';
import { PatchGrowth } from '../patch-growth.js';
import { PathCopy } from '../path-copy.js';
import { parseOperators, type Operator } from './shape.js';

type Step = Result<readonly PatchOperation[]>;

/** An operator that leaves the value as it is makes no operation: its key has not changed, and keeps its version. */
const UNCHANGED: Step = ok([]);

/**
 * Applies untrusted operators in order. `document` is not changed.
 *
 * Without a value at the location, `increment` starts from 0, `append` from `[]` and `merge` from `{}`; the
 * parent must exist. `set` writes a member, an existing item, or a new item at the end (`-`).
 *
 * @returns The new document and the JSON Patch that produces it; or `patch_failed` and `key_type_mismatch`
 * with `operation_index` and `pointer`, `limit_exceeded`.
 */
export function applyOperators(
  document: JsonObject,
  operations: JsonValue,
  limits: PatchLimits,
): Result<Patched> {
  const parsed = parseOperators(operations, limits);
  if (!parsed.ok) return parsed;
  const copy = new PathCopy(document);
  const growth = new PatchGrowth(document, limits);
  const patch: PatchOperation[] = [];
  for (const [index, operator] of parsed.value.entries()) {
    const step = stepOf(copy, operator, index, limits);
    if (!step.ok) return step;
    for (const operation of step.value) {
      const failure = carryOut(copy, operation, index, growth, limits);
      if (failure !== null) return failure;
      patch.push(operation);
    }
  }
  return ok({ document: copy.root, patch: shorterOf(patch, copy.root), keepsShape: false });
}

/** The JSON Patch operations of an operator on the current document. */
function stepOf(copy: PathCopy, operator: Operator, index: number, limits: PatchLimits): Step {
  const { pointer: path } = operator;
  const found = copy.read(operator.path);
  const value = 'value' in found ? found.value : undefined;
  switch (operator.op) {
    case 'increment': {
      if (value === undefined) return ok([{ op: 'add', path, value: operator.delta }]);
      if (typeof value !== 'number') return mismatch(index, operator, value, 'a number');
      const sum = value + operator.delta;
      if (sum === value) return UNCHANGED;
      return Number.isFinite(sum)
        ? ok([{ op: 'replace', path, value: sum }])
        : patchFailed(index, `/${index}/delta`, `the sum at ${JSON.stringify(path)} is not finite`);
    }
    case 'append':
      if (value === undefined) return ok([{ op: 'add', path, value: operator.items }]);
      if (!isJsonArray(value)) return mismatch(index, operator, value, 'an array');
      // More new items than a patch may have operations, and than the array has items: a new array is shorter.
      if (operator.items.length > Math.max(limits.patchOperationsMax, value.length)) {
        return ok([{ op: 'replace', path, value: value.concat(operator.items) }]);
      }
      return ok(operator.items.map((item) => ({ op: 'add', path: `${path}/-`, value: item })));
    case 'merge':
      if (value === undefined) return ok([{ op: 'add', path, value: withoutNulls(operator.patch) }]);
      if (!isJsonObject(value)) return mismatch(index, operator, value, 'an object');
      return ok(mergeOperations(value, operator.patch, path));
    case 'set':
      if (value !== undefined && jsonEqual(value, operator.value)) return UNCHANGED;
      return ok([{ op: isItem(copy, operator) ? 'replace' : 'add', path, value: operator.value }]);
    case 'delete':
      return ok([{ op: 'remove', path }]);
  }
}

/** True if the location is an array item, before which `add` would insert. */
function isItem(copy: PathCopy, { path }: Operator): boolean {
  if (path.length === 0 || path.at(-1) === '-') return false;
  const parent = copy.read(path.slice(0, -1));
  return 'value' in parent && isJsonArray(parent.value);
}

function mismatch(index: number, { op, pointer }: Operator, value: JsonValue, expected: string) {
  const found = `${jsonTypeOf(value)} (${excerpt(value)})`;
  return fail(
    'key_type_mismatch',
    `Operation ${index}: ${op} needs ${expected} at ${JSON.stringify(pointer)}, which holds ${found}`,
    { operation_index: index, pointer, expected, actual: jsonTypeOf(value) },
  );
}

function carryOut(
  copy: PathCopy,
  operation: PatchOperation,
  index: number,
  growth: PatchGrowth,
  limits: PatchLimits,
) {
  const path = parsePointer(operation.path) ?? [];
  const added = 'value' in operation ? operation.value : undefined;
  const change =
    operation.op === 'remove' || added === undefined
      ? copy.remove(path)
      : operation.op === 'add'
        ? copy.add(path, added)
        : copy.replace(path, added);
  if ('problem' in change) {
    return patchFailed(index, `/${index}/pointer`, change.problem, { path: operation.path });
  }
  const bytes = growth.change(added, change.replaced);
  return bytes === null ? null : grownTooLarge(index, bytes, limits);
}
