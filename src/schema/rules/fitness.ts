// Checks whether a schema's rules fit their locations. Registration rejects a rule that cannot be enforced,
// or whose location is ambiguous.
import type { Violation } from '../../domain/errors.js';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import { formatPointer } from '../../domain/json/pointer.js';
import { isRule, RULE_KEYWORDS, rulesOf } from './keywords.js';
import { typesOf, valuesOf, type Edge, type SchemaGraph } from './schema-graph.js';

/**
 * Finds rules that cannot be enforced.
 *
 * @returns The problems, with each rule's pointer into the schema; empty if every rule fits.
 */
export function unfitRules(graph: SchemaGraph): readonly Violation[] {
  const { reached, lost } = walk(graph);
  return graph.outline.flatMap(({ index, schema, pointer }) => {
    if (typeof schema === 'boolean') return [];
    const why = lost.get(index);
    if (why === undefined && !reached.has(index)) return [];
    return RULE_KEYWORDS.filter((keyword) => isRule(schema, keyword)).flatMap((keyword) => {
      const problem = why ?? misfit(graph, index, schema, keyword);
      if (problem === null) return [];
      return [{ pointer: pointer + formatPointer([keyword]), keyword, ...problem }];
    });
  });
}

interface Problem {
  readonly message: string;
  readonly expected: JsonValue;
}

/** The subschemas that apply to known locations, and those that (also) apply to locations that cannot be matched. */
function walk(graph: SchemaGraph) {
  const reached = new Set([0]);
  const lost = new Map<number, Problem>();
  const stack: { readonly index: number; readonly why: Problem | null }[] = [{ index: 0, why: null }];
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    for (const edge of graph.edges(step.index)) {
      const why = step.why ?? lostBy(graph, step.index, edge);
      if (why === null ? reached.has(edge.to) : lost.has(edge.to)) continue;
      if (why === null) reached.add(edge.to);
      else lost.set(edge.to, why);
      stack.push({ index: edge.to, why });
    }
  }
  return { reached, lost };
}

function lostBy(graph: SchemaGraph, index: number, edge: Edge): Problem | null {
  const { schema, pointer } = graph.at(index);
  const at = pointer + formatPointer(edge.key === null ? [edge.keyword] : [edge.keyword, edge.key]);
  if (!edge.certain) {
    return {
      message: `it is uncertain where this rule applies: ${edge.keyword} at ${at} covers only some documents`,
      expected: 'a rule under properties, items, allOf or $ref only',
    };
  }
  const isRest = (edge.keyword === 'items' && edge.key === null) || edge.keyword === 'additionalItems';
  if (!isRest || !isJsonObject(schema)) return null;
  if (schema['x-append-only'] === true || typeof schema['x-key'] === 'string') return null;
  return {
    message: `the items at ${at} have no fixed place, so old and new ones cannot be matched: say beside items by "x-key" which member identifies them, or make the array "x-append-only"`,
    expected: { 'x-key': 'name of a required member' },
  };
}

const NEEDS_ARRAY: Problem = {
  message: 'needs a place that is declared to hold an array',
  expected: { type: 'array' },
};
const NEEDS_NUMBER: Problem = {
  message: 'needs a place that is declared to hold a number',
  expected: { type: 'number' },
};

function misfit(graph: SchemaGraph, index: number, schema: JsonObject, keyword: string): Problem | null {
  const together = graph.together(index);
  const types = typesOf(together);
  const only = (allowed: readonly string[]) =>
    types?.some((type) => type !== 'null') === true &&
    types.every((type) => type === 'null' || allowed.includes(type));
  switch (keyword) {
    case 'x-append-only':
      return only(['array']) ? null : NEEDS_ARRAY;
    case 'x-monotonic':
      return only(['number', 'integer']) ? null : NEEDS_NUMBER;
    case 'x-transitions':
      return unfitTransitions(schema['x-transitions'], valuesOf(together));
    case 'x-key':
      return only(['array']) ? unfitKey(graph, index, rulesOf(schema)?.key ?? '') : NEEDS_ARRAY;
    default:
      return null;
  }
}

function unfitTransitions(map: JsonValue | undefined, values: readonly JsonValue[] | null): Problem | null {
  if (values?.every((value) => typeof value === 'string' || value === null) !== true) {
    return {
      message: 'needs an enum of strings (and null, where there may be no value yet) at the same place',
      expected: { enum: ['from', 'to'] },
    };
  }
  const named = isJsonObject(map) ? Object.entries(map).flatMap(([from, to]) => [from, ...listOf(to)]) : [];
  const unknown = named.find((value) => !values.some((one) => one === value));
  if (unknown === undefined) return null;
  return {
    message: `names ${JSON.stringify(unknown)}, which is not in the enum`,
    expected: { enum: values },
  };
}

function unfitKey(graph: SchemaGraph, index: number, key: string): Problem | null {
  const edges = graph.edges(index);
  const items = edges.find((edge) => edge.keyword === 'items' && edge.key === null);
  if (items === undefined) {
    return { message: 'needs one schema for all items beside it', expected: { items: { required: [key] } } };
  }
  if (edges.some((edge) => edge.keyword === 'prefixItems')) {
    return {
      message: 'items with a fixed place need no key: leave out prefixItems',
      expected: { items: {} },
    };
  }
  const together = graph.together(items.to);
  const isRequired = together.some(({ required }) => listOf(required).includes(key));
  const member = graph
    .edgesTogether(items.to)
    .filter((edge) => edge.keyword === 'properties' && edge.key === key);
  const memberSchemas = member.flatMap((edge) => graph.together(edge.to));
  const types = typesOf(memberSchemas);
  const values = valuesOf(memberSchemas);
  const isKey =
    types?.every((type) => type === 'string' || type === 'integer') ??
    values?.every((value) => typeof value === 'string' || Number.isInteger(value)) ??
    false;
  if (isRequired && isKey) return null;
  return {
    message: `the items must require the member ${JSON.stringify(key)} and declare it a string or an integer`,
    expected: { items: { properties: { [key]: { type: 'string' } }, required: [key] } },
  };
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return isJsonArray(value) ? value : [];
}
