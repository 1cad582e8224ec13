// Where the subschemas of a schema lie. Pure walking: knows positions, nothing of validation.
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import { formatPointer } from '../../domain/json/pointer.js';

/** A subschema and where it stands. */
export interface Subschema {
  /** Its position in the outline. */
  readonly index: number;
  readonly pointer: string;
  readonly schema: JsonObject | boolean;
  /** The URI that its references are relative to: the nearest `$id`, its own included. */
  readonly base: string;
  /** The subschemas directly under it. */
  readonly children: readonly Child[];
}

/** A subschema under another one. `key` is the member name or index within the keyword, where there is one. */
export interface Child {
  readonly keyword: string;
  readonly key: string | number | null;
  readonly index: number;
}

/** Stands in where a schema has no `$id`; nothing is ever fetched from it. */
const ROOT_BASE = 'https://schema.invalid/';

const SINGLE = new Set(
  (
    'additionalItems additionalProperties contains contentSchema else if items not propertyNames then ' +
    'unevaluatedItems unevaluatedProperties'
  ).split(' '),
);
const LISTS = new Set(['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems']);
const MAPS = new Set(
  '$defs definitions dependencies dependentSchemas patternProperties properties'.split(' '),
);

function isSchema(value: JsonValue | undefined): value is JsonObject | boolean {
  return typeof value === 'boolean' || isJsonObject(value);
}

/** Resolves a URI reference; text that is no URI gives `null`. */
export function resolveUri(reference: string, base: string): string | null {
  return URL.canParse(reference, base) ? new URL(reference, base).href : null;
}

/** A value under a schema that is a schema itself. */
export interface Place {
  readonly keyword: string;
  readonly key: string | number | null;
  readonly schema: JsonObject | boolean;
}

/** The values directly under a schema that are schemas themselves. What has another form is left to the meta-schema. */
export function subschemasUnder(schema: JsonObject): Place[] {
  const places: Place[] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    if (SINGLE.has(keyword) && isSchema(value)) places.push({ keyword, key: null, schema: value });
    else if (LISTS.has(keyword) && isJsonArray(value)) {
      for (const [key, item] of value.entries()) {
        if (isSchema(item)) places.push({ keyword, key, schema: item });
      }
    } else if (MAPS.has(keyword) && isJsonObject(value)) {
      for (const [key, member] of Object.entries(value)) {
        if (isSchema(member)) places.push({ keyword, key, schema: member });
      }
    }
  }
  return places;
}

/**
 * Lists a schema and all its subschemas, the whole schema first. Recursive: the depth has to be checked before.
 *
 * @param subschemasMax - The walk ends past this number; the list is then longer than it, and not complete.
 */
export function outlineOf(root: JsonObject | boolean, subschemasMax = Infinity): readonly Subschema[] {
  const outline: Subschema[] = [];
  const visit = (schema: JsonObject | boolean, pointer: string, outerBase: string): number => {
    const id = isJsonObject(schema) ? schema['$id'] : undefined;
    const base = (typeof id === 'string' ? resolveUri(id, outerBase) : null) ?? outerBase;
    const index = outline.length;
    const children: Child[] = [];
    outline.push({ index, pointer, schema, base: base.replace(/#.*$/, ''), children });
    if (typeof schema === 'boolean') return index;
    for (const { keyword, key, schema: child } of subschemasUnder(schema)) {
      if (outline.length > subschemasMax) break;
      const at = pointer + formatPointer(key === null ? [keyword] : [keyword, key]);
      children.push({ keyword, key, index: visit(child, at, base) });
    }
    return index;
  };
  visit(root, '', ROOT_BASE);
  return outline;
}
