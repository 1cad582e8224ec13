// Builds small example values for a case: first values that the schema names, then the minimum that its types
// require.
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import { namesOf, textsOf, type Budget, type Type } from '../compatibility/side.js';
import { casesOf, dependentSpots, schemaOf, spend, spotsUnder, typesIn, type Case } from './cases.js';
import { patternText } from './pattern-text.js';
import { bound, numbersFor, textsFor } from './scalars.js';
import { requiredIn } from './satisfiable.js';
import { casesOfItem, casesOfMember } from './steps.js';
import { mayBe, valuesIn } from './values.js';

/** Most levels of members and items to build. */
const DEPTH_MAX = 10;
const ITEMS_MAX = 16;
const NAMES_MAX = 64;
/** Most optional members to show if none is required. */
const OPTIONAL_MAX = 4;
/** Most cases of a location to try. */
const CASES_MAX = 8;

/** The order of types, most likely result first. */
const ORDER: readonly Type[] = ['string', 'integer', 'fraction', 'boolean', 'object', 'array', 'null'];
const OF_OBJECTS = ['properties', 'required', 'patternProperties', 'minProperties', 'dependentRequired'];
const OF_ARRAYS = ['items', 'prefixItems', 'minItems', 'contains'];
const OF_NUMBERS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];

/** The position of a value in an example. */
interface Position {
  readonly depth: number;
  /** Different numbers give different values if possible, so that items differ. */
  readonly seed: number;
}

const TOP: Position = { depth: 0, seed: 0 };

/** Candidate values for a location, best first. Not all of them satisfy the schema. */
export function* examplesOf(cases: readonly Case[], budget: Budget, position = TOP): Iterable<JsonValue> {
  for (const spots of cases.slice(0, CASES_MAX)) {
    for (const each of [spots, ...furtherCases(spots, budget)]) {
      for (const value of candidates(each, budget, position)) {
        spend(budget);
        if (mayBe(each, value)) yield value;
      }
    }
  }
}

/**
 * Cases with conditional subschemas added, as if the condition were met: `then`, and the schemas that
 * required members bring.
 */
function furtherCases(spots: Case, budget: Budget): readonly Case[] {
  const required = requiredIn(spots);
  const more = spots.flatMap((spot) => {
    const then = spotsUnder(spot, 'then');
    const dependent = required.flatMap((name) => dependentSpots(spot, name));
    return [...(then.length === 0 ? [] : [...spotsUnder(spot, 'if'), ...then]), ...dependent];
  });
  return more.length === 0 ? [] : casesOf([...spots, ...more], budget);
}

/** The best candidate; `undefined` if there is none. */
function exampleOf(cases: readonly Case[], budget: Budget, position: Position): JsonValue | undefined {
  for (const value of examplesOf(cases, budget, position)) return value;
  return undefined;
}

function* candidates(spots: Case, budget: Budget, position: Position): Iterable<JsonValue> {
  if (position.depth > DEPTH_MAX) return;
  const values = valuesIn(spots);
  if (values !== null) {
    yield* rotated(values, position.seed);
    return;
  }
  yield* rotated(named(spots), position.seed);
  for (const type of likeliest(spots)) yield* ofType(type, spots, budget, position);
}

/** The values that the schemas themselves name: `default` and `examples`. */
function named(spots: Case): readonly JsonValue[] {
  return spots.flatMap((spot) => {
    const { default: usual, examples } = schemaOf(spot);
    return [...(usual === undefined ? [] : [usual]), ...(isJsonArray(examples) ? examples : [])];
  });
}

function rotated(values: readonly JsonValue[], by: number): readonly JsonValue[] {
  const at = values.length === 0 ? 0 : by % values.length;
  return [...values.slice(at), ...values.slice(0, at)];
}

function likeliest(spots: Case): readonly Type[] {
  const hasAny = (keywords: readonly string[]) =>
    spots.some((spot) => keywords.some((keyword) => schemaOf(spot)[keyword] !== undefined));
  const hinted: Type[] = [];
  if (hasAny(OF_OBJECTS)) hinted.push('object');
  if (hasAny(OF_ARRAYS)) hinted.push('array');
  if (hasAny(OF_NUMBERS)) hinted.push('integer', 'fraction');
  const allowed = typesIn(spots);
  return [...new Set([...hinted, ...ORDER])].filter((type) => allowed.includes(type));
}

function* ofType(type: Type, spots: Case, budget: Budget, position: Position): Iterable<JsonValue> {
  switch (type) {
    case 'string':
      yield* textsFor(spots, position.seed);
      return;
    case 'integer':
      for (const number of numbersFor(spots, position.seed)) if (Number.isInteger(number)) yield number;
      return;
    case 'fraction':
      yield* numbersFor(spots, position.seed);
      yield 0.5;
      return;
    case 'boolean':
      yield true;
      yield false;
      return;
    case 'null':
      yield null;
      return;
    case 'object': {
      const value = objectOf(spots, {}, budget, position);
      if (value !== undefined) yield value;
      return;
    }
    case 'array': {
      const value = itemsOf(spots, 0, budget, position);
      if (value !== undefined) yield value;
    }
  }
}

/** @param given - Members that already have a value. */
function objectOf(
  spots: Case,
  given: JsonObject,
  budget: Budget,
  position: Position,
): JsonObject | undefined {
  const members = new Map<string, JsonValue>();
  const names = new Set([...Object.keys(given), ...requiredIn(spots)]);
  const add = (name: string): boolean => {
    if (names.size > NAMES_MAX) return false;
    const value = Object.hasOwn(given, name)
      ? given[name]
      : exampleOf(casesOfMember(spots, name, budget), budget, { ...position, depth: position.depth + 1 });
    if (value === undefined) return false;
    members.set(name, value);
    for (const one of dependents(spots, name)) names.add(one);
    return true;
  };
  for (const name of names) if (!add(name)) return undefined;
  const least = Math.max(bound(spots, 'minProperties', 'most'), 0);
  const shown = position.depth === 0 && names.size === 0 ? Math.min(OPTIONAL_MAX, mostMembers(spots)) : least;
  for (const name of optionalNames(spots)) {
    if (members.size >= Math.max(least, shown)) break;
    if (!members.has(name) && dependents(spots, name).every((one) => members.has(one))) add(name);
  }
  for (let n = 1; members.size < least; n += 1) {
    if (n > NAMES_MAX || !add(`member${String(n)}`)) return undefined;
  }
  return Object.fromEntries(members);
}

function mostMembers(spots: Case): number {
  return bound(spots, 'maxProperties', 'least');
}

function dependents(spots: Case, name: string): readonly string[] {
  return spots.flatMap((spot) =>
    ['dependentRequired', 'dependencies'].flatMap((keyword) => {
      const rules = schemaOf(spot)[keyword];
      return isJsonObject(rules) && Object.hasOwn(rules, name) ? textsOf(rules[name]) : [];
    }),
  );
}

function* optionalNames(spots: Case): Iterable<string> {
  for (const spot of spots) yield* namesOf(schemaOf(spot)['properties']);
  yield* patternNames(spots);
}

const NAME_VARIANTS = [0, 1, 3, 7].flatMap((more) => [0, 1, 2].map((seed) => [more, seed] as const));

/** Names that match the patterns of an object. */
export function* patternNames(spots: Case): Iterable<string> {
  for (const spot of spots) {
    const { side, index } = spot;
    const patterns = namesOf(schemaOf(spot)['patternProperties']);
    const names = side.child(index, 'propertyNames');
    const also = names === null ? undefined : side.value(names, 'pattern');
    for (const pattern of [...patterns, ...(typeof also === 'string' ? [also] : [])]) {
      for (const [more, seed] of NAME_VARIANTS) {
        const name = patternText(pattern, more, seed);
        if (name !== null && name !== '') yield name;
      }
    }
  }
}

/** @param from - Index of the first new item; as many items already exist. */
function itemsOf(spots: Case, from: number, budget: Budget, position: Position): JsonValue[] | undefined {
  const contained = spots.flatMap((spot) => spotsUnder(spot, 'contains'));
  const least = Math.max(bound(spots, 'minItems', 'most'), from === 0 ? 0 : 1);
  const wanted = contained.length === 0 ? 0 : Math.max(1, bound(spots, 'minContains', 'most'));
  const count = Math.max(least - from, wanted, position.depth === 0 || from > 0 ? 1 : 0);
  if (count > ITEMS_MAX) return undefined;
  const items: JsonValue[] = [];
  for (let at = from; items.length < count; at += 1) {
    const cases = casesOfItem(spots, at, budget);
    const both =
      items.length < wanted ? cases.flatMap((one) => casesOf([...one, ...contained], budget)) : cases;
    const item = exampleOf(both, budget, { depth: position.depth + 1, seed: position.seed + at });
    if (item === undefined) return items.length >= Math.max(least - from, wanted) ? items : undefined;
    items.push(item);
  }
  return items;
}

/** Values for a location that already has one. Existing content is kept as far as possible. */
export function* examplesOn(cases: readonly Case[], there: JsonValue, budget: Budget): Iterable<JsonValue> {
  for (const spots of cases.slice(0, CASES_MAX)) {
    if (isJsonArray(there)) {
      const more = itemsOf(spots, there.length, budget, TOP);
      if (more !== undefined) yield [...there, ...more];
    } else if (isJsonObject(there)) {
      const made = objectOf(spots, {}, budget, TOP);
      if (made !== undefined) yield { ...there, ...made };
    }
  }
}

/** Parents for a given value: an object with its other required members, or an array of only this value. */
export function* parentsOf(
  cases: readonly Case[],
  name: string,
  value: JsonValue,
  budget: Budget,
): Iterable<JsonValue> {
  for (const spots of cases.slice(0, CASES_MAX)) {
    const types = typesIn(spots);
    if (types.includes('object')) {
      const made = objectOf(spots, { [name]: value }, budget, { depth: 1, seed: 0 });
      if (made !== undefined) yield made;
    }
    if (types.includes('array') && (name === '0' || name === '-')) yield [value];
  }
}
