// Admits a schema that is part of a request. Failures point to locations in the request.
import { type Result, type Violation } from '../../domain/errors.js';
import type { JsonValue } from '../../domain/json/json.js';
import type { AdmittedSchema, SchemaEngine } from '../../ports/schema-engine.js';

/**
 * @param at - Location of the schema in the request, as a JSON Pointer.
 * @returns The result of `SchemaEngine.admit`, with pointers into the request. A failure without a location
 *   gets `pointer: at`.
 */
export async function admitWithin(
  engine: Pick<SchemaEngine, 'admit'>,
  schema: JsonValue,
  at: string,
): Promise<Result<AdmittedSchema>> {
  const admitted = await engine.admit(schema, 'value');
  if (admitted.ok) return admitted;
  const { error, detail, members } = admitted.failure;
  const { errors, pointer } = members;
  if (error !== 'invalid_schema') {
    const location = at + (typeof pointer === 'string' ? pointer : '');
    return {
      ok: false,
      failure: { error, detail: `${location}: ${detail}`, members: { ...members, pointer: location } },
    };
  }
  // Parsing: the failure `invalid_schema` has a list of violations.
  const placed = ((errors ?? []) as readonly Violation[]).map((one) => ({
    ...one,
    pointer: at + one.pointer,
  }));
  const [first] = placed;
  const message = first === undefined ? detail : `${first.pointer}: ${first.message}`;
  return { ok: false, failure: { error, detail: message, members: { ...members, errors: placed } } };
}
