// Checks whether a document of a schema can have a value at a pointer, and if not, which location excludes it.
import { formatPointer, parsePointer } from '../../domain/json/pointer.js';
import type { Closed } from '../../domain/transactions/schema-answers.js';
import { namesOf, type Budget, type Side, type Type } from '../compatibility/side.js';
import { casesOf, schemaOf, typesIn, type Case } from './cases.js';
import { isSatisfiable, satisfiable } from './satisfiable.js';
import { casesOfMember, casesUnder } from './steps.js';

/** Most member names in a message. */
const NAMES_MAX = 20;

/** The cases of a location, or where the path to it ends. */
type Walk = { readonly cases: readonly Case[] } | { readonly closed: Closed };

/** Follows a pointer through a schema. An invalid JSON Pointer (RFC 6901) leads nowhere. */
export function walkTo(side: Side, pointer: string, budget: Budget): Walk {
  let cases = satisfiable(casesOf([{ side, index: 0 }], budget), budget);
  const segments = parsePointer(pointer);
  if (segments === null) return { closed: { pointer, message: 'is not a JSON Pointer', members: null } };
  for (const [at, segment] of segments.entries()) {
    const under = satisfiable(casesUnder(cases, segment, budget), budget);
    if (under.length === 0) return { closed: closedAt(cases, segments.slice(0, at), segment, budget) };
    cases = under;
  }
  return { cases };
}

function closedAt(
  cases: readonly Case[],
  parents: readonly string[],
  segment: string,
  budget: Budget,
): Closed {
  const pointer = formatPointer(parents);
  const types = [...new Set(cases.flatMap(typesIn))];
  const members = membersOf(cases, budget);
  const patterns = namesUnder(cases, 'patternProperties');
  if (types.includes('object')) {
    const named = members.length === 0 ? [] : [`its members are ${members.slice(0, NAMES_MAX).join(', ')}`];
    const like = patterns.length === 0 ? [] : [`names match ${patterns.slice(0, NAMES_MAX).join(' or ')}`];
    const are = [...named, ...like].join('; ');
    const message = `can have no member "${segment}"${are === '' ? '' : `: ${are}`}`;
    return { pointer, message, members };
  }
  if (types.includes('array')) {
    return { pointer, message: `is an array and can have no item "${segment}"`, members: null };
  }
  return { pointer, message: `is ${wordsOf(types)} and can have no members`, members: null };
}

/** The declared members that can have a value. */
function membersOf(cases: readonly Case[], budget: Budget): readonly string[] {
  return namesUnder(cases, 'properties').filter((name) =>
    cases.some((spots) => casesOfMember(spots, name, budget).some((one) => isSatisfiable(one, budget))),
  );
}

function namesUnder(cases: readonly Case[], keyword: string): readonly string[] {
  return [...new Set(cases.flat().flatMap((spot) => namesOf(schemaOf(spot)[keyword])))];
}

/** The types of a location in the terms of JSON Schema. */
export function wordsOf(types: readonly Type[]): string {
  if (types.length === 0) return 'nothing';
  const all = types.map((type) => (type === 'fraction' ? 'number' : type));
  return [...new Set(all.includes('number') ? all.filter((type) => type !== 'integer') : all)].join(' or ');
}
