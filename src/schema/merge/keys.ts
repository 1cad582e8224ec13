// Which arrays of a document have a key, as its schema says by `x-key`. Knows schemas, no documents.
import { isJsonObject, type JsonObject } from '../../domain/json.js';
import { parsePointer } from '../../domain/pointer.js';
import { outlineOf, type Subschema } from '../outline.js';
import { REFERENCE_KEYWORDS, References } from '../reference.js';
import type { KeyOf } from './types.js';

const IN_PLACE = new Set(['allOf', 'anyOf', 'oneOf', 'if', 'then', 'else', 'dependentSchemas']);
const NONE: KeyOf = () => null;
const known = new WeakMap<JsonObject, KeyOf>();

/** The look-up for an admitted schema; made once for each. */
export function keysOf(schema: JsonObject): KeyOf {
  let keyOf = known.get(schema);
  if (keyOf === undefined) {
    const outline = outlineOf(schema);
    const found = outline.some((one) => keyAt(one) !== null) ? new Keys(outline) : null;
    keyOf = found === null ? NONE : (pointer) => found.at(pointer);
    known.set(schema, keyOf);
  }
  return keyOf;
}

function keyAt({ schema }: Subschema): string | null {
  const key = isJsonObject(schema) ? schema['x-key'] : undefined;
  return typeof key === 'string' ? key : null;
}

class Keys {
  readonly #references: References;

  constructor(private readonly outline: readonly Subschema[]) {
    this.#references = new References(outline);
  }

  at(pointer: string): string | null {
    let here = this.#inPlace(this.outline.slice(0, 1));
    for (const segment of parsePointer(pointer) ?? []) {
      here = this.#inPlace([...here].flatMap((one) => this.#under(one, segment)));
    }
    for (const one of here) {
      const key = keyAt(one);
      if (key !== null) return key;
    }
    return null;
  }

  /** The subschemas with all that are held against the same place. */
  #inPlace(start: readonly Subschema[]): ReadonlySet<Subschema> {
    const found = new Set(start);
    for (const one of found) {
      for (const child of one.children) if (IN_PLACE.has(child.keyword)) this.#add(found, child.index);
      if (!isJsonObject(one.schema)) continue;
      for (const keyword of REFERENCE_KEYWORDS) {
        const reference = one.schema[keyword];
        if (typeof reference !== 'string') continue;
        for (const target of this.#references.targets(one, keyword, reference)) found.add(target);
      }
    }
    return found;
  }

  #under({ children }: Subschema, segment: string): readonly Subschema[] {
    const named = children.filter(({ keyword, key }) => keyword === 'properties' && key === segment);
    const placed = children.filter(
      ({ keyword, key }) => (keyword === 'prefixItems' || keyword === 'items') && String(key) === segment,
    );
    const others = children.filter(({ keyword, key }) =>
      keyword === 'items'
        ? key === null
        : keyword === 'additionalProperties' || keyword === 'additionalItems',
    );
    const patterns = children.filter(({ keyword }) => keyword === 'patternProperties');
    const chosen = named.length > 0 ? named : placed.length > 0 ? placed : [...patterns, ...others];
    const found = new Set<Subschema>();
    for (const { index } of chosen) this.#add(found, index);
    return [...found];
  }

  #add(found: Set<Subschema>, index: number): void {
    const subschema = this.outline[index];
    if (subschema !== undefined) found.add(subschema);
  }
}
