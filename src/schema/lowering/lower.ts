// Rewrites a schema into an equivalent one that Ajv validates as JSON Schema specifies. Each reference becomes
// `#/$defs/<number>`, dynamic references are resolved for each path to them, and identifiers are removed. Pure.
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import { effectiveSchema } from './effective.js';
import { outlineOf, type Child, type Subschema } from './outline.js';
import { isReference, REFERENCE_KEYWORDS, References } from './reference.js';

/** A lowered schema, and the original subschema of each of its objects. */
export interface Lowered {
  readonly schema: JsonObject;
  readonly origins: ReadonlyMap<unknown, Subschema>;
  /** True if it contains `unevaluatedProperties` or `unevaluatedItems`. */
  readonly usesUnevaluated: boolean;
  /** True if it contains references, so that its subschemas do not stand for themselves. */
  readonly refers: boolean;
}

/** A stored schema of an earlier program version that would not be admitted now, and has no meaning. */
export class SchemaFault extends Error {}

/** Most subschemas of a lowered schema, including copies for different paths. */
const COPIES_MAX = 8000;

/** The resource that each dynamic anchor refers to on a path: the outermost one that has the anchor. */
type Scope = ReadonlyMap<string, Subschema>;

/** Keywords that do not affect validity, and those that the rewriting replaces. */
const DROPPED = new Set(
  (
    '$schema $id $anchor $dynamicAnchor $recursiveAnchor $vocabulary $comment $defs definitions title description ' +
    'default examples deprecated readOnly writeOnly contentMediaType contentEncoding contentSchema'
  ).split(' '),
);
/** Branches whose result must be known on its own, to determine what they have evaluated. */
const BRANCHES = new Set(['anyOf', 'oneOf', 'if', 'contains', 'unevaluatedProperties', 'unevaluatedItems']);

/**
 * Lowers a schema whose depth was checked. `null` if dynamic references would make too many copies.
 *
 * @throws SchemaFault A reference cannot be resolved.
 */
export function lower(schema: JsonObject): Lowered | null {
  return new Lowering(outlineOf(effectiveSchema(schema))).run();
}

class Lowering {
  readonly #references: References;
  readonly #origins = new Map<unknown, Subschema>();
  /** For each resource, its dynamic anchors that some reference uses. */
  readonly #anchors = new Map<string, Map<string, Subschema>>();
  readonly #targets = new Set<number>();
  readonly #numbers = new Map<string, number>();
  readonly #waiting: { readonly number: number; readonly index: number; readonly scope: Scope }[] = [];
  readonly #usesUnevaluated: boolean;
  #refers = false;
  #copies = 0;

  constructor(private readonly outline: readonly Subschema[]) {
    this.#references = new References(outline);
    this.#usesUnevaluated = outline.some(
      ({ schema }) =>
        typeof schema !== 'boolean' && ('unevaluatedProperties' in schema || 'unevaluatedItems' in schema),
    );
    const asked = new Set<string>();
    for (const from of outline) {
      if (typeof from.schema === 'boolean') continue;
      for (const keyword of REFERENCE_KEYWORDS) {
        const reference = from.schema[keyword];
        if (typeof reference !== 'string') continue;
        const target = this.#references.resolve(reference, from.base);
        if (target === undefined) continue;
        this.#targets.add(target.index);
        const anchor = this.#references.anchorOf(keyword, reference, target);
        if (anchor !== null) asked.add(anchor);
      }
    }
    for (const anchor of asked) {
      for (const subschema of this.#references.dynamic(anchor)) {
        const anchors = this.#anchors.get(subschema.base) ?? new Map<string, Subschema>();
        if (!anchors.has(anchor)) anchors.set(anchor, subschema);
        this.#anchors.set(subschema.base, anchors);
        this.#targets.add(subschema.index);
      }
    }
  }

  run(): Lowered | null {
    const root = this.#at(0);
    const scope = this.#enter(new Map(), root);
    this.#numbers.set(keyOf(0, scope), 0);
    const schema = this.#emit(root, scope);
    const defs: Record<string, JsonValue> = {};
    for (const { number, index, scope: within } of this.#waiting) {
      if (this.#copies > COPIES_MAX) return null;
      defs[String(number)] = this.#emit(this.#at(index), within);
    }
    const whole = isJsonObject(schema)
      ? { ...schema, ...(this.#waiting.length > 0 ? { $defs: defs } : {}) }
      : {};
    this.#origins.set(whole, root);
    return {
      schema: whole,
      origins: this.#origins,
      usesUnevaluated: this.#usesUnevaluated,
      refers: this.#refers,
    };
  }

  #at(index: number): Subschema {
    const subschema = this.outline[index];
    if (subschema === undefined) throw new Error(`there is no subschema ${String(index)}`);
    return subschema;
  }

  /** The scope within the resource of the subschema that is entered. */
  #enter(scope: Scope, { base }: Subschema): Scope {
    const anchors = this.#anchors.get(base);
    if (anchors === undefined) return scope;
    const added = [...anchors].filter(([anchor]) => !scope.has(anchor));
    return added.length === 0 ? scope : new Map([...scope, ...added]);
  }

  #refTo(target: Subschema, from: Scope): string {
    this.#refers = true;
    const scope = this.#enter(from, target);
    const key = keyOf(target.index, scope);
    const known = this.#numbers.get(key);
    const number = known ?? this.#numbers.size;
    if (known === undefined) {
      this.#numbers.set(key, number);
      this.#waiting.push({ number, index: target.index, scope });
    }
    return number === 0 ? '#' : `#/$defs/${String(number)}`;
  }

  #place(child: Child, scope: Scope): JsonValue {
    const subschema = this.#at(child.index);
    const { schema } = subschema;
    if (typeof schema === 'boolean') return schema;
    const apart = this.#targets.has(child.index) || (this.#usesUnevaluated && BRANCHES.has(child.keyword));
    if (!apart) return this.#emit(subschema, this.#enter(scope, subschema));
    const reference = { $ref: this.#refTo(subschema, scope) };
    this.#origins.set(reference, subschema);
    return reference;
  }

  #emit(subschema: Subschema, scope: Scope): JsonObject | boolean {
    const { schema, children } = subschema;
    if (typeof schema === 'boolean') return schema;
    this.#copies += 1;
    const made: Record<string, JsonValue> = {};
    for (const [keyword, value] of Object.entries(schema)) {
      if (!DROPPED.has(keyword) && !isReference(keyword))
        made[keyword] = this.#value(children, keyword, value, scope);
    }
    const [first, ...more] = this.#referred(subschema, schema, scope);
    if (first !== undefined) made['$ref'] = first;
    if (more.length > 0) {
      const others = isJsonArray(made['allOf']) ? made['allOf'] : [];
      made['allOf'] = [...others, ...more.map(($ref) => ({ $ref }))];
    }
    return this.#containsApart(made, subschema);
  }

  /**
   * Moves `contains` into its own subschema. Next to other item keywords, and within a `not` or an `if`, Ajv
   * uses the result of those keywords for `contains` if the array is empty.
   */
  #containsApart(made: Record<string, JsonValue>, subschema: Subschema): JsonObject {
    this.#origins.set(made, subschema);
    const { contains, minContains, maxContains, ...rest } = made;
    if (contains === undefined || (rest['items'] === undefined && rest['prefixItems'] === undefined))
      return made;
    const own: JsonObject = {
      contains,
      ...(minContains === undefined ? {} : { minContains }),
      ...(maxContains === undefined ? {} : { maxContains }),
    };
    this.#origins.set(own, subschema);
    const apart = { ...rest, allOf: [...(isJsonArray(rest['allOf']) ? rest['allOf'] : []), own] };
    this.#origins.set(apart, subschema);
    return apart;
  }

  #value(children: readonly Child[], keyword: string, value: JsonValue, scope: Scope): JsonValue {
    const own = children.filter((child) => child.keyword === keyword);
    const [only] = own;
    if (only === undefined) return value;
    if (only.key === null) return this.#place(only, scope);
    if (isJsonArray(value)) return own.map((child) => this.#place(child, scope));
    const placed = own.map((child): [string, JsonValue] => [String(child.key), this.#place(child, scope)]);
    return { ...(isJsonObject(value) ? value : {}), ...Object.fromEntries(placed) };
  }

  #referred(from: Subschema, schema: JsonObject, scope: Scope): string[] {
    return REFERENCE_KEYWORDS.flatMap((keyword) => {
      const reference = schema[keyword];
      if (typeof reference !== 'string') return [];
      const fixed = this.#references.resolve(reference, from.base);
      if (fixed === undefined) throw new SchemaFault(`${reference.slice(0, 200)} leads to no subschema`);
      const anchor = this.#references.anchorOf(keyword, reference, fixed);
      const target = anchor === null ? fixed : (scope.get(anchor) ?? fixed);
      return [this.#refTo(target, scope)];
    });
  }
}

function keyOf(index: number, scope: Scope): string {
  const anchors = [...scope].map(([anchor, { index: at }]) => `${anchor} ${String(at)}`);
  return `${String(index)}\n${anchors.sort().join('\n')}`;
}
