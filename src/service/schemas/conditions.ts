// Conditions of waits and webhooks: a JSON Schema, or a word for a condition on the workflow record.
import { fail, ok, type Result } from '../../domain/errors.js';
import type { JsonObject, JsonValue } from '../../domain/json/json.js';
import { satisfiesNamed, CONDITION_NAMES, namedCondition } from '../../domain/workflow/named-conditions.js';
import { after, type MaybePromise } from '../../lib/maybe-promise.js';
import type { AdmittedSchema, SchemaEngine } from '../../ports/schema-engine.js';
import { admitWithin } from './admit-within.js';

/**
 * @param at - Location of the condition in the request, as a JSON Pointer.
 * @returns The condition as a schema; or the failures of `admitWithin`.
 */
export async function admitCondition(
  engine: Pick<SchemaEngine, 'admit'>,
  condition: JsonValue,
  at: string,
): Promise<Result<AdmittedSchema>> {
  if (typeof condition !== 'string') return admitWithin(engine, condition, at);
  const schema = namedCondition(condition);
  if (schema !== null) return admitWithin(engine, schema, at);
  const message = `is neither a JSON Schema nor one of ${CONDITION_NAMES.join(', ')}`;
  return fail('invalid_schema', `${at}: ${message}`, {
    errors: [
      {
        pointer: at,
        keyword: 'type',
        message,
        expected: { anyOf: [{ type: 'object' }, { enum: CONDITION_NAMES }] },
      },
    ],
  });
}

/** @returns Whether the document satisfies the condition; or `schema_too_complex` if that takes too long. */
export function satisfies(
  engine: Pick<SchemaEngine, 'validate'>,
  condition: AdmittedSchema,
  document: JsonObject,
  bytes: number,
): MaybePromise<Result<boolean>> {
  return after(engine.validate(condition, document, bytes), (found) =>
    found.ok ? ok(found.value.length === 0 && satisfiesNamed(condition.schema, document)) : found,
  );
}
