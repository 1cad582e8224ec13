// Checks whether any value satisfies a case. `false` is always proven.
import { isJsonObject, type JsonValue } from '../../domain/json/json.js';
import { namesOf, numberOf, textsOf, type Budget, type Type } from '../compatibility/side.js';
import { schemaOf, spend, typesIn, type Case } from './cases.js';
import { casesOfItem, casesOfMember } from './steps.js';
import { mayBe, valuesIn } from './values.js';

/** Most levels of required members and items to check. */
const DEPTH_MAX = 6;
/** Most items to check one by one. */
const ITEMS_MAX = 4;

export function isSatisfiable(spots: Case, budget: Budget, depth = 0): boolean {
  spend(budget);
  const values = valuesIn(spots);
  if (values !== null) return values.some((value) => mayBe(spots, value));
  return typesIn(spots).some((type) => canBe(type, spots, budget, depth));
}

/** The cases that can be satisfied. */
export function satisfiable(cases: readonly Case[], budget: Budget): readonly Case[] {
  return cases.filter((spots) => isSatisfiable(spots, budget));
}

function canBe(type: Type, spots: Case, budget: Budget, depth: number): boolean {
  const least = (keyword: string, otherwise = 0) =>
    Math.max(otherwise, ...spots.map((spot) => numberOf(schemaOf(spot)[keyword], otherwise)));
  const most = (keyword: string) =>
    Math.min(...spots.map((spot) => numberOf(schemaOf(spot)[keyword], Infinity)));
  switch (type) {
    case 'string':
      return least('minLength') <= most('maxLength');
    case 'integer': {
      const low = Math.max(
        Math.ceil(least('minimum', -Infinity)),
        Math.floor(least('exclusiveMinimum', -Infinity)) + 1,
      );
      return low <= Math.min(Math.floor(most('maximum')), Math.ceil(most('exclusiveMaximum')) - 1);
    }
    case 'fraction': {
      const [low, above] = [least('minimum', -Infinity), least('exclusiveMinimum', -Infinity)];
      const [high, below] = [most('maximum'), most('exclusiveMaximum')];
      return low <= high && low < below && above < high && above < below;
    }
    case 'object': {
      const required = requiredIn(spots);
      const members = Math.max(least('minProperties'), required.length);
      if (members > most('maxProperties')) return false;
      if (depth >= DEPTH_MAX) return true;
      const mayHave = (name: string) =>
        casesOfMember(spots, name, budget).some((one) => isSatisfiable(one, budget, depth + 1));
      if (!required.every(mayHave)) return false;
      if (members === required.length) return true;
      const names = namesIn(spots);
      return names === null || names.filter(mayHave).length >= members;
    }
    case 'array': {
      const items = least('minItems');
      if (items > most('maxItems')) return false;
      if (depth >= DEPTH_MAX) return true;
      return Array.from({ length: Math.min(items, ITEMS_MAX) }, (_, at) => at).every((at) =>
        casesOfItem(spots, at, budget).some((one) => isSatisfiable(one, budget, depth + 1)),
      );
    }
    default:
      return true;
  }
}

/** The names that an object in this case can have at most; `null` if they are not listed. */
function namesIn(spots: Case): readonly string[] | null {
  for (const spot of spots) {
    const { properties, additionalProperties, patternProperties, propertyNames } = schemaOf(spot);
    if (propertyNames === false) return [];
    if (additionalProperties === false && namesOf(patternProperties).length === 0) return namesOf(properties);
  }
  return null;
}

/** The required members of an object in this case, with those that they require in turn. Linear in the schemas. */
export function requiredIn(spots: Case): readonly string[] {
  const names = new Set(spots.flatMap((spot) => textsOf(schemaOf(spot)['required'])));
  if (names.size === 0) return [];
  const others = new Map<string, string[]>();
  for (const [name, required] of spots.flatMap(dependentsOf)) {
    const known = others.get(name);
    if (known === undefined) others.set(name, [...textsOf(required)]);
    else known.push(...textsOf(required));
  }
  for (const name of names) for (const other of others.get(name) ?? []) names.add(other);
  return [...names];
}

/** The members that require others, with these. */
function dependentsOf(spot: Case[number]): readonly (readonly [string, JsonValue])[] {
  const { dependentRequired, dependencies } = schemaOf(spot);
  return [dependentRequired, dependencies].flatMap((rules) =>
    isJsonObject(rules) ? Object.entries(rules) : [],
  );
}
