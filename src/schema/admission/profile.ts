// Static cost analysis of a schema: how many subschemas apply to one location of a document, and whether that
// is bounded. Pure; decides what may run on the main thread.
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import type { Limits } from '../../domain/limits.js';
import { lower, SchemaFault, type Lowered } from '../lowering/lower.js';
import { outlineOf, type Subschema } from '../lowering/outline.js';
import { patternStates } from '../patterns/pattern.js';
import { graphOf, inPlaceOrder, type Alternatives, type GraphNode } from './schema-graph.js';

/** The static costs of a schema. Numbers saturate at `COST_MAX`. */
export interface Profile {
  readonly subschemas: number;
  /**
   * Number of subschemas that apply to one location through one subschema, with references resolved. Each
   * path counts.
   */
  readonly fanOut: number;
  /**
   * Most steps for one location, through any path from the root. It includes recursion whose branches double
   * the work at each level of a document.
   */
  readonly stepsPerLocation: number;
  /** Most automaton states for one byte of a string. The comparison of items counts as states. */
  readonly statesPerByte: number;
  /** True if a keyword takes quadratic time in the document: the format `url`. */
  readonly quadratic: boolean;
  /** True if compilation takes noticeable time. */
  readonly costlyToCompile: boolean;
}

/**
 * A profile; or the pointer of a subschema that leads back to itself at the same location of a document; or
 * `copies` if dynamic references expand to too many different schemas.
 */
type Profiled = Profile | { readonly loop: string } | { readonly copies: 'too many' };

export const COST_MAX = 1e12;

/** Length of the shortest JSON value with its separator. The number of values is at most the size divided by this. */
export const VALUE_BYTES_MIN = 2;

/** Number of automaton states per byte that cost about as much as one validation step. */
const STATES_PER_STEP = 16;
const FORMAT_STATES = 16;
/** States per byte for `uniqueItems`: the comparison of items reads each byte once, in 30 to 40 ns (measured). */
const UNIQUE_STATES = 8;

/** Limits within which Ajv compiles in about 30 ms (measured). `oneOf` nests its branches, hence its own limit. */
const INLINE_COMPILE_SUBSCHEMAS_MAX = 150;
const INLINE_COMPILE_BRANCHES_MAX = 32;
const INLINE_COMPILE_NODES_MAX = 3000;

/**
 * Computes the profile of a schema whose depth was checked.
 *
 * @param documentDepthMax - Depth of a document up to which recursion is followed.
 */
export function profileOf(schema: JsonObject, documentDepthMax: number): Profiled {
  const made = lower(schema);
  if (made === null) return { copies: 'too many' };
  const { schema: lowered, origins } = made;
  const outline = outlineOf(lowered);
  const graph = graphOf(outline);
  const order = inPlaceOrder(graph);
  if ('loop' in order) return { loop: pointerIn(outline, origins, order.loop) };
  const schemas = outline.map((subschema) => subschema.schema).filter((each) => typeof each !== 'boolean');
  const together = (weights: readonly number[]) => loadOf(graph, order, weights);
  return {
    subschemas: outlineOf(schema).length,
    fanOut: Math.max(...together(outline.map(() => 1)).atLocation()),
    stepsPerLocation: together(outline.map(stepsOf)).deepest(documentDepthMax),
    statesPerByte: together(outline.map(statesOf)).deepest(documentDepthMax),
    quadratic: schemas.some((each) => each['format'] === 'url'),
    costlyToCompile:
      outline.length > INLINE_COMPILE_SUBSCHEMAS_MAX ||
      schemas.some((each) => branchesOf(each) > INLINE_COMPILE_BRANCHES_MAX) ||
      nodesOf(lowered, INLINE_COMPILE_NODES_MAX) > INLINE_COMPILE_NODES_MAX,
  };
}

/** `null` if the cost is unknown, so that a worker must validate. */
export function storedProfile(
  schema: JsonObject,
  { documentDepthMax }: Pick<Limits, 'documentDepthMax'>,
): Profile | null {
  try {
    const profile = profileOf(schema, documentDepthMax);
    return 'fanOut' in profile ? profile : null;
  } catch (error) {
    if (error instanceof SchemaFault) return null;
    throw error;
  }
}

/** The location in the registered schema. */
function pointerIn(outline: readonly Subschema[], origins: Lowered['origins'], pointer: string): string {
  const subschema = outline.find((one) => one.pointer === pointer);
  return origins.get(subschema?.schema)?.pointer ?? pointer;
}

/** Upper bound of the steps to validate a document, from its number of values and its size as text. */
export function stepsFor(profile: Profile, locations: number, bytes: number): number {
  return locations * profile.stepsPerLocation + (bytes * profile.statesPerByte) / STATES_PER_STEP;
}

/** The size up to which validation certainly takes no more steps, whatever the values. */
export function bytesWithin({ stepsPerLocation, statesPerByte }: Profile, steps: number): number {
  return (steps - stepsPerLocation) / (stepsPerLocation / VALUE_BYTES_MIN + statesPerByte / STATES_PER_STEP);
}

function branchesOf(schema: JsonObject): number {
  return Math.max(
    ...['oneOf', 'anyOf', 'allOf'].map((keyword) => {
      const branches = schema[keyword];
      return isJsonArray(branches) ? branches.length : 0;
    }),
  );
}

function stepsOf({ schema }: Subschema): number {
  if (typeof schema === 'boolean') return 1;
  const compared = [schema['enum'], schema['const'], schema['required'], schema['dependentRequired']];
  const values = compared.reduce<number>((sum, value) => sum + (value === undefined ? 0 : nodesOf(value)), 0);
  return 1 + values / 8;
}

function statesOf({ schema }: Subschema): number {
  if (typeof schema === 'boolean') return 0;
  const { pattern, patternProperties } = schema;
  const patterns = isJsonObject(patternProperties) ? Object.keys(patternProperties) : [];
  if (typeof pattern === 'string') patterns.push(pattern);
  const format = schema['format'] === undefined ? 0 : FORMAT_STATES;
  const unique = schema['uniqueItems'] === true ? UNIQUE_STATES : 0;
  return patterns.reduce((sum, each) => sum + patternStates(each), format + unique);
}

function nodesOf(value: JsonValue, nodesMax = Infinity): number {
  let nodes = 0;
  const stack: JsonValue[] = [value];
  for (let part = stack.pop(); part !== undefined && nodes <= nodesMax; part = stack.pop()) {
    nodes += 1;
    if (typeof part === 'object' && part !== null) for (const child of Object.values(part)) stack.push(child);
  }
  return nodes;
}

/**
 * Sums weights along all paths to a location. `atLocation`: for the location that a subschema itself applies to.
 * `deepest`: for the most expensive location at any level below the root. It counts paths, not subschemas,
 * because Ajv walks each path.
 */
function loadOf(graph: readonly GraphNode[], order: readonly number[], weights: readonly number[]) {
  const sum = (groups: readonly Alternatives[], costs: readonly number[]): number =>
    groups.reduce((total, group) => total + Math.max(...group.map((index) => costs[index] ?? 0)), 0);
  const level = (own: (node: GraphNode) => number): number[] => {
    const costs = graph.map(() => 0);
    for (const index of order) {
      const node = graph[index];
      if (node !== undefined) costs[index] = Math.min(COST_MAX, own(node) + sum(node.inPlace, costs));
    }
    return costs;
  };
  const levelWeight = () => level(({ subschema }) => weights[subschema.index] ?? 0);
  return {
    atLocation: levelWeight,
    deepest: (levels: number): number => {
      let costs = levelWeight();
      let worst = costs[0] ?? 0;
      for (let depth = 1; depth <= levels; depth += 1) {
        const above = costs;
        costs = level((node) => Math.max(sum(node.member, above), sum(node.item, above)));
        worst = Math.max(worst, costs[0] ?? 0);
        // Without recursion, no cost is left once the document is deeper than the schema.
        if (costs.every((cost) => cost === 0)) break;
      }
      return worst;
    },
  };
}
