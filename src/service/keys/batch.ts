// Writes several keys at once. All operations are applied, or none, with a result for each.
import { ok, invalidMember, fail, type Result } from '../../domain/errors.js';
import type { JsonValue } from '../../domain/json/json.js';
import type { Limits } from '../../domain/limits.js';
import { formatPointer } from '../../domain/json/pointer.js';
import type * as api from '../../ports/api/index.js';
import { warningsView } from '../views.js';
import type { WriteResult } from '../writes/prepare-write.js';
import type { KeyCondition, KeyConditions, KeyExpectation } from '../../domain/keys/conditions.js';

interface Batch {
  readonly operations: readonly JsonValue[];
  readonly conditions: KeyConditions;
}

/** @returns What to write; or `invalid_request` (the same key twice) or `limit_exceeded`. */
export function batchOf({ operations }: api.KeyBatch, limits: Limits): Result<Batch> {
  if (operations.length > limits.patchOperationsMax) {
    return fail('limit_exceeded', `A batch may hold ${String(limits.patchOperationsMax)} operations`, {
      limit: 'patchOperationsMax',
      maximum: limits.patchOperationsMax,
      actual: operations.length,
    });
  }
  const keys = operations.map(({ key }) => key);
  const twice = keys.findIndex((key, index) => keys.indexOf(key) < index);
  if (twice !== -1) {
    return invalidMember(`/operations/${String(twice)}/key`, 'stands twice in the batch', 'each key once');
  }
  const conditions = operations.map((operation): KeyCondition => ({
    key: operation.key,
    expected: expectationOf(operation),
  }));
  return ok({ operations: operations.map(operatorOf), conditions: { conditions, batch: true } });
}

/** The answer to a batch that was written. */
export function batchResult(
  { operations }: api.KeyBatch,
  { head, changed, warnings }: WriteResult,
): api.KeyBatchResult {
  return {
    applied: true,
    changed,
    results: operations.map(({ op, key }) => ({ key, op, status: 'applied' })),
    global_version: head.version,
    ...warningsView(warnings),
  };
}

function expectationOf({ op, if_match: ifMatch }: api.KeyBatch['operations'][number]): KeyExpectation {
  // A deletion with `if_match: 0` expects an absent key, and there is nothing to delete then. No version is 0, so
  // this condition never holds.
  if (ifMatch === 0) return op === 'delete' ? 0 : 'absent';
  if (typeof ifMatch === 'number') return ifMatch;
  return op === 'delete' || ifMatch === '*' ? 'present' : 'any';
}

function operatorOf(operation: api.KeyBatch['operations'][number]): JsonValue {
  const pointer = formatPointer([operation.key]);
  return operation.op === 'set' ? { op: 'set', pointer, value: operation.value } : { op: 'delete', pointer };
}
