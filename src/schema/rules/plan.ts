// Compiles the rules of change of a schema into a graph of only the locations that have rules.
import type { JsonObject, JsonValue } from '../../domain/json/json.js';
import { compilePattern } from '../patterns/pattern.js';
import { rulesOf, type Rules } from './keywords.js';
import { isInPlace, valuesOf, SchemaGraph } from './schema-graph.js';

/** One subschema: its rules, and the edges below it. Only edges that lead to a rule are kept. */
export interface RuleNode {
  readonly rules: Rules | null;
  /** The values of the enum that `x-transitions` refers to. */
  readonly values: readonly JsonValue[];
  /** Apply to the same location. */
  readonly inPlace: readonly RuleNode[];
  /** By member name. `null` for a declared member without rules, to which `additional` does not apply. */
  readonly members: ReadonlyMap<string, RuleNode | null>;
  readonly patterns: readonly {
    readonly matches: (name: string) => boolean;
    readonly node: RuleNode | null;
  }[];
  /** Applies to members that are in neither `members` nor `patterns`. */
  readonly additional: RuleNode | null;
  /** By index. */
  readonly prefix: readonly (RuleNode | null)[];
  /** Applies to the items after `prefix`. */
  readonly rest: RuleNode | null;
}

/** The compiled rules; `null` for a schema without any. */
export type RulePlan = RuleNode | null;

/**
 * Compiles the rules of an admitted schema. Linear in the schema. Recursion becomes a cycle in the plan.
 *
 * @see docs/schemas.md
 */
export function compileRules(schema: JsonObject): RulePlan {
  const graph = new SchemaGraph(schema);
  const rules = graph.outline.map((subschema) => rulesOf(subschema.schema));
  if (rules.every((each) => each === null)) return null;
  const bearing = bearingOf(graph, rules);
  if (!bearing.has(0)) return null;
  const nodes = new Map<number, RuleNode>();
  const nodeAt = (index: number): RuleNode | null => {
    if (!bearing.has(index)) return null;
    const known = nodes.get(index);
    if (known !== undefined) return known;
    const draft = { ...emptyNode(), rules: rules[index] ?? null };
    nodes.set(index, draft);
    fill(draft, graph, index, nodeAt);
    return draft;
  };
  return nodeAt(0);
}

interface NodeDraft extends RuleNode {
  values: readonly JsonValue[];
  readonly inPlace: RuleNode[];
  readonly members: Map<string, RuleNode | null>;
  readonly patterns: { readonly matches: (name: string) => boolean; readonly node: RuleNode | null }[];
  additional: RuleNode | null;
  readonly prefix: (RuleNode | null)[];
  rest: RuleNode | null;
}

function emptyNode(): NodeDraft {
  return {
    rules: null,
    values: [],
    inPlace: [],
    members: new Map(),
    patterns: [],
    additional: null,
    prefix: [],
    rest: null,
  };
}

function fill(
  draft: NodeDraft,
  graph: SchemaGraph,
  index: number,
  nodeAt: (index: number) => RuleNode | null,
): void {
  if (draft.rules?.transitions != null) draft.values = valuesOf(graph.together(index)) ?? [];
  for (const { keyword, key, to, certain } of graph.edges(index)) {
    if (!certain) continue;
    const node = nodeAt(to);
    if (isInPlace(keyword)) {
      if (node !== null) draft.inPlace.push(node);
    } else if (keyword === 'properties') draft.members.set(String(key), node);
    else if (keyword === 'patternProperties') {
      const pattern = compilePattern(String(key));
      draft.patterns.push({ matches: (name) => pattern.test(name), node });
    } else if (keyword === 'additionalProperties') draft.additional = node;
    else if (typeof key === 'number') draft.prefix[key] = node;
    else draft.rest = node;
  }
}

/** The subschemas that have a rule or lead to one. */
function bearingOf(graph: SchemaGraph, rules: readonly (Rules | null)[]): ReadonlySet<number> {
  const leadsFrom = new Map<number, number[]>();
  for (const { index } of graph.outline) {
    for (const edge of graph.edges(index)) {
      if (edge.certain) leadsFrom.set(edge.to, [...(leadsFrom.get(edge.to) ?? []), index]);
    }
  }
  const bearing = new Set(rules.flatMap((each, index) => (each === null ? [] : [index])));
  for (const index of bearing) for (const from of leadsFrom.get(index) ?? []) bearing.add(from);
  return bearing;
}

/** The nodes, and all others that apply to the same location. */
export function nodesAt(nodes: readonly RuleNode[]): readonly RuleNode[] {
  if (nodes.every((node) => node.inPlace.length === 0)) return nodes;
  const all = new Set(nodes);
  for (const node of all) for (const more of node.inPlace) all.add(more);
  return [...all];
}

/** The nodes that apply to a member. */
export function memberNodes(nodes: readonly RuleNode[], name: string): readonly RuleNode[] {
  const found: (RuleNode | null)[] = [];
  for (const node of nodes) {
    const named = node.members.get(name);
    const matching = node.patterns.filter(({ matches }) => matches(name));
    if (named !== undefined) found.push(named);
    for (const each of matching) found.push(each.node);
    if (named === undefined && matching.length === 0) found.push(node.additional);
  }
  return found.filter((node) => node !== null);
}

/** The nodes that apply to the item at an index. */
export function itemNodes(nodes: readonly RuleNode[], index: number): readonly RuleNode[] {
  return nodes.flatMap((node) => {
    const item = index < node.prefix.length ? node.prefix[index] : node.rest;
    return item === null || item === undefined ? [] : [item];
  });
}
