// A subschema of a lowered schema, and which keywords say nothing of a type of value.
import { isJsonArray, ownMember, type JsonValue } from '../../domain/json/json.js';
import { formatPointer } from '../../domain/json/pointer.js';

/** A subschema, and its pointer in the lowered schema. */
export interface Part {
  readonly schema: JsonValue;
  readonly pointer: string;
}

/** Keywords that say nothing of objects; Countersign's own, which say nothing of a single document, are not listed. */
export const NOT_OF_OBJECTS = new Set(
  (
    'items prefixItems additionalItems contains minContains maxContains minItems maxItems uniqueItems ' +
    'pattern minLength maxLength format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf $defs'
  ).split(' '),
);
/** The same of arrays. */
export const NOT_OF_ARRAYS = new Set(
  (
    'properties patternProperties additionalProperties propertyNames required minProperties maxProperties ' +
    'dependentRequired dependentSchemas dependencies pattern minLength maxLength format minimum maximum ' +
    'exclusiveMinimum exclusiveMaximum multipleOf $defs'
  ).split(' '),
);

/** Keywords that apply to members. */
export const OF_MEMBERS = new Set(['properties', 'patternProperties', 'additionalProperties']);

export function childOf({ schema, pointer }: Part, name: string): Part {
  // Absent only in a schema that was not lowered from an admitted one: that accepts nothing here.
  const child = ownMember(schema, name);
  const item = isJsonArray(schema) ? schema[Number(name)] : child;
  return { schema: item ?? false, pointer: pointer + formatPointer([name]) };
}
