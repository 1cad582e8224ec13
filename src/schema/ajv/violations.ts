// The violations that a compiled schema has found in a document, in the terms of the registered schema.
import type { ErrorObject } from 'ajv';
import type { Violation } from '../../domain/errors.js';
import type { JsonObject } from '../../domain/json/json.js';
import { violationOf } from '../../domain/schemas/violation.js';

/**
 * Translates Ajv's errors.
 *
 * @param violationsMax - Most violations to return. If there are more, errors inside branches of `anyOf` and
 * `oneOf`, which only explain why a branch failed, are omitted first.
 * @param original - Maps a subschema that Ajv was given to the registered one.
 */
export function violationsOf(
  errors: readonly ErrorObject[],
  violationsMax: number,
  original: (schema: unknown) => JsonObject | boolean | undefined = () => undefined,
): readonly Violation[] {
  const inBranch = ({ schemaPath }: ErrorObject) => /\/(anyOf|oneOf)\/\d+\//.test(schemaPath);
  const reported =
    errors.length <= violationsMax
      ? errors
      : [...errors.filter((error) => !inBranch(error)), ...errors.filter(inBranch)].slice(0, violationsMax);
  return reported.map((error) => violationOf(asWritten(error, original)));
}

/** The error with registered subschemas in place of those that Ajv was given. */
function asWritten(
  error: ErrorObject,
  original: (schema: unknown) => JsonObject | boolean | undefined,
): ErrorObject {
  const parentSchema = original(error.parentSchema);
  if (parentSchema === undefined || typeof parentSchema === 'boolean') return error;
  const schema: unknown = typeof error.schema === 'object' ? parentSchema[error.keyword] : undefined;
  return { ...error, parentSchema, schema: schema ?? error.schema };
}
