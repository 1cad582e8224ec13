// Schemas that stand inside of a request: what is refused of them is told by its place in the request.
import { type Outcome, type Violation } from '../../domain/errors.js';
import type { JsonValue } from '../../domain/json/json.js';
import type { AdmittedSchema, SchemaEngine } from '../../ports/schema-engine.js';

/**
 * @param at - Place of the schema in the request, as a JSON Pointer.
 * @returns What `SchemaEngine.admit` does, with pointers into the request; a refusal without places has `pointer: at`.
 */
export async function admitWithin(
  engine: Pick<SchemaEngine, 'admit'>,
  schema: JsonValue,
  at: string,
): Promise<Outcome<AdmittedSchema>> {
  const admitted = await engine.admit(schema, 'value');
  if (admitted.ok) return admitted;
  const { error, detail, members } = admitted.refusal;
  const { errors, pointer } = members;
  if (error !== 'invalid_schema') {
    const place = at + (typeof pointer === 'string' ? pointer : '');
    return {
      ok: false,
      refusal: { error, detail: `${place}: ${detail}`, members: { ...members, pointer: place } },
    };
  }
  // Parsing: the refusal of an invalid schema lists violations.
  const placed = ((errors ?? []) as readonly Violation[]).map((one) => ({
    ...one,
    pointer: at + one.pointer,
  }));
  const [first] = placed;
  const told = first === undefined ? detail : `${first.pointer}: ${first.message}`;
  return { ok: false, refusal: { error, detail: told, members: { ...members, errors: placed } } };
}
