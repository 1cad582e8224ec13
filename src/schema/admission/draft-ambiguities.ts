// Rejects what a draft leaves open, because validators disagree on it. Pure.
import type { Violation } from '../../domain/errors.js';
import type { JsonObject } from '../../domain/json/json.js';
import { draftOf } from '../lowering/draft.js';
import { lower } from '../lowering/lower.js';
import { outlineOf } from '../lowering/outline.js';
import { graphOf } from './schema-graph.js';

/**
 * Finds each `contains` that applies together with `unevaluatedItems` in 2019-09. That draft does not define
 * whether the matching items are evaluated. The schema's references must be checked before.
 */
export function draftAmbiguities(schema: JsonObject): Violation[] {
  const made = draftOf(schema) === '2019-09' ? lower(schema) : null;
  if (made === null) return [];
  const graph = graphOf(outlineOf(made.schema));
  const has = (index: number, keyword: string) => {
    const one = graph[index]?.subschema.schema;
    return typeof one === 'object' && keyword in one;
  };
  const together = new Set([...graph.keys()].filter((index) => has(index, 'unevaluatedItems')));
  for (const index of together) for (const next of graph[index]?.inPlace.flat() ?? []) together.add(next);
  const pointers = [...together].flatMap((index) =>
    has(index, 'contains') ? (made.origins.get(graph[index]?.subschema.schema)?.pointer ?? []) : [],
  );
  return [...new Set(pointers)].map((pointer) => ({
    pointer: `${pointer}/contains`,
    keyword: 'contains',
    message: '2019-09 does not settle what "contains" means for the "unevaluatedItems" of the same array',
    expected: 'a schema of 2020-12, where the items that match count as evaluated',
  }));
}
