// Combines what several subschemas require of one location.
import { isJsonArray, jsonEqual, type JsonValue } from '../../domain/json/json.js';
import {
  every,
  holds,
  itemSchema,
  memberSchemas,
  prefixLength,
  restSchema,
  type Ternary,
} from './evaluate.js';
import { numberOf, textsOf, typeOf, typesOf, TYPES, type Part, type Side, type Type } from './side.js';

/** What is known of a location: the subschemas that apply, and the branches chosen for it. */
export interface Known {
  readonly indices: readonly number[];
  /** The single type to consider; `null` for all. */
  readonly type: Type | null;
  /** Each `anyOf` and `oneOf` for which a branch was chosen. */
  readonly chosen: readonly string[];
}

/** A location to which these subschemas apply. */
export function knownAs(...indices: readonly number[]): Known {
  return { indices: [...new Set(indices)], type: null, chosen: [] };
}

/** Identifies an `anyOf` or `oneOf` that a branch can be chosen of. */
export function choice(index: number, keyword: string): string {
  return `${String(index)} ${keyword}`;
}

/**
 * Keywords that restrict a location further. The analysis ignores them, so it reports no certain difference
 * if one is present.
 */
const FURTHER = (
  'anyOf oneOf not if contains dependentRequired dependentSchemas dependencies propertyNames unevaluatedItems ' +
  'unevaluatedProperties $dynamicRef $recursiveRef minProperties maxProperties'
).split(' ');

export class Shape {
  readonly parts: readonly Part[];
  readonly types: readonly Type[];
  /** All possible values, if they are few. Other keywords may exclude some of them. */
  readonly values: readonly JsonValue[] | null;
  /** True if no value is possible. */
  readonly impossible: boolean;

  constructor(
    readonly side: Side,
    readonly known: Known,
  ) {
    const parts = side.parts(known.indices);
    this.parts = parts ?? [];
    const types = TYPES.filter(
      (type) =>
        (known.type === null || type === known.type) &&
        this.parts.every(({ schema }) => typesOf(schema).includes(type)),
    );
    const values = valuesOf(this.parts, types)?.filter(
      (value) => types.includes(typeOf(value)) && this.accepts(value) !== false,
    );
    this.values = values ?? null;
    this.types =
      values === undefined ? types : types.filter((type) => values.some((one) => typeOf(one) === type));
    this.impossible = parts === null || this.types.length === 0;
  }

  /** Whether a value is possible. */
  accepts(value: JsonValue): Ternary {
    return every(this.known.indices.map((index) => holds(this.side, index, value)));
  }

  /** True if none of the `FURTHER` keywords applies, apart from choices that were made. */
  get plain(): boolean {
    return this.parts.every(({ index, schema }) =>
      FURTHER.every(
        (keyword) => schema[keyword] === undefined || this.known.chosen.includes(choice(index, keyword)),
      ),
    );
  }

  /** The highest of all lower bounds. */
  atLeast(keyword: string, otherwise: number): number {
    return Math.max(otherwise, ...this.parts.map(({ schema }) => numberOf(schema[keyword], otherwise)));
  }

  /** The lowest of all upper bounds. */
  atMost(keyword: string): number {
    return Math.min(Infinity, ...this.parts.map(({ schema }) => numberOf(schema[keyword], Infinity)));
  }

  /** The values of a keyword in all parts. */
  said(keyword: string): readonly JsonValue[] {
    return this.parts.flatMap(({ schema }) => (schema[keyword] === undefined ? [] : [schema[keyword]]));
  }

  /** The subschemas under a keyword in all parts. */
  under(keyword: string, key?: string | number): readonly number[] {
    return this.parts
      .flatMap(({ index }) => this.side.under(index, keyword))
      .filter((edge) => key === undefined || edge.key === key)
      .map(({ to }) => to);
  }

  get required(): ReadonlySet<string> {
    return new Set(this.said('required').flatMap(textsOf));
  }

  /** The subschemas of a member. */
  member(name: string): readonly number[] {
    return this.parts.flatMap(({ index }) => memberSchemas(this.side, index, name));
  }

  /** The names in `properties` of all parts. */
  get names(): ReadonlySet<string> {
    return new Set(
      this.parts.flatMap(({ index }) => this.side.under(index, 'properties').map(({ key }) => String(key))),
    );
  }

  get patterns(): ReadonlySet<string> {
    const edges = this.parts.flatMap(({ index }) => this.side.under(index, 'patternProperties'));
    return new Set(edges.map(({ key }) => String(key)));
  }

  /** The subschemas of a member that no part declares. With `pattern`, of a member whose name matches it. */
  unnamed(pattern: string | null = null): readonly number[] {
    return this.parts.flatMap(({ index }) => {
      const own = pattern === null ? null : this.side.child(index, 'patternProperties', pattern);
      if (own !== null) return [own];
      // The name may match another pattern of this part, and then `additionalProperties` does not apply.
      if (pattern !== null && this.side.under(index, 'patternProperties').length > 0) return [];
      const additional = this.side.child(index, 'additionalProperties');
      return additional === null ? [] : [additional];
    });
  }

  item(at: number): readonly number[] {
    return this.parts.flatMap(({ index }) => itemSchema(this.side, index, at) ?? []);
  }

  /** The subschemas of the items after all those with a fixed position. */
  get rest(): readonly number[] {
    return this.parts.flatMap(({ index }) => restSchema(this.side, index) ?? []);
  }

  get prefixMax(): number {
    return Math.max(0, ...this.parts.map(({ index }) => prefixLength(this.side, index)));
  }

  /** The highest possible number of items. */
  get itemsMax(): number {
    const most = this.atMost('maxItems');
    for (let at = 0; at <= this.prefixMax && at < most; at += 1) {
      if (this.side.parts(this.item(at)) === null) return at;
    }
    return most;
  }
}

const FINITE: Readonly<Partial<Record<Type, readonly JsonValue[]>>> = {
  null: [null],
  boolean: [false, true],
};

/** The values that the parts list, or that the types leave; `null` if they are not few. */
function valuesOf(parts: readonly Part[], types: readonly Type[]): readonly JsonValue[] | null {
  const lists: (readonly JsonValue[])[] = parts.flatMap(({ schema }) => [
    ...(isJsonArray(schema['enum']) ? [schema['enum']] : []),
    ...(schema['const'] === undefined ? [] : [[schema['const']]]),
  ]);
  const [first, ...more] = lists;
  if (first !== undefined) {
    return first.filter((value) => more.every((list) => list.some((one) => jsonEqual(one, value))));
  }
  const finite = types.map((type) => FINITE[type]);
  return types.length > 0 && finite.every((each) => each !== undefined) ? finite.flat() : null;
}
