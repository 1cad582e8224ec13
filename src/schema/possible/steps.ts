// Steps from a location to a member or item: which subschemas apply there, and whether it can exist at all.
import { isForbiddenName, isJsonObject, type JsonValue } from '../../domain/json/json.js';
import { parseArrayIndex } from '../../domain/json/pointer.js';
import { holds, itemSchema, memberSchemas, prefixLength } from '../compatibility/evaluate.js';
import { namesOf, numberOf, textsOf, type Budget, type Side } from '../compatibility/side.js';
import { REFERENCE_KEYWORDS } from '../lowering/reference.js';
import { casesOf, dependentSpots, schemaOf, spend, typesIn, type Case, type Spot } from './cases.js';
import { valuesIn } from './values.js';

/** The cases of what a pointer segment names: a member of an object, or an item of an array. */
export function casesUnder(parents: readonly Case[], segment: string, budget: Budget): readonly Case[] {
  return parents.flatMap((parent) => [
    ...casesOfMember(parent, segment, budget),
    ...casesOfItem(parent, parseArrayIndex(segment), budget),
  ]);
}

/** The cases of a member; none if it cannot exist. */
export function casesOfMember(parent: Case, name: string, budget: Budget): readonly Case[] {
  if (isForbiddenName(name)) return [];
  // The presence of a member can make further subschemas apply to the object.
  const dependents = parent.flatMap((spot) => dependentSpots(spot, name));
  const parents = dependents.length === 0 ? [parent] : casesOf([...parent, ...dependents], budget);
  return parents.flatMap((one) => {
    const spots = memberSpots(one, name, budget);
    return spots === null ? [] : casesOf(spots, budget);
  });
}

function memberSpots(parent: Case, name: string, budget: Budget): readonly Spot[] | null {
  if (!typesIn(parent).includes('object')) return null;
  const values = valuesIn(parent);
  if (values?.some((value) => isJsonObject(value) && Object.hasOwn(value, name)) === false) return null;
  const found: Spot[] = [];
  for (const spot of parent) {
    spend(budget);
    const { side, index } = spot;
    const schema = schemaOf(spot);
    if (numberOf(schema['maxProperties'], Infinity) < 1 || forbids(schema['not'], name)) return null;
    const names = side.child(index, 'propertyNames');
    if (names !== null && holds(side, names, name) === false) return null;
    const named = memberSchemas(side, index, name);
    found.push(...named.map((to) => ({ side, index: to })));
    const unevaluated = side.child(index, 'unevaluatedProperties');
    if (unevaluated !== null && !mayEvaluate(spot, (one) => evaluatesMember(one, name))) {
      found.push({ side, index: unevaluated });
    }
  }
  return found;
}

/** `not: {required: [name]}` forbids the member. */
function forbids(not: JsonValue | undefined, name: string): boolean {
  if (!isJsonObject(not) || Object.keys(not).length !== 1) return false;
  const names = textsOf(not['required']);
  return names.length === 1 && names[0] === name;
}

/** The cases of the item at an index; none if it cannot exist. */
export function casesOfItem(parent: Case, at: number | null, budget: Budget): readonly Case[] {
  if (at === null || !typesIn(parent).includes('array')) return [];
  const values = valuesIn(parent);
  if (values?.some((value) => Array.isArray(value) && value.length > at) === false) return [];
  const found: Spot[] = [];
  for (const spot of parent) {
    spend(budget);
    const { side, index } = spot;
    if (numberOf(schemaOf(spot)['maxItems'], Infinity) <= at) return [];
    // All items before it must be possible too.
    for (let before = 0; before < Math.min(at, prefixLength(side, index) + 1); before += 1) {
      const of = itemSchema(side, index, before);
      if (of !== null && side.schema(of) === false) return [];
    }
    const of = itemSchema(side, index, at);
    if (of !== null) found.push({ side, index: of });
    const unevaluated = side.child(index, 'unevaluatedItems');
    if (unevaluated !== null && !mayEvaluate(spot, (one) => evaluatesItem(one, at))) {
      found.push({ side, index: unevaluated });
    }
  }
  return casesOf(found, budget);
}

const IN_PLACE = new Set<string>([
  ...'allOf anyOf oneOf not if then else dependentSchemas dependencies'.split(' '),
  ...REFERENCE_KEYWORDS,
]);

/** Whether a subschema, or any that may apply to the same location through it, evaluates something. */
function mayEvaluate({ side, index }: Spot, evaluates: (spot: Spot, isFirst: boolean) => boolean): boolean {
  const seen = new Set([index]);
  for (const each of seen) {
    if (evaluates({ side, index: each }, each === index)) return true;
    if (each !== index && hasLeft(side, each)) return true;
    for (const edge of side.edges(each)) if (IN_PLACE.has(edge.keyword)) seen.add(edge.to);
  }
  return false;
}

/** `unevaluatedProperties` and `unevaluatedItems` evaluate everything that is left. */
function hasLeft(side: Side, index: number): boolean {
  return ['unevaluatedProperties', 'unevaluatedItems'].some((keyword) => side.child(index, keyword) !== null);
}

function evaluatesMember(spot: Spot, name: string): boolean {
  const { side, index } = spot;
  const schema = schemaOf(spot);
  return (
    namesOf(schema['properties']).includes(name) ||
    schema['additionalProperties'] !== undefined ||
    side.under(index, 'patternProperties').some(({ key }) => side.matches(String(key), name))
  );
}

function evaluatesItem(spot: Spot, at: number): boolean {
  const { side, index } = spot;
  const { contains } = schemaOf(spot);
  return contains !== undefined || at < prefixLength(side, index) || itemSchema(side, index, at) !== null;
}
