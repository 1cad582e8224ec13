// Which subschemas apply to a location of a document together, and which types they allow. Knows schemas, not rules.
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import { outlineOf, type Subschema } from '../lowering/outline.js';
import { REFERENCE_KEYWORDS, References } from '../lowering/reference.js';

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

/** The outline of an admitted schema, with references resolved. */
export class Places {
  readonly outline: readonly Subschema[];
  readonly #references: References;

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
    const from = this.at(index);
    const { schema } = from;
    if (typeof schema === 'boolean') return [];
    const referred = REFERENCE_KEYWORDS.flatMap((keyword) => {
      const reference = schema[keyword];
      if (typeof reference !== 'string') return [];
      const targets = this.#references.targets(from, keyword, reference);
      return targets.map((to) => ({ keyword, key: null, to: to.index, certain: targets.length === 1 }));
    });
    // `additionalItems` has no effect without a list of `items` next to it.
    const lists = isJsonArray(schema['items']);
    const children = from.children
      .filter(({ keyword }) => !ASIDE.has(keyword) && (keyword !== 'additionalItems' || lists))
      .map(({ keyword, key, index: to }) => ({ keyword, key, to, certain: CERTAIN.has(keyword) }));
    return [...referred, ...children];
  }

  /** A subschema, and all others that always apply to the same location. */
  together(index: number): readonly JsonObject[] {
    const seen = new Set([index]);
    for (const each of seen) {
      for (const { keyword, to, certain } of this.edges(each)) {
        if (certain && isInPlace(keyword)) seen.add(to);
      }
    }
    return [...seen].map((each) => this.at(each).schema).filter((schema) => isJsonObject(schema));
  }
}

/** True if a keyword leads to a subschema of the same location. */
export function isInPlace(keyword: string): boolean {
  return keyword === 'allOf' || REFERENCE_KEYWORDS.some((each) => each === keyword);
}

/** The types that all schemas allow; `null` if none has `type`. */
export function typesOf(schemas: readonly JsonObject[]): readonly string[] | null {
  const said = schemas.map(({ type }) => type).filter((type) => type !== undefined);
  const lists = said.map((type) => (isJsonArray(type) ? type : [type]).map(String));
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
