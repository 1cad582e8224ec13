// Compares the rules of objects and their members, in closed and in open content models.
import { isJsonArray, isJsonObject } from '../../domain/json/json.js';
import { beneath, unsure, type Comparison, type Difference, type Rule } from './rule.js';
import { holds } from './evaluate.js';
import { knownAs, Shape } from './shape.js';
import { namesOf, numberOf, textsOf } from './side.js';

/** The object rules of the wider schema that the narrower one does not imply. */
export function compareObjects(comparison: Comparison, rule: Rule): readonly Difference[] {
  if (!rule.shape.types.includes('object')) return [];
  return [
    ...required(comparison, rule),
    ...counts(comparison, rule),
    ...members(comparison, rule),
    ...patterns(comparison, rule),
    ...additional(comparison, rule),
    ...propertyNames(comparison, rule),
    ...dependents(comparison, rule),
    ...unevaluated(comparison, rule),
  ];
}

function required(comparison: Comparison, rule: Rule): readonly Difference[] {
  const { schema, shape } = rule;
  const known = shape.required;
  return textsOf(schema['required']).flatMap((name, at) => {
    if (known.has(name)) return [];
    const message = `the member ${JSON.stringify(name)} has to be there now`;
    return [comparison.difference(rule, ['required', at], message, shape.plain)];
  });
}

function counts(comparison: Comparison, rule: Rule): readonly Difference[] {
  const { schema, shape } = rule;
  const found: Difference[] = [];
  const least = numberOf(schema['minProperties'], 0);
  if (Math.max(shape.atLeast('minProperties', 0), shape.required.size) < least) {
    const message = `objects of fewer than ${String(least)} members are not accepted any more`;
    found.push(comparison.difference(rule, ['minProperties'], message, shape.plain));
  }
  const most = numberOf(schema['maxProperties'], Infinity);
  if (Math.min(shape.atMost('maxProperties'), membersMax(comparison, shape)) > most) {
    const message = `objects of more than ${String(most)} members are not accepted any more`;
    found.push(comparison.difference(rule, ['maxProperties'], message, shape.plain));
  }
  return found;
}

/** The highest possible number of members. */
function membersMax(comparison: Comparison, shape: Shape): number {
  const open = shape.patterns.size > 0 || mayBe(comparison, shape.unnamed());
  if (open) return Infinity;
  return [...shape.names].filter((name) => mayBe(comparison, shape.member(name))).length;
}

/** True if a location with these subschemas may have a value. */
function mayBe({ narrow }: Comparison, indices: readonly number[]): boolean {
  return !new Shape(narrow, knownAs(...indices)).impossible;
}

function members(comparison: Comparison, rule: Rule): readonly Difference[] {
  const { wide, shape } = rule;
  return comparison.wide
    .under(wide, 'properties')
    .flatMap(({ key, to }) => beneath(shape, comparison.compare(knownAs(...shape.member(String(key))), to)));
}

function patterns(comparison: Comparison, rule: Rule): readonly Difference[] {
  const { wide, shape } = rule;
  return comparison.wide.under(wide, 'patternProperties').flatMap(({ key, to }) => {
    const pattern = String(key);
    const named = [...shape.names].filter((name) => comparison.wide.matches(pattern, name));
    const others = [...shape.patterns].filter((one) => one !== pattern);
    return [
      ...named.flatMap((name) => beneath(shape, comparison.compare(knownAs(...shape.member(name)), to))),
      // Whether a name can match both patterns cannot be determined.
      ...others.flatMap((other) => unsure(comparison.compare(knownAs(...shape.unnamed(other)), to))),
      ...unsure(comparison.compare(knownAs(...shape.unnamed(pattern)), to)),
    ];
  });
}

/** Compares members that neither `properties` nor `patternProperties` of the wider schema covers. */
function additional(comparison: Comparison, rule: Rule): readonly Difference[] {
  const { wide, schema, shape } = rule;
  // If no other keyword evaluates members of the location, `unevaluatedProperties` means `additionalProperties`.
  const keyword =
    schema['additionalProperties'] === undefined && isLone(rule)
      ? 'unevaluatedProperties'
      : 'additionalProperties';
  const of = comparison.wide.child(wide, keyword);
  if (of === null) return [];
  const known = new Set(namesOf(schema['properties']));
  const matched = namesOf(schema['patternProperties']);
  const isKnown = (name: string) =>
    known.has(name) || matched.some((pattern) => comparison.wide.matches(pattern, name));
  const named = [...shape.names].filter((name) => !isKnown(name));
  const others = [...shape.patterns].filter((pattern) => !matched.includes(pattern));
  const free = comparison.compare(knownAs(...shape.unnamed()), of);
  return [
    ...named.flatMap((name) => {
      const found = beneath(shape, comparison.compare(knownAs(...shape.member(name)), of));
      return found.map((one) => ({
        ...one,
        message: `of the member ${JSON.stringify(name)}: ${one.message}`,
      }));
    }),
    ...others.flatMap((pattern) => unsure(comparison.compare(knownAs(...shape.unnamed(pattern)), of))),
    ...(matched.length > 0 || shape.patterns.size > 0 ? unsure(free) : beneath(shape, free)),
  ];
}

function propertyNames(comparison: Comparison, rule: Rule): readonly Difference[] {
  const { wide, shape } = rule;
  const of = comparison.wide.child(wide, 'propertyNames');
  if (of === null) return [];
  const names = { ...knownAs(...shape.under('propertyNames')), type: 'string' } as const;
  const isClosed = shape.patterns.size === 0 && !mayBe(comparison, shape.unnamed());
  if (!isClosed) return beneath(shape, comparison.compare(names, of));
  const possible = [...shape.names].filter((name) => mayBe(comparison, shape.member(name)));
  const refused = possible.filter((name) => holds(comparison.wide, of, name) !== true);
  if (refused.length === 0 || comparison.compare(names, of).length === 0) return [];
  const certain = shape.plain && refused.some((name) => holds(comparison.wide, of, name) === false);
  const message = `the member names ${refused.map((name) => JSON.stringify(name)).join(', ')} are not accepted any more`;
  return [comparison.difference(rule, ['propertyNames'], message, certain)];
}

function dependents(comparison: Comparison, rule: Rule): readonly Difference[] {
  return ['dependentRequired', 'dependentSchemas', 'dependencies'].flatMap((keyword) => {
    const value = rule.schema[keyword];
    return isJsonObject(value)
      ? namesOf(value).flatMap((name) => dependent(comparison, rule, keyword, name))
      : [];
  });
}

function dependent(comparison: Comparison, rule: Rule, keyword: string, name: string): readonly Difference[] {
  const { wide, schema, shape } = rule;
  if (!mayBe(comparison, shape.member(name))) return [];
  const rules = schema[keyword];
  const value = isJsonObject(rules) ? rules[name] : undefined;
  if (isJsonArray(value)) {
    const known = new Set([...shape.required, ...dependentsOf(shape, name)]);
    const missing = textsOf(value).filter((one) => !known.has(one) && one !== name);
    if (missing.length === 0) return [];
    const message = `objects with ${JSON.stringify(name)} have to have ${missing.map((one) => JSON.stringify(one)).join(', ')} now`;
    return [comparison.difference(rule, [keyword, name], message, shape.plain)];
  }
  const of = comparison.wide.child(wide, keyword, name);
  if (of === null) return [];
  const own = [...shape.under('dependentSchemas', name), ...shape.under('dependencies', name)];
  return unsure(
    comparison.compare({ ...shape.known, indices: [...new Set([...shape.known.indices, ...own])] }, of),
  );
}

/** The names that are required when a member is present. */
function dependentsOf(shape: Shape, name: string): readonly string[] {
  return [...shape.said('dependentRequired'), ...shape.said('dependencies')].flatMap((rules) =>
    isJsonObject(rules) ? textsOf(rules[name]) : [],
  );
}

function unevaluated(comparison: Comparison, rule: Rule): readonly Difference[] {
  const { schema } = rule;
  const value = schema['unevaluatedProperties'];
  if (value === undefined || value === true) return [];
  // `additionalProperties` evaluates every member.
  if (schema['additionalProperties'] !== undefined || isLone(rule)) return [];
  const message = 'which members are left over cannot be compared';
  return [comparison.difference(rule, ['unevaluatedProperties'], message, false)];
}

const IN_PLACE =
  'allOf anyOf oneOf not if then else dependentSchemas dependencies $ref $dynamicRef $recursiveRef'.split(
    ' ',
  );

/** True if no other keyword evaluates members of the location. */
function isLone({ schema }: Rule): boolean {
  return IN_PLACE.every((keyword) => schema[keyword] === undefined);
}
