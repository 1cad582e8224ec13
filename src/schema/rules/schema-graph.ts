// Which subschemas apply to a location of a document together, and which types they allow. Knows schemas, not rules.
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import { compilePattern } from '../patterns/pattern.js';
import { outlineOf, type Subschema } from '../lowering/outline.js';
import { isReference, References } from '../lowering/reference.js';

/** A step from one subschema to another. */
export interface Edge {
  readonly keyword: string;
  readonly key: string | number | null;
  readonly to: number;
  /** False if it is uncertain that the target applies, or to which location. */
  readonly certain: boolean;
}

/** Keywords whose subschema always applies, or applies to a known member or item. */
const CERTAIN = new Set(
  'allOf properties patternProperties additionalProperties prefixItems items additionalItems'.split(' '),
);
/** Keywords that only store schemas, or whose schemas apply to no location of the document. */
const ASIDE = new Set(['$defs', 'definitions', 'contentSchema']);

/** The edges of a subschema, also by keyword and by location. */
interface Edges {
  readonly all: readonly Edge[];
  readonly byKeyword: ReadonlyMap<string, readonly Edge[]>;
  readonly byKey: ReadonlyMap<string, Edge>;
}

const NONE: readonly Edge[] = [];

/** The outline of an admitted schema, with references resolved. */
export class SchemaGraph {
  readonly outline: readonly Subschema[];
  readonly #references: References;
  readonly #edges = new Map<number, Edges>();
  readonly #patterns = new Map<string, ReturnType<typeof compilePattern>>();

  constructor(schema: JsonObject) {
    this.outline = outlineOf(schema);
    this.#references = new References(this.outline);
  }

  at(index: number): Subschema {
    const subschema = this.outline[index];
    if (subschema === undefined) throw new Error(`there is no subschema ${String(index)}`);
    return subschema;
  }

  /** All edges of a subschema. */
  edges(index: number): readonly Edge[] {
    return this.#edgesOf(index).all;
  }

  /** The subschemas under a keyword, with their name or index within it. */
  under(index: number, keyword: string): readonly Edge[] {
    return this.#edgesOf(index).byKeyword.get(keyword) ?? NONE;
  }

  /** The only subschema of a keyword, or its subschema with this name or index. */
  child(index: number, keyword: string, key: string | number | null): number | null {
    return this.#edgesOf(index).byKey.get(`${keyword} ${String(key)}`)?.to ?? null;
  }

  /** True if a text matches a pattern of the schema. */
  matches(pattern: string, text: string): boolean {
    const compiled = this.#patterns.get(pattern) ?? compilePattern(pattern);
    this.#patterns.set(pattern, compiled);
    return compiled.test(text);
  }

  #edgesOf(index: number): Edges {
    const known = this.#edges.get(index);
    if (known !== undefined) return known;
    const all = this.#resolved(index);
    const byKeyword = new Map<string, Edge[]>();
    const byKey = new Map<string, Edge>();
    for (const edge of all) {
      const list = byKeyword.get(edge.keyword) ?? [];
      list.push(edge);
      byKeyword.set(edge.keyword, list);
      // A keyword has either one subschema or keyed subschemas, never both.
      byKey.set(`${edge.keyword} ${String(edge.key)}`, edge);
    }
    const edges = { all, byKeyword, byKey };
    this.#edges.set(index, edges);
    return edges;
  }

  #resolved(index: number): readonly Edge[] {
    const from = this.at(index);
    const { schema } = from;
    if (typeof schema === 'boolean') return [];
    const referred = this.#references
      .of(from)
      .flatMap(({ keyword, targets }) =>
        targets.map((to) => ({ keyword, key: null, to: to.index, certain: targets.length === 1 })),
      );
    // `additionalItems` has no effect without a list of `items` next to it.
    const lists = isJsonArray(schema['items']);
    const children = from.children
      .filter(({ keyword }) => !ASIDE.has(keyword) && (keyword !== 'additionalItems' || lists))
      .map(({ keyword, key, index: to }) => ({ keyword, key, to, certain: CERTAIN.has(keyword) }));
    return [...referred, ...children];
  }

  /** A subschema, and all others that always apply to the same location. */
  together(index: number): readonly JsonObject[] {
    return this.#inPlace(index)
      .map((each) => this.at(each).schema)
      .filter((schema) => isJsonObject(schema));
  }

  /** The edges of a subschema, and of all others that always apply to the same location. */
  edgesTogether(index: number): readonly Edge[] {
    return this.#inPlace(index).flatMap((each) => this.edges(each));
  }

  #inPlace(index: number): readonly number[] {
    const seen = new Set([index]);
    for (const each of seen) {
      for (const { keyword, to, certain } of this.edges(each)) {
        if (certain && isInPlace(keyword)) seen.add(to);
      }
    }
    return [...seen];
  }
}

/** True if a keyword leads to a subschema of the same location. */
export function isInPlace(keyword: string): boolean {
  return keyword === 'allOf' || isReference(keyword);
}

/** The types that all schemas allow; `null` if none has `type`. */
export function typesOf(schemas: readonly JsonObject[]): readonly string[] | null {
  const types = schemas.map(({ type }) => type).filter((type) => type !== undefined);
  const lists = types.map((type) => (isJsonArray(type) ? type : [type]).map(String));
  const [first, ...more] = lists;
  if (first === undefined) return null;
  return first.filter((type) => more.every((list) => list.includes(type)));
}

/** The values that all schemas allow by `enum` and `const`; `null` if none has either. */
export function valuesOf(schemas: readonly JsonObject[]): readonly JsonValue[] | null {
  const lists = schemas.flatMap((schema) => [
    ...(isJsonArray(schema['enum']) ? [schema['enum']] : []),
    ...(schema['const'] === undefined ? [] : [[schema['const']]]),
  ]);
  const [first, ...more] = lists;
  if (first === undefined) return null;
  return first.filter((value) => more.every((list) => list.includes(value)));
}
