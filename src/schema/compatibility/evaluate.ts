// Evaluates one value against one schema, as far as possible without formats and annotations. `null` means unknown.
import {
  isJsonArray,
  isJsonObject,
  jsonEqual,
  type JsonObject,
  type JsonValue,
} from '../../domain/json/json.js';
import { isMultipleOf } from '../../document/numbers.js';
import { isInPlace } from '../rules/schema-graph.js';
import { lengthOf, namesOf, numberOf, textsOf, typeOf, typesOf, type Side } from './side.js';

/** Yes, no or unknown. */
export type Ternary = boolean | null;

/** Logical and: false if any is false. */
export function every(results: Iterable<Ternary>): Ternary {
  let all: Ternary = true;
  for (const result of results) {
    if (result === false) return false;
    if (result === null) all = null;
  }
  return all;
}

/** Logical or: true if any is true. */
function some(results: Iterable<Ternary>): Ternary {
  return invert(every(mapped(results, invert)));
}

function invert(result: Ternary): Ternary {
  return result === null ? null : !result;
}

function* mapped(results: Iterable<Ternary>, map: (result: Ternary) => Ternary): Iterable<Ternary> {
  for (const result of results) yield map(result);
}

/** Evaluates a value against a subschema. Admission bounds the depth of both. */
export function holds(side: Side, index: number, value: JsonValue): Ternary {
  const schema = side.schema(index);
  if (typeof schema === 'boolean') return schema;
  if (!side.budget.spend()) return null;
  return every(resultsOf(side, index, schema, value));
}

function* resultsOf(side: Side, index: number, schema: JsonObject, value: JsonValue): Iterable<Ternary> {
  yield typesOf(schema).includes(typeOf(value));
  const { enum: values, const: only, format } = schema;
  if (isJsonArray(values)) yield values.some((one) => jsonEqual(one, value));
  if (only !== undefined) yield jsonEqual(only, value);
  if (typeof value === 'number') yield* ofNumber(schema, value);
  if (typeof value === 'string') yield* ofText(side, schema, value);
  if (format !== undefined && (typeof value === 'string' || typeof value === 'number')) yield null;
  if (isJsonArray(value)) yield* ofArray(side, index, schema, value);
  if (isJsonObject(value)) yield* ofObject(side, index, schema, value);
  yield* inPlace(side, index, schema, value);
}

function* inPlace(side: Side, index: number, schema: JsonObject, value: JsonValue): Iterable<Ternary> {
  const under = (keyword: string) => side.under(index, keyword).map(({ to }) => holds(side, to, value));
  if (side.isAmbiguous(index)) yield null;
  for (const edge of side.edges(index)) {
    if (edge.certain && isInPlace(edge.keyword)) yield holds(side, edge.to, value);
  }
  if (schema['anyOf'] !== undefined) yield some(under('anyOf'));
  if (schema['oneOf'] !== undefined) yield exactlyOne(under('oneOf'));
  if (schema['not'] !== undefined) yield invert(every(under('not')));
  if (schema['if'] !== undefined) {
    const condition = every(under('if'));
    yield some([invert(condition), every(under('then'))]);
    yield some([condition, every(under('else'))]);
  }
}

function exactlyOne(results: readonly Ternary[]): Ternary {
  if (results.filter((one) => one === true).length > 1) return false;
  if (results.includes(null)) return null;
  return results.filter((one) => one === true).length === 1;
}

function* ofNumber(schema: JsonObject, value: number): Iterable<Ternary> {
  yield value >= numberOf(schema['minimum'], -Infinity);
  yield value <= numberOf(schema['maximum'], Infinity);
  yield value > numberOf(schema['exclusiveMinimum'], -Infinity);
  yield value < numberOf(schema['exclusiveMaximum'], Infinity);
  const { multipleOf } = schema;
  if (typeof multipleOf === 'number') yield isMultipleOf(value, multipleOf);
}

function* ofText(side: Side, schema: JsonObject, value: string): Iterable<Ternary> {
  const { pattern } = schema;
  yield lengthOf(value) >= numberOf(schema['minLength'], 0);
  yield lengthOf(value) <= numberOf(schema['maxLength'], Infinity);
  if (typeof pattern === 'string') yield side.matches(pattern, value);
}

function* ofArray(
  side: Side,
  index: number,
  schema: JsonObject,
  value: readonly JsonValue[],
): Iterable<Ternary> {
  yield value.length >= numberOf(schema['minItems'], 0);
  yield value.length <= numberOf(schema['maxItems'], Infinity);
  if (schema['uniqueItems'] === true) {
    yield value.every((item, at) => !value.slice(0, at).some((other) => jsonEqual(item, other)));
  }
  if (schema['unevaluatedItems'] !== undefined && value.length > 0) yield null;
  for (const [at, item] of value.entries()) {
    const of = itemSchema(side, index, at);
    if (of !== null) yield holds(side, of, item);
  }
  const contains = side.child(index, 'contains');
  if (contains === null) return;
  const found = value.map((item) => holds(side, contains, item));
  const certain = found.filter((one) => one === true).length;
  const maybe = certain + found.filter((one) => one === null).length;
  const [least, most] = [numberOf(schema['minContains'], 1), numberOf(schema['maxContains'], Infinity)];
  yield certain >= least ? true : maybe >= least ? null : false;
  yield maybe <= most ? true : certain <= most ? null : false;
}

/** The subschema of the item at an index: by its position, or the one for the remaining items. */
export function itemSchema(side: Side, index: number, at: number): number | null {
  const fixed = side.child(index, 'prefixItems', at) ?? side.child(index, 'items', at);
  if (fixed !== null) return fixed;
  return at < prefixLength(side, index) ? null : restSchema(side, index);
}

/** The subschema of the items after those with a fixed position. */
export function restSchema(side: Side, index: number): number | null {
  return side.child(index, 'items') ?? side.child(index, 'additionalItems');
}

/** Number of items with a fixed position. */
export function prefixLength(side: Side, index: number): number {
  const { items, prefixItems } = objectAt(side, index);
  return isJsonArray(prefixItems) ? prefixItems.length : isJsonArray(items) ? items.length : 0;
}

function objectAt(side: Side, index: number): JsonObject {
  const schema = side.schema(index);
  return typeof schema === 'boolean' ? {} : schema;
}

function* ofObject(side: Side, index: number, schema: JsonObject, value: JsonObject): Iterable<Ternary> {
  const names = Object.keys(value);
  yield names.length >= numberOf(schema['minProperties'], 0);
  yield names.length <= numberOf(schema['maxProperties'], Infinity);
  const missing = (name: string) => !Object.hasOwn(value, name);
  yield !textsOf(schema['required']).some(missing);
  if (schema['unevaluatedProperties'] !== undefined && names.length > 0) yield null;
  const nameSchema = side.child(index, 'propertyNames');
  for (const name of names) {
    if (nameSchema !== null) yield holds(side, nameSchema, name);
    for (const of of memberSchemas(side, index, name)) yield holds(side, of, value[name] ?? null);
    for (const keyword of ['dependentRequired', 'dependencies']) {
      const rules = schema[keyword];
      if (isJsonObject(rules) && Object.hasOwn(rules, name)) yield !textsOf(rules[name]).some(missing);
    }
    for (const keyword of ['dependentSchemas', 'dependencies']) {
      const dependent = side.child(index, keyword, name);
      if (dependent !== null) yield holds(side, dependent, value);
    }
  }
}

/** The subschemas of a member: by its name, or the one for all other names. */
export function memberSchemas(side: Side, index: number, name: string): readonly number[] {
  const named = side.child(index, 'properties', name);
  const matching = side
    .under(index, 'patternProperties')
    .filter(({ key }) => side.matches(String(key), name))
    .map(({ to }) => to);
  const found = named === null ? matching : [named, ...matching];
  if (found.length > 0 || namesOf(objectAt(side, index)['properties']).includes(name)) return found;
  const additional = side.child(index, 'additionalProperties');
  return additional === null ? [] : [additional];
}
