// The parts of a JSON Schema that speak of a place of a document. Pure.
import type { JsonObject, JsonValue } from '../../../client/index.js';
import { isContainer, isList, segmentsOf, valueAt, type Pointer } from './document.js';

/** A schema may refer to itself; so many parts are enough to describe one place. */
const PARTS_MAX = 50;

const isObject = (value: JsonValue | undefined): value is JsonObject => isContainer(value) && !isList(value);

const listOf = (value: JsonValue | undefined): readonly JsonValue[] =>
  isContainer(value) && isList(value) ? value : [];

/** The parts with all that they refer to or are made of. Conditions (`if`) are left out. */
function expanded(root: JsonObject, parts: readonly JsonObject[]): readonly JsonObject[] {
  const all = new Set<JsonObject>();
  const add = (part: JsonValue | undefined) => {
    if (!isObject(part) || all.size >= PARTS_MAX || all.has(part)) return;
    all.add(part);
    const { $ref } = part;
    if (typeof $ref === 'string' && $ref.startsWith('#')) add(valueAt(root, $ref.slice(1)));
    for (const name of ['allOf', 'anyOf', 'oneOf']) listOf(part[name]).forEach(add);
  };
  parts.forEach(add);
  return [...all];
}

/** The parts for a member or an item. */
function below(part: JsonObject, name: string): readonly (JsonValue | undefined)[] {
  const { properties, patternProperties, prefixItems, items, additionalProperties } = part;
  const named = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  const fitting = isObject(patternProperties)
    ? Object.entries(patternProperties)
        .filter(([pattern]) => fits(pattern, name))
        .map(([, inner]) => inner)
    : [];
  const isIndex = /^\d+$/.test(name);
  const item = isIndex ? (listOf(prefixItems)[Number(name)] ?? items) : undefined;
  const known = [named, ...fitting].filter((one) => one !== undefined);
  return [...(known.length > 0 ? known : [additionalProperties]), item];
}

function fits(pattern: string, name: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(name);
  } catch {
    return false;
  }
}

/** The parts that speak of a place, the outermost first; none where the schema says nothing of it. */
export function schemaAt(schema: JsonObject, pointer: Pointer): readonly JsonObject[] {
  let parts = expanded(schema, [schema]);
  for (const name of segmentsOf(pointer))
    parts = expanded(schema, parts.flatMap((part) => below(part, name)).filter(isObject));
  return parts;
}
