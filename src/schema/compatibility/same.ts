// Checks whether two subschemas are literally the same, with references resolved: a shortcut for unchanged parts.
import { isJsonObject, jsonEqual, type JsonValue } from '../../domain/json/json.js';
import { isReference } from '../lowering/reference.js';
import type { Budget, Side } from './side.js';

/** Keywords that do not affect validity: annotations, names, and the rules of change. */
const NOTES = new Set(
  (
    'title description default examples deprecated readOnly writeOnly $comment $id $schema $anchor $defs definitions ' +
    '$dynamicAnchor $recursiveAnchor $vocabulary contentEncoding contentMediaType contentSchema ' +
    'x-immutable x-append-only x-monotonic x-transitions x-key'
  ).split(' '),
);

/** Keywords whose value consists only of subschemas. */
const OF_SCHEMAS = new Set(
  (
    'allOf anyOf oneOf not if then else items additionalItems prefixItems contains unevaluatedItems properties ' +
    'patternProperties additionalProperties propertyNames unevaluatedProperties dependentSchemas'
  ).split(' '),
);

export class Sameness {
  readonly #known = new Map<string, boolean>();

  constructor(
    private readonly one: Side,
    private readonly other: Side,
    private readonly budget: Budget,
  ) {}

  /** @param only - Compare only these keywords. */
  of(one: number, other: number, only: readonly string[] | null = null): boolean {
    const assumed = new Set<string>();
    const key = `${String(one)} ${String(other)} ${only?.join() ?? ''}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const same = this.#same(one, other, only, assumed);
    // Assumptions made on the way hold if the whole is the same.
    if (same) for (const each of assumed) this.#known.set(each, true);
    this.#known.set(key, same);
    return same;
  }

  #same(one: number, other: number, only: readonly string[] | null, assumed: Set<string>): boolean {
    const key = `${String(one)} ${String(other)} ${only?.join() ?? ''}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (assumed.has(key)) return true;
    if (!this.budget.spend()) return false;
    assumed.add(key);
    const [a, b] = [this.one.schema(one), this.other.schema(other)];
    if (!isJsonObject(a) || !isJsonObject(b)) return a === b;
    if (this.one.isAmbiguous(one) || this.other.isAmbiguous(other)) return false;
    const counts = (keyword: string) => !NOTES.has(keyword) && (only?.includes(keyword) ?? true);
    const keywords = new Set([...Object.keys(a), ...Object.keys(b)].filter(counts));
    for (const keyword of keywords) {
      if (!this.#sameKeyword(keyword, a[keyword], b[keyword])) return false;
    }
    return this.#sameBelow(one, other, counts, assumed);
  }

  #sameKeyword(keyword: string, a: JsonValue | undefined, b: JsonValue | undefined): boolean {
    if (a === undefined || b === undefined) return false;
    // Compared together with their subschemas and targets.
    if (OF_SCHEMAS.has(keyword) || isReference(keyword)) {
      return Array.isArray(a) === Array.isArray(b);
    }
    return jsonEqual(a, b);
  }

  #sameBelow(
    one: number,
    other: number,
    counts: (keyword: string) => boolean,
    assumed: Set<string>,
  ): boolean {
    const mine = this.one.edges(one).filter((edge) => counts(edge.keyword));
    const theirs = this.other.edges(other).filter((edge) => counts(edge.keyword));
    if (mine.length !== theirs.length) return false;
    return mine.every((edge) => {
      const like = theirs.find((each) => each.keyword === edge.keyword && each.key === edge.key);
      return like !== undefined && this.#same(edge.to, like.to, null, assumed);
    });
  }
}
