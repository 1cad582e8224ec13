// Converts schemas for the OpenAPI document: plain JSON with references to components, and with a type if it is
// known.
import type { TSchema } from 'typebox';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import { COMPONENTS } from '../../ports/api/components.js';

export function referenceTo(section: string, name: string): JsonObject {
  return { $ref: `#/components/${section}/${name}` };
}

/** A schema as plain JSON, without the library's own properties. */
export function plain(schema: TSchema): JsonValue {
  return JSON.parse(JSON.stringify(schema)) as JsonValue;
}

/** The identity of a schema: everything but its description. */
function textOf(schema: JsonObject): string {
  return JSON.stringify({ ...schema, description: undefined });
}

const NAME_BY_TEXT: ReadonlyMap<string, string> = new Map(
  Object.entries(COMPONENTS).flatMap(([name, schema]) => {
    const form = plain(schema);
    return isJsonObject(form) ? [[textOf(form), name] as const] : [];
  }),
);

/** The component name of a schema; `null` if it is not a component. */
function componentOf(schema: JsonObject): string | null {
  const { title } = schema;
  // Recognized by title: values that the service validates itself, and recursive schemas.
  if (typeof title === 'string' && Object.hasOwn(COMPONENTS, title)) return title;
  return NAME_BY_TEXT.get(textOf(schema)) ?? null;
}

function typeOf(value: JsonValue): string {
  if (value === null) return 'null';
  if (isJsonArray(value)) return 'array';
  return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value;
}

/** Adds the type that the values of a closed list have. */
function typed(schema: JsonObject): JsonObject {
  if (schema['type'] !== undefined) return schema;
  const values = schema['const'] === undefined ? schema['enum'] : [schema['const']];
  if (!isJsonArray(values)) return schema;
  const types = [...new Set(values.map(typeOf))];
  return { type: types.length === 1 ? (types[0] ?? null) : types, ...schema };
}

/** Replaces component schemas by references; with `whole`, the schema itself is not replaced. */
function withReferences(schema: JsonValue | undefined, whole = false): JsonValue {
  if (!isJsonObject(schema)) return schema ?? {};
  const name = whole ? null : componentOf(schema);
  if (name !== null) {
    const { description } = schema;
    const own = COMPONENTS_BY_NAME[name]?.['description'];
    const reference = referenceTo('schemas', name);
    return description === undefined || description === own ? reference : { ...reference, description };
  }
  const members = Object.entries(typed(schema)).map(([keyword, value]): [string, JsonValue] => {
    if (LISTS.has(keyword) && isJsonArray(value)) return [keyword, value.map((one) => withReferences(one))];
    if (keyword === 'properties' && isJsonObject(value)) {
      const properties = Object.entries(value).map(([member, one]) => [member, withReferences(one)]);
      return [keyword, Object.fromEntries(properties) as JsonObject];
    }
    return [keyword, SCHEMAS.has(keyword) && isJsonObject(value) ? withReferences(value) : value];
  });
  return Object.fromEntries(members);
}

/** Keywords that contain schemas. */
const LISTS = new Set(['anyOf', 'oneOf', 'allOf']);
const SCHEMAS = new Set(['items', 'additionalProperties', 'not']);

const COMPONENTS_BY_NAME: Readonly<Record<string, JsonObject | undefined>> = Object.fromEntries(
  Object.entries(COMPONENTS).map(([name, schema]) => {
    const form = plain(schema);
    return [name, isJsonObject(form) ? form : {}];
  }),
);

/** A schema with references to components, itself possibly replaced by one. */
export function schemaOf(schema: TSchema): JsonValue {
  return withReferences(plain(schema));
}

/** A schema in full, as a component or as part of one. */
export function wholeSchemaOf(schema: TSchema): JsonValue {
  return withReferences(plain(schema), true);
}

/** Schemas in full, by their names. By default all components. */
export function wholeSchemas(schemas: Readonly<Record<string, TSchema>> = COMPONENTS): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, wholeSchemaOf(schema)]));
}
