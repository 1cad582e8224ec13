// What a group of subschemas that hold together says of one place, put together.
import { isJsonArray, jsonEqual, type JsonValue } from '../../domain/json/json.js';
import {
  every,
  holds,
  itemSchema,
  memberSchemas,
  prefixLength,
  restSchema,
  type Verdict,
} from './evaluate.js';
import { numberOf, textsOf, typeOf, typesOf, TYPES, type Part, type Side, type Type } from './side.js';

/** What is known of a place: the subschemas that hold, and the choices that were made for it. */
export interface Known {
  readonly indices: readonly number[];
  /** The one type that is looked at; `null` for all. */
  readonly type: Type | null;
  /** The `anyOf` and `oneOf` of which a branch was chosen. */
  readonly chosen: readonly string[];
}

/** Names an `anyOf` or `oneOf` of which a branch can be chosen. */
export function choice(index: number, keyword: string): string {
  return `${String(index)} ${keyword}`;
}

/** Keywords that narrow a place further than is taken into account where something is called certain. */
const FURTHER = (
  'anyOf oneOf not if contains dependentRequired dependentSchemas dependencies propertyNames unevaluatedItems ' +
  'unevaluatedProperties $dynamicRef $recursiveRef minProperties maxProperties'
).split(' ');

export class Shape {
  readonly parts: readonly Part[];
  readonly types: readonly Type[];
  /** All values that may be there, where they are few; some may be ruled out by other keywords. */
  readonly values: readonly JsonValue[] | null;
  /** True where nothing can be there. */
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

  /** Whether a value may be there. */
  accepts(value: JsonValue): Verdict {
    return every(this.known.indices.map((index) => holds(this.side, index, value)));
  }

  /** True where the keywords that are taken into account are all that there are. */
  get plain(): boolean {
    return this.parts.every(({ index, schema }) =>
      FURTHER.every(
        (keyword) => schema[keyword] === undefined || this.known.chosen.includes(choice(index, keyword)),
      ),
    );
  }

  /** The highest of a lower bound. */
  atLeast(keyword: string, otherwise: number): number {
    return Math.max(otherwise, ...this.parts.map(({ schema }) => numberOf(schema[keyword], otherwise)));
  }

  /** The lowest of an upper bound. */
  atMost(keyword: string): number {
    return Math.min(Infinity, ...this.parts.map(({ schema }) => numberOf(schema[keyword], Infinity)));
  }

  /** What the parts say by a keyword. */
  said(keyword: string): readonly JsonValue[] {
    return this.parts.flatMap(({ schema }) => (schema[keyword] === undefined ? [] : [schema[keyword]]));
  }

  /** The subschemas under a keyword, of all parts. */
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

  /** The names of `properties`, of all parts. */
  get names(): ReadonlySet<string> {
    return new Set(
      this.parts.flatMap(({ index }) => this.side.under(index, 'properties').map(({ key }) => String(key))),
    );
  }

  get patterns(): ReadonlySet<string> {
    const edges = this.parts.flatMap(({ index }) => this.side.under(index, 'patternProperties'));
    return new Set(edges.map(({ key }) => String(key)));
  }

  /** The subschemas of a member with a name that no part declares; of those that match a pattern, where one is given. */
  unnamed(pattern: string | null = null): readonly number[] {
    return this.parts.flatMap(({ index }) => {
      const own = pattern === null ? null : this.side.child(index, 'patternProperties', pattern);
      if (own !== null) return [own];
      // A name may match another pattern of this part, and is no additional one then.
      if (pattern !== null && this.side.under(index, 'patternProperties').length > 0) return [];
      const additional = this.side.child(index, 'additionalProperties');
      return additional === null ? [] : [additional];
    });
  }

  item(at: number): readonly number[] {
    return this.parts.flatMap(({ index }) => itemSchema(this.side, index, at) ?? []);
  }

  /** The subschemas of the items after all that have a fixed place. */
  get rest(): readonly number[] {
    return this.parts.flatMap(({ index }) => restSchema(this.side, index) ?? []);
  }

  get prefixMax(): number {
    return Math.max(0, ...this.parts.map(({ index }) => prefixLength(this.side, index)));
  }

  /** The most items that there can be. */
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

/** The values that the parts list, or that the types leave; `null` where they are not few. */
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
