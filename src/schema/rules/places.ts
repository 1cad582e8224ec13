// Which subschemas speak of a place of a document together, and what they say of its type. Knows schemas, not rules.
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import { outlineOf, type Subschema } from '../lowering/outline.js';
import { REFERENCE_KEYWORDS, References } from '../lowering/reference.js';

/** A step from one subschema to another one. */
export interface Edge {
  readonly keyword: string;
  readonly key: string | number | null;
  readonly to: number;
  /** False where it is not certain that the other one speaks of the place, or of which place. */
  readonly certain: boolean;
}

/** Keywords under which a subschema holds always, or for a known member or item. */
const CERTAIN = new Set(
  'allOf properties patternProperties additionalProperties prefixItems items additionalItems'.split(' '),
);
/** Keywords under which schemas only lie, or that speak of what is no place of the document. */
const ASIDE = new Set(['$defs', 'definitions', 'contentSchema']);

/** The outline of a schema with its references followed. The schema has to be admitted. */
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

  /** Everything that a subschema leads to. */
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
    // Without a list of items beside it, `additionalItems` says nothing.
    const lists = isJsonArray(schema['items']);
    const children = from.children
      .filter(({ keyword }) => !ASIDE.has(keyword) && (keyword !== 'additionalItems' || lists))
      .map(({ keyword, key, index: to }) => ({ keyword, key, to, certain: CERTAIN.has(keyword) }));
    return [...referred, ...children];
  }

  /** A subschema with all those that hold of the same place whenever it does. */
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

/** True where a keyword leads to a subschema of the same place. */
export function isInPlace(keyword: string): boolean {
  return keyword === 'allOf' || REFERENCE_KEYWORDS.some((each) => each === keyword);
}

/** The types that all of the schemas allow; `null` where none of them says. */
export function typesOf(schemas: readonly JsonObject[]): readonly string[] | null {
  const said = schemas.map(({ type }) => type).filter((type) => type !== undefined);
  const lists = said.map((type) => (isJsonArray(type) ? type : [type]).map(String));
  const [first, ...more] = lists;
  if (first === undefined) return null;
  return first.filter((type) => more.every((list) => list.includes(type)));
}

/** The values that all of the schemas allow by `enum` and `const`; `null` where none of them says. */
export function valuesOf(schemas: readonly JsonObject[]): readonly JsonValue[] | null {
  const lists = schemas.flatMap((schema) => [
    ...(isJsonArray(schema['enum']) ? [schema['enum']] : []),
    ...(schema['const'] === undefined ? [] : [[schema['const']]]),
  ]);
  const [first, ...more] = lists;
  if (first === undefined) return null;
  return first.filter((value) => more.every((list) => list.includes(value)));
}
