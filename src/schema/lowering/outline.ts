// Lists the subschemas of a schema with their positions. Does not validate.
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import { formatPointer } from '../../domain/json/pointer.js';

/** A subschema and its position. */
export interface Subschema {
  /** Its index in the outline. */
  readonly index: number;
  readonly pointer: string;
  readonly schema: JsonObject | boolean;
  /** The base URI of its references: the nearest `$id`, including its own. */
  readonly base: string;
  /** Its direct subschemas. */
  readonly children: readonly Child[];
}

/** A direct subschema. `key` is the member name or index within the keyword; `null` if the keyword holds one schema. */
export interface Child {
  readonly keyword: string;
  readonly key: string | number | null;
  readonly index: number;
}

/** The base URI of a schema without `$id`. Nothing is ever fetched from it. */
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

/** Resolves a URI reference; `null` if the text is not a valid URI. */
export function resolveUri(reference: string, base: string): string | null {
  return URL.canParse(reference, base) ? new URL(reference, base).href : null;
}

/** A value in a schema that is itself a schema. */
interface ChildSchema {
  readonly keyword: string;
  readonly key: string | number | null;
  readonly schema: JsonObject | boolean;
}

/** The direct subschemas of a schema. Values of any other form are left to the meta-schema. */
export function subschemasUnder(schema: JsonObject): ChildSchema[] {
  const children: ChildSchema[] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    if (SINGLE.has(keyword) && isSchema(value)) children.push({ keyword, key: null, schema: value });
    else if (LISTS.has(keyword) && isJsonArray(value)) {
      for (const [key, item] of value.entries()) {
        if (isSchema(item)) children.push({ keyword, key, schema: item });
      }
    } else if (MAPS.has(keyword) && isJsonObject(value)) {
      for (const [key, member] of Object.entries(value)) {
        if (isSchema(member)) children.push({ keyword, key, schema: member });
      }
    }
  }
  return children;
}

/**
 * Lists a schema and all its subschemas, the root first. Recursive: check the depth first.
 *
 * @param subschemasMax - The walk stops beyond this number. The list is then longer than the number, and incomplete.
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
