// The parts of a JSON Schema that speak of a location of a document. Pure.
import type { JsonObject, JsonValue } from '../../../client/index.js';
import { compilePattern } from '../../../schema/patterns/pattern.js';
import { isContainer, isList, segmentsOf, valueAt, type Pointer } from './document.js';

/** A schema may refer to itself; so many parts are enough to describe one location. */
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
    if (typeof $ref === 'string' && $ref.startsWith('#')) add(referredTo(root, $ref.slice(1)));
    for (const name of ['allOf', 'anyOf', 'oneOf']) listOf(part[name]).forEach(add);
  };
  parts.forEach(add);
  return [...all];
}

/** @param fragment - A JSON Pointer as a URL holds it, or an anchor. */
function referredTo(root: JsonObject, fragment: string): JsonValue | undefined {
  const location = decodeURIComponent(fragment);
  return location === '' || location.startsWith('/') ? valueAt(root, location) : anchored(root, location);
}

/** The part that has an anchor. Draft-07 writes it as `$id`. */
function anchored(within: JsonValue, anchor: string): JsonObject | undefined {
  if (!isContainer(within)) return undefined;
  if (isObject(within) && (within['$anchor'] === anchor || within['$id'] === `#${anchor}`)) return within;
  for (const inner of Object.values(within)) {
    const found = anchored(inner, anchor);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The parts for a member or an item. */
function below(part: JsonObject, name: string): readonly (JsonValue | undefined)[] {
  const { properties, patternProperties, additionalProperties } = part;
  const named = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  const fitting = isObject(patternProperties)
    ? Object.entries(patternProperties)
        .filter(([pattern]) => fits(pattern, name))
        .map(([, inner]) => inner)
    : [];
  const known = [named, ...fitting].filter((one) => one !== undefined);
  return [...(known.length > 0 ? known : [additionalProperties]), itemOf(part, name)];
}

/** Drafts before 2020-12 list the first items in `items`, and describe the others in `additionalItems`. */
function itemOf({ prefixItems, items, additionalItems }: JsonObject, name: string): JsonValue | undefined {
  if (!/^\d+$/.test(name)) return undefined;
  const isListed = isContainer(items) && isList(items);
  const first = isListed ? items : listOf(prefixItems);
  return first[Number(name)] ?? (isListed ? additionalItems : items);
}

/** On the engine of the service: that of the browser can take for ever, and reads some patterns differently. */
function fits(pattern: string, name: string): boolean {
  return compilePattern(pattern).test(name);
}

/** The parts that speak of a location, the outermost first; none where the schema says nothing of it. */
export function schemaAt(schema: JsonObject, pointer: Pointer): readonly JsonObject[] {
  let parts = expanded(schema, [schema]);
  for (const name of segmentsOf(pointer))
    parts = expanded(schema, parts.flatMap((part) => below(part, name)).filter(isObject));
  return parts;
}
