// Checks whether a document of a schema can ever satisfy a contract, a write scope or a condition.
import { formatPointer } from '../../domain/json/pointer.js';
import type { Closed } from '../../domain/transactions/schema-answers.js';
import { Budget, Side } from '../compatibility/side.js';
import type { SchemaGraph } from '../rules/schema-graph.js';
import { casesOf, NotKnown, typesIn, type Case } from './cases.js';
import { walkTo, wordsOf } from './walk.js';
import { isSatisfiable, requiredIn } from './satisfiable.js';
import { casesOfMember } from './steps.js';

/** Most levels of required members to search for the cause. */
const DEPTH_MAX = 8;

/** A location, and the outline of the schema that its value has to satisfy; `null` for any value. */
interface WantedLocation {
  readonly pointer: string;
  readonly schema: SchemaGraph | null;
}

/** @see SchemaEngine.ruledOut */
export function ruledOut(graph: SchemaGraph, wanted: WantedLocation, stepsMax: number): Closed | null {
  const budget = new Budget(stepsMax);
  try {
    return look(new Side(graph, budget), wanted, budget);
  } catch (error) {
    if (error instanceof NotKnown) return null;
    throw error;
  }
}

function look(side: Side, { pointer, schema }: WantedLocation, budget: Budget): Closed | null {
  const walk = walkTo(side, pointer, budget);
  if ('closed' in walk) return walk.closed;
  if (schema === null) return null;
  const wanted = casesOf([{ side: new Side(schema, budget), index: 0 }], budget);
  return conflict(walk.cases, wanted, pointer, budget, 0);
}

/** @returns `null` if one value may satisfy both. */
function conflict(
  there: readonly Case[],
  wanted: readonly Case[],
  pointer: string,
  budget: Budget,
  depth: number,
): Closed | null {
  if (wanted.length === 0)
    return { pointer, message: 'is to satisfy a schema that nothing satisfies', members: null };
  const both = there.flatMap((one) => wanted.flatMap((other) => casesOf([...one, ...other], budget)));
  if (both.some((spots) => isSatisfiable(spots, budget))) return null;
  return deeper(there, wanted, pointer, budget, depth) ?? apart(there, wanted, pointer);
}

/** Finds the conflicting required member, if every wanted case requires it. */
function deeper(
  there: readonly Case[],
  wanted: readonly Case[],
  pointer: string,
  budget: Budget,
  depth: number,
): Closed | null {
  const objects = there.filter((spots) => typesIn(spots).includes('object'));
  const [first, ...more] = wanted;
  if (first === undefined || objects.length === 0 || depth > DEPTH_MAX) return null;
  if (!wanted.every((spots) => typesIn(spots).includes('object'))) return null;
  for (const name of requiredIn(first)) {
    if (!more.every((spots) => requiredIn(spots).includes(name))) continue;
    const at = pointer + formatPointer([name]);
    const under = objects.flatMap((spots) => casesOfMember(spots, name, budget));
    if (!under.some((spots) => isSatisfiable(spots, budget))) {
      return { pointer, message: `can have no member "${name}", which is required`, members: null };
    }
    const asked = wanted.flatMap((spots) => casesOfMember(spots, name, budget));
    const found = conflict(under, asked, at, budget, depth + 1);
    if (found !== null) return found;
  }
  return null;
}

function apart(there: readonly Case[], wanted: readonly Case[], pointer: string): Closed {
  const types = (cases: readonly Case[]) => [...new Set(cases.flatMap(typesIn))];
  const [are, asked] = [types(there), types(wanted)];
  const message = asked.some((type) => are.includes(type))
    ? 'can have no value that satisfies both schemas'
    : `is ${wordsOf(are)} and never ${wordsOf(asked)}`;
  return { pointer, message, members: null };
}
