// The cases of a location: each choice in a schema (`anyOf`, `oneOf`, `if`) gives one case per branch.
// Conservative: keywords that are not analyzed count as satisfied.
import type { JsonObject } from '../../domain/json/json.js';
import { typesOf, TYPES, type Budget, type Side, type Type } from '../compatibility/side.js';
import { isInPlace } from '../rules/schema-graph.js';

/** A subschema in one of the schemas that are analyzed together. */
export interface Spot {
  readonly side: Side;
  readonly index: number;
}

/** Subschemas that all apply to one location, with references and `allOf` resolved. */
export type Case = readonly Spot[];

/** The step limit is used up: nothing is known, so everything counts as possible. */
export class NotKnown extends Error {
  override readonly name = 'NotKnown';
}

/** Most cases of one location. */
const CASES_MAX = 256;

export function spend(budget: Budget): void {
  if (!budget.spend()) throw new NotKnown('too many steps');
}

export function schemaOf({ side, index }: Spot): JsonObject {
  const schema = side.schema(index);
  return typeof schema === 'boolean' ? {} : schema;
}

/** The subschema under a keyword; none if there is no such keyword. */
export function spotsUnder(
  { side, index }: Spot,
  keyword: string,
  key: string | null = null,
): readonly Spot[] {
  const to = side.child(index, keyword, key);
  return to === null ? [] : [{ side, index: to }];
}

/** The subschemas that apply to an object once it has this member. */
export function dependentSpots(spot: Spot, name: string): readonly Spot[] {
  return [...spotsUnder(spot, 'dependentSchemas', name), ...spotsUnder(spot, 'dependencies', name)];
}

interface Open {
  readonly applied: readonly Spot[];
  readonly queue: readonly Spot[];
  readonly choices: readonly (readonly (readonly Spot[])[])[];
}

/** The cases of a location to which all the subschemas apply; none if it cannot have a value. */
export function casesOf(spots: readonly Spot[], budget: Budget): readonly Case[] {
  const open: Open[] = [{ applied: [], queue: spots, choices: [] }];
  const cases: Case[] = [];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    spend(budget);
    const closed = close(next, budget);
    if (closed === null || typesIn(closed.applied).length === 0) continue;
    const [choice, ...choices] = closed.choices.filter((ways) => !isMade(ways, closed.applied));
    if (choice === undefined) cases.push(closed.applied);
    else for (const queue of choice.toReversed()) open.push({ applied: closed.applied, queue, choices });
    if (cases.length + open.length > CASES_MAX) throw new NotKnown('too many cases');
  }
  return cases;
}

/** Adds all subschemas that apply in any case. @returns `null` if one of them accepts nothing. */
function close({ applied, queue, choices }: Open, budget: Budget): Open | null {
  const all = [...applied];
  const waiting = [...queue];
  const ways = [...choices];
  for (let spot = waiting.shift(); spot !== undefined; spot = waiting.shift()) {
    spend(budget);
    const { side, index } = spot;
    const schema = side.schema(index);
    if (schema === false || (typeof schema === 'object' && refusesAll(schema))) return null;
    if (schema === true || all.some((one) => one.side === side && one.index === index)) continue;
    for (const edge of side.edges(index)) {
      if (edge.certain && isInPlace(edge.keyword)) waiting.push({ side, index: edge.to });
    }
    all.push(spot);
    ways.push(...choicesOf(spot));
  }
  return { applied: all, queue: [], choices: ways };
}

function refusesAll({ not }: JsonObject): boolean {
  return not === true || (typeof not === 'object' && not !== null && Object.keys(not).length === 0);
}

/**
 * The choices of a subschema. A choice is a list of branches; a branch is a list of subschemas that then
 * apply. A branch that accepts everything removes the choice.
 */
function choicesOf({ side, index }: Spot): readonly (readonly (readonly Spot[])[])[] {
  const under = (keyword: string) => side.under(index, keyword).map(({ to }) => ({ side, index: to }));
  const ways = ['anyOf', 'oneOf'].map((keyword) => under(keyword).map((spot) => [spot]));
  const condition = under('if');
  if (condition.length > 0) ways.push([[...condition, ...under('then')], under('else')]);
  return ways.filter((some) => some.length > 0 && !some.some((way) => way.every(isFree)));
}

/** True if one branch already applies: the others would only add restrictions. */
function isMade(ways: readonly (readonly Spot[])[], held: readonly Spot[]): boolean {
  const isHeld = ({ side, index }: Spot) => held.some((one) => one.side === side && one.index === index);
  return ways.some((way) => way.every(isHeld));
}

function isFree({ side, index }: Spot): boolean {
  const schema = side.schema(index);
  return schema === true || (typeof schema === 'object' && Object.keys(schema).length === 0);
}

/** The types that all the subschemas allow. */
export function typesIn(spots: Case): readonly Type[] {
  return TYPES.filter((type) => spots.every((spot) => typesOf(schemaOf(spot)).includes(type)));
}
