// Checks whether one schema accepts everything that another one accepts: location by location, keyword by keyword.
import type { JsonObject, JsonValue } from '../../domain/json/json.js';
import { formatPointer } from '../../domain/json/pointer.js';
import { excerpt } from '../../domain/json/quoted.js';
import { isInPlace } from '../rules/schema-graph.js';
import type { Comparison, Difference, Rule } from './rule.js';
import { compareArrays } from './arrays.js';
import { compareCombinations } from './combinations.js';
import { compareObjects } from './objects.js';
import { holds } from './evaluate.js';
import { Sameness } from './same.js';
import { compareScalars, witness } from './scalars.js';
import { choice, Shape, type Known } from './shape.js';
import { typeOf, typesOf, type Budget, type Side } from './side.js';

export class SchemaComparison implements Comparison {
  readonly sameness: Sameness;
  readonly #open = new Set<string>();
  readonly #closed = new Map<string, readonly Difference[]>();
  readonly #assumed = new Set<string>();

  constructor(
    readonly wide: Side,
    readonly narrow: Side,
    private readonly budget: Budget,
  ) {
    this.sameness = new Sameness(narrow, wide, budget);
  }

  /** Counts a step. @returns False if no steps are left. */
  spend(): boolean {
    return this.budget.spend();
  }

  /** The rules of the wider subschema that the known facts do not imply; empty if all are implied. */
  compare(known: Known, wide: number): readonly Difference[] {
    const key = `${known.indices.toSorted((a, b) => a - b).join()} ${known.type ?? ''} ${known.chosen.join()} ${String(wide)}`;
    const closed = this.#closed.get(key);
    if (closed !== undefined) return closed;
    if (this.#open.has(key)) {
      // Recursion: the rules are assumed to be implied at the level below. Documents are finite, so this
      // induction is sound.
      this.#assumed.add(key);
      return [];
    }
    if (!this.spend()) {
      return [
        this.#difference(wide, [], 'limit', 'the schemas take too long to compare from here on', false),
      ];
    }
    this.#open.add(key);
    const found = this.#compare(known, wide);
    this.#open.delete(key);
    // The recursion's assumption is wrong: results that may rest on it are discarded.
    if (found.length > 0 && this.#assumed.delete(key)) this.#closed.clear();
    this.#closed.set(key, found);
    return found;
  }

  difference(rule: Rule, path: readonly (string | number)[], message: string, certain: boolean): Difference {
    return this.#difference(rule.wide, path, String(path[0] ?? ''), message, certain);
  }

  #difference(
    wide: number,
    path: readonly (string | number)[],
    rule: string,
    message: string,
    certain: boolean,
  ): Difference {
    return { pointer: this.wide.pointer(wide) + formatPointer(path), rule, message, certain };
  }

  /** True if a part of the narrower schema has the same values for these keywords. */
  saysSame({ shape, wide }: Rule, keywords: readonly string[]): boolean {
    return shape.parts.some(
      ({ index, schema }) =>
        keywords.some((keyword) => schema[keyword] !== undefined) && this.sameness.of(index, wide, keywords),
    );
  }

  #compare(known: Known, wide: number): readonly Difference[] {
    const schema = this.wide.schema(wide);
    if (schema === true) return [];
    const shape = new Shape(this.narrow, known);
    if (shape.impossible) return [];
    if (shape.parts.some(({ index }) => this.sameness.of(index, wide))) return [];
    if (schema === false) {
      return [this.#difference(wide, [], 'false schema', 'nothing is accepted here any more', shape.plain)];
    }
    if (shape.values !== null) return this.#values(shape, shape.values, wide, schema);
    const found = this.#keywords({ wide, schema, shape });
    return found.length === 0 ? found : (this.#byChoice(known, shape, wide) ?? found);
  }

  #keywords(rule: Rule): readonly Difference[] {
    const { wide, shape } = rule;
    const along = this.wide
      .edges(wide)
      .filter((edge) => edge.certain && isInPlace(edge.keyword))
      .flatMap((edge) => this.compare(shape.known, edge.to));
    return [
      ...along,
      ...compareScalars(this, rule),
      ...compareArrays(this, rule),
      ...compareObjects(this, rule),
      ...compareCombinations(this, rule),
    ];
  }

  /** A small set of values is checked one by one. */
  #values(
    shape: Shape,
    values: readonly JsonValue[],
    wide: number,
    schema: JsonObject,
  ): readonly Difference[] {
    const refused = values.filter((value) => this.spend() && holds(this.wide, wide, value) !== true);
    if (refused.length === 0 && this.spend()) return [];
    const certain = refused.find(
      (value) => shape.accepts(value) === true && holds(this.wide, wide, value) === false,
    );
    const value = certain ?? refused[0] ?? null;
    const keyword = keywordAgainst(schema, value);
    const how = certain === undefined ? 'may not be' : 'is not';
    const message = `the value ${excerpt(value)} ${how} accepted any more`;
    return [
      this.#difference(
        wide,
        keyword === null ? [] : [keyword],
        keyword ?? 'value',
        message,
        certain !== undefined,
      ),
    ];
  }

  /** Checks each branch of an `anyOf` or `oneOf` of the narrower schema separately. */
  #byChoice(known: Known, shape: Shape, wide: number): readonly Difference[] | null {
    for (const { index } of shape.parts) {
      for (const keyword of ['anyOf', 'oneOf']) {
        const mark = choice(index, keyword);
        const branches = this.narrow.under(index, keyword);
        if (branches.length === 0 || known.chosen.includes(mark)) continue;
        const chosen = [...known.chosen, mark];
        return branches.flatMap(({ to }) =>
          this.compare({ ...known, indices: [...new Set([...known.indices, to])], chosen }, wide),
        );
      }
    }
    return null;
  }

  /** True if a scalar value is found that proves a difference at this location. */
  shown(rule: Rule): boolean {
    return witness(this, rule) !== undefined;
  }
}

/** The keyword that explains a refused value best. */
function keywordAgainst(schema: JsonObject, value: JsonValue): string | null {
  if (!typesOf(schema).includes(typeOf(value))) return 'type';
  return PLAIN.find((keyword) => schema[keyword] !== undefined) ?? null;
}

const PLAIN = (
  'enum const minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern format ' +
  'required additionalProperties not anyOf oneOf allOf $ref'
).split(' ');
