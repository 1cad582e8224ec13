// A schema as a graph: which subschemas apply to the same location, and which to its members and items.
// References are resolved. No costs here.
import type { Child, Subschema } from '../lowering/outline.js';
import { References } from '../lowering/reference.js';

/** Subschemas of which at most one applies (the members of `properties`; `then` and `else`). */
export type Alternatives = readonly number[];

/** The edges of one subschema. A location meets one alternative of every group. */
export interface GraphNode {
  readonly subschema: Subschema;
  /** Apply to the same location. */
  readonly inPlace: readonly Alternatives[];
  /** Apply to a member. */
  readonly member: readonly Alternatives[];
  /** Apply to an item. */
  readonly item: readonly Alternatives[];
}

const EACH_IN_PLACE = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'dependentSchemas', 'dependencies'];
const EACH_MEMBER = ['patternProperties', 'unevaluatedProperties', 'propertyNames'];
const EACH_ITEM = ['contains', 'unevaluatedItems'];

/** Builds the graph. An unresolved reference has no edge. */
export function graphOf(outline: readonly Subschema[]): readonly GraphNode[] {
  const references = new References(outline);
  return outline.map((subschema) => {
    const { children } = subschema;
    const referred = references.of(subschema).map(({ targets }) => targets.map(({ index }) => index));
    return {
      subschema,
      inPlace: [...referred.filter(notEmpty), ...edges(children, EACH_IN_PLACE, ['then', 'else'])],
      member: edges(children, EACH_MEMBER, ['properties', 'additionalProperties']),
      item: edges(children, EACH_ITEM, ['prefixItems', 'items', 'additionalItems']),
    };
  });
}

/** The children under some keywords, each for itself, and those under others, of which at most one applies. */
function edges(
  children: readonly Child[],
  each: readonly string[],
  oneOf: readonly string[],
): readonly Alternatives[] {
  const under = (keywords: readonly string[]) =>
    children.filter(({ keyword }) => keywords.includes(keyword)).map(({ index }) => index);
  return [...under(each).map((index) => [index]), under(oneOf)].filter(notEmpty);
}

function notEmpty(alternatives: Alternatives): boolean {
  return alternatives.length > 0;
}

/**
 * Orders the subschemas so that each follows all subschemas that apply together with it.
 *
 * @returns The order; or the pointer of a subschema that leads back to itself at the same location, so that
 * validation would never end.
 */
export function inPlaceOrder(graph: readonly GraphNode[]): readonly number[] | { readonly loop: string } {
  const order: number[] = [];
  const state = new Uint8Array(graph.length); // 0 not visited, 1 entered, 2 left
  const stack: number[] = [];
  for (let start = 0; start < graph.length; start += 1) {
    if (state[start] === 0) stack.push(start);
    for (let at = stack.at(-1); at !== undefined; at = stack.at(-1)) {
      const node = graph[at];
      if (node === undefined || state[at] !== 0) {
        if (state[at] === 1) order.push(at);
        state[at] = 2;
        stack.pop();
        continue;
      }
      state[at] = 1;
      for (const next of node.inPlace.flat()) {
        if (state[next] === 1) return { loop: graph[next]?.subschema.pointer ?? '' };
        if (state[next] === 0) stack.push(next);
      }
    }
  }
  return order;
}
