// One of two schemas that are compared: its subschemas by keyword, references followed. Knows nothing of the other.
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import { compilePattern } from '../patterns/pattern.js';
import { REFERENCE_KEYWORDS } from '../lowering/reference.js';
import { isInPlace, Places, type Edge } from '../rules/places.js';

/** A subschema that is an object, by its number. */
export interface Part {
  readonly index: number;
  readonly schema: JsonObject;
}

interface Edges {
  readonly all: readonly Edge[];
  readonly byKeyword: ReadonlyMap<string, readonly Edge[]>;
  readonly byKey: ReadonlyMap<string, Edge>;
}

const NONE: readonly Edge[] = [];

/** The work that a comparison may take. What is not known when it is used up stays unknown. */
export class Budget {
  #left: number;

  constructor(steps: number) {
    this.#left = steps;
  }

  /** @returns False where nothing is left. */
  spend(): boolean {
    this.#left -= 1;
    return this.#left >= 0;
  }
}

export class Side {
  readonly #places: Places;
  readonly #edges = new Map<number, Edges>();
  readonly #patterns = new Map<string, { readonly test: (text: string) => boolean }>();

  constructor(
    schema: JsonObject | Places,
    readonly budget: Budget,
  ) {
    this.#places = schema instanceof Places ? schema : new Places(schema);
  }

  schema(index: number): JsonObject | boolean {
    return this.#places.at(index).schema;
  }

  pointer(index: number): string {
    return this.#places.at(index).pointer;
  }

  /** The value of a keyword of a subschema. */
  value(index: number, keyword: string): JsonValue | undefined {
    const schema = this.schema(index);
    return isJsonObject(schema) ? schema[keyword] : undefined;
  }

  edges(index: number): readonly Edge[] {
    return this.#edgesOf(index).all;
  }

  /** The subschemas under a keyword, with their names or numbers within it. */
  under(index: number, keyword: string): readonly Edge[] {
    return this.#edgesOf(index).byKeyword.get(keyword) ?? NONE;
  }

  /** The one subschema that a keyword holds, or holds under a name. */
  child(index: number, keyword: string, key: string | number | null = null): number | null {
    return this.#edgesOf(index).byKey.get(`${keyword} ${String(key)}`)?.to ?? null;
  }

  #edgesOf(index: number): Edges {
    const known = this.#edges.get(index);
    if (known !== undefined) return known;
    const all = this.#places.edges(index);
    const byKeyword = new Map<string, Edge[]>();
    const byKey = new Map<string, Edge>();
    for (const edge of all) {
      const list = byKeyword.get(edge.keyword) ?? [];
      list.push(edge);
      byKeyword.set(edge.keyword, list);
      // No keyword has both: a subschema of its own, and subschemas by name.
      byKey.set(`${edge.keyword} ${String(edge.key)}`, edge);
    }
    const edges = { all, byKeyword, byKey };
    this.#edges.set(index, edges);
    return edges;
  }

  /** True where a reference of the subschema may mean more than one other. */
  isAmbiguous(index: number): boolean {
    return this.edges(index).some(
      (edge) => !edge.certain && REFERENCE_KEYWORDS.some((k) => k === edge.keyword),
    );
  }

  /**
   * Subschemas with all that hold of the same place whenever they do; `null` where one of them is `false`, which
   * nothing satisfies.
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
    const compiled = this.#patterns.get(pattern) ?? compilePattern(pattern);
    this.#patterns.set(pattern, compiled);
    return compiled.test(text);
  }
}

/** The types of `type`, `integer` and `fraction` told apart; all of them where there is none. */
export type Type = 'null' | 'boolean' | 'integer' | 'fraction' | 'string' | 'array' | 'object';
export const TYPES: readonly Type[] = ['null', 'boolean', 'integer', 'fraction', 'string', 'array', 'object'];

/** The types that a schema allows by `type` alone. */
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

/** Characters as JSON Schema counts them: code points. */
export function lengthOf(text: string): number {
  return Array.from(text).length;
}

/** The names of an object in a schema, such as those of `properties`. */
export function namesOf(value: JsonValue | undefined): readonly string[] {
  return isJsonObject(value) ? Object.keys(value) : [];
}

/** The texts of a list in a schema, such as that of `required`. */
export function textsOf(value: JsonValue | undefined): readonly string[] {
  return isJsonArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

/** A number of a keyword, or what stands in for it. */
export function numberOf(value: JsonValue | undefined, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}
