// Requirements on every document, independent of its schema: an object, not too deep, no forbidden member names.
import { ok, invalidMember, fail, type Result, type Violation } from '../domain/errors.js';
import { isJsonObject, jsonTypeOf, type JsonObject, type JsonValue } from '../domain/json/json.js';
import type { Limits } from '../domain/limits.js';
import { scan } from '../domain/json/scan.js';

/** Why a value that is no object is no document. */
export function notAnObject(value: JsonValue): Violation {
  const message = `the document must be an object, not ${jsonTypeOf(value)}`;
  return { pointer: '', keyword: 'type', message, expected: { type: 'object' } };
}

/**
 * Checks a document before it becomes a version of a state.
 *
 * @returns The document; or `validation_failed` (not an object), `limit_exceeded` (too deep),
 * `invalid_request` (a forbidden member name).
 */
export function checkDocument(
  value: JsonValue,
  limits: Pick<Limits, 'documentDepthMax'>,
): Result<JsonObject> {
  if (!isJsonObject(value)) {
    const violation = notAnObject(value);
    return fail('validation_failed', violation.message, { errors: [violation] });
  }
  const result = scan(value, limits.documentDepthMax);
  if (result.found === 'name') {
    return invalidMember(result.pointer, `the member name ${JSON.stringify(result.name)} is not allowed`, {
      not: ['__proto__', 'constructor', 'prototype'],
    });
  }
  if (result.found === 'depth') {
    return fail(
      'limit_exceeded',
      `The document is nested deeper than ${limits.documentDepthMax} levels of objects and arrays`,
      {
        limit: 'documentDepthMax',
        maximum: limits.documentDepthMax,
        actual: result.depth,
        pointer: result.pointer,
      },
    );
  }
  return ok(value);
}
