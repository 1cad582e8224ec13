// One of two compared schemas: its subschemas by keyword, with references resolved. Knows nothing of the other.
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import { isReference } from '../lowering/reference.js';
import { isInPlace, SchemaGraph, type Edge } from '../rules/schema-graph.js';

/** A subschema that is an object, by its index. */
export interface Part {
  readonly index: number;
  readonly schema: JsonObject;
}

/** The number of steps that a comparison may take. What is undetermined when it is used up stays unknown. */
export class Budget {
  #left: number;

  constructor(steps: number) {
    this.#left = steps;
  }

  /** Uses one step. @returns False if none is left. */
  spend(): boolean {
    this.#left -= 1;
    return this.#left >= 0;
  }
}

export class Side {
  readonly #graph: SchemaGraph;

  constructor(
    schema: JsonObject | SchemaGraph,
    readonly budget: Budget,
  ) {
    this.#graph = schema instanceof SchemaGraph ? schema : new SchemaGraph(schema);
  }

  schema(index: number): JsonObject | boolean {
    return this.#graph.at(index).schema;
  }

  pointer(index: number): string {
    return this.#graph.at(index).pointer;
  }

  /** The value of a keyword in a subschema. */
  value(index: number, keyword: string): JsonValue | undefined {
    const schema = this.schema(index);
    return isJsonObject(schema) ? schema[keyword] : undefined;
  }

  edges(index: number): readonly Edge[] {
    return this.#graph.edges(index);
  }

  /** The subschemas under a keyword, with their name or index within it. */
  under(index: number, keyword: string): readonly Edge[] {
    return this.#graph.under(index, keyword);
  }

  /** The only subschema of a keyword, or its subschema with this name or index. */
  child(index: number, keyword: string, key: string | number | null = null): number | null {
    return this.#graph.child(index, keyword, key);
  }

  /** True if a reference of the subschema has more than one possible target. */
  isAmbiguous(index: number): boolean {
    return this.edges(index).some((edge) => !edge.certain && isReference(edge.keyword));
  }

  /**
   * The subschemas, and all others that always apply to the same location. `null` if one of them is `false`,
   * which no value satisfies.
   */
  parts(indices: readonly number[]): readonly Part[] | null {
    const seen = new Set(indices);
    const parts: Part[] = [];
    for (const index of seen) {
      const schema = this.schema(index);
      if (schema === false) return null;
      if (schema === true) continue;
      parts.push({ index, schema });
      for (const edge of this.edges(index)) if (edge.certain && isInPlace(edge.keyword)) seen.add(edge.to);
    }
    return parts;
  }

  matches(pattern: string, text: string): boolean {
    return this.#graph.matches(pattern, text);
  }
}

/** The types of JSON Schema, with numbers divided into `integer` and `fraction`. */
export type Type = 'null' | 'boolean' | 'integer' | 'fraction' | 'string' | 'array' | 'object';
export const TYPES: readonly Type[] = ['null', 'boolean', 'integer', 'fraction', 'string', 'array', 'object'];

/** The types that `type` allows; all if it is absent. */
export function typesOf(schema: JsonObject): readonly Type[] {
  const { type } = schema;
  if (type === undefined) return TYPES;
  const named = isJsonArray(type) ? type : [type];
  return TYPES.filter(
    (one) => named.includes(one) || ((one === 'integer' || one === 'fraction') && named.includes('number')),
  );
}

/** The type of a value. */
export function typeOf(value: JsonValue): Type {
  if (value === null) return 'null';
  if (isJsonArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'fraction';
  if (typeof value === 'string') return 'string';
  return typeof value === 'boolean' ? 'boolean' : 'object';
}

/** The length of a text as JSON Schema counts it: in code points. */
export function lengthOf(text: string): number {
  return Array.from(text).length;
}

/** The member names of an object in a schema, such as `properties`. */
export function namesOf(value: JsonValue | undefined): readonly string[] {
  return isJsonObject(value) ? Object.keys(value) : [];
}

/** The strings of an array in a schema, such as `required`. */
export function textsOf(value: JsonValue | undefined): readonly string[] {
  return isJsonArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

/** The number of a keyword, or the fallback. */
export function numberOf(value: JsonValue | undefined, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}
