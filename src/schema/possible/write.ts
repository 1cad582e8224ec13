// Candidate writes that put an example at a location, best first. The caller validates their results.
import { isJsonObject, type JsonValue, isJsonContainer } from '../../domain/json/json.js';
import { formatPointer, isAtOrUnder, parsePointer, valueAt } from '../../domain/json/pointer.js';
import type { ExampleTerms, ExampleWrite } from '../../domain/transactions/schema-answers.js';
import { isInScope } from '../../domain/writes/write-scope.js';
import { Budget, Side } from '../compatibility/side.js';
import type { SchemaGraph } from '../rules/schema-graph.js';
import type { Possibilities } from './possibilities.js';
import { casesOf, NotKnown, type Case } from './cases.js';
import { examplesOf, examplesOn, parentsOf, patternNames } from './example.js';
import { walkTo } from './walk.js';
import { casesUnder } from './steps.js';

/** Most generated names to try at a location. */
const NAMES_MAX = 24;

/** What is known of one schema. */
export interface PossibleIn {
  readonly graph: () => SchemaGraph;
  readonly possibilities: () => Possibilities;
}

/** Stops early if the step limit is used up. */
export function* exampleWrites(
  schema: PossibleIn,
  contract: PossibleIn | null,
  terms: ExampleTerms,
  stepsMax: number,
): Iterable<ExampleWrite> {
  const budget = new Budget(stepsMax);
  try {
    const side = new Side(schema.graph(), budget);
    const ofContract = contract === null ? null : new Side(contract.graph(), budget);
    for (const location of terms.locations) {
      const writes = new WritesAt(location, side, ofContract, terms, budget);
      if (valueAt(terms.document, location) !== undefined) yield* writes.onValue();
      else {
        const known = schema
          .possibilities()
          .examplesAt(location, terms.contract, contract?.possibilities() ?? null);
        yield* writes.missing(known);
      }
    }
  } catch (error) {
    if (!(error instanceof NotKnown)) throw error;
  }
}

/** The writes that put an example at one location. */
class WritesAt {
  constructor(
    private readonly location: string,
    private readonly side: Side,
    private readonly contract: Side | null,
    private readonly terms: ExampleTerms,
    private readonly budget: Budget,
  ) {}

  /** For a location that has a value. */
  *onValue(): Iterable<ExampleWrite> {
    const { location, terms, budget } = this;
    const cases = this.#cases();
    const present = valueAt(terms.document, location);
    if (cases === null) {
      yield* this.#atNames();
      return;
    }
    if (present === undefined) return;
    for (const values of [examplesOn(cases, present, budget), examplesOf(cases, budget)]) {
      for (const value of values) yield { operation: { op: 'replace', path: location, value }, location };
    }
  }

  /**
   * For a location without a value.
   *
   * @param known - The first examples, which were found before. Those that are found are added.
   */
  *missing(known: JsonValue[]): Iterable<ExampleWrite> {
    for (const value of [...known]) yield* this.#withParents(value);
    const cases = this.#cases();
    if (cases === null) {
      yield* this.#atNames();
      return;
    }
    let at = 0;
    for (const value of examplesOf(cases, this.budget)) {
      at += 1;
      if (at <= known.length) continue;
      known.push(value);
      yield* this.#withParents(value);
    }
  }

  /** The cases of the location, combined with the contract's within its pointer; `null` if the schema excludes it. */
  #cases(): readonly Case[] | null {
    const { location, contract: side, budget } = this;
    const walk = walkTo(this.side, location, budget);
    if ('closed' in walk) return null;
    const { contract } = this.terms;
    if (contract === null || side === null || !isAtOrUnder(location, contract.pointer)) return walk.cases;
    const wanted = walkTo(side, location.slice(contract.pointer.length), budget);
    if ('closed' in wanted) return [];
    return wanted.cases.flatMap((spots) => walk.cases.flatMap((one) => casesOf([...spots, ...one], budget)));
  }

  /**
   * For a location that the schema excludes, with a parent that has name patterns: uses names that match the patterns.
   */
  *#atNames(): Iterable<ExampleWrite> {
    const { location, terms, budget } = this;
    const segments = parsePointer(location);
    if (segments === null || segments.length === 0 || terms.contract !== null) return;
    const parent = formatPointer(segments.slice(0, -1));
    const object = valueAt(terms.document, parent);
    const walk = walkTo(this.side, parent, budget);
    if ('closed' in walk || !isJsonObject(object) || !this.#isInScope(location)) return;
    const tried = new Set<string>();
    for (const name of walk.cases.flatMap((spots) => [...patternNames(spots)])) {
      if (tried.has(name) || Object.hasOwn(object, name)) continue;
      if (tried.size >= NAMES_MAX) return;
      tried.add(name);
      const at = parent + formatPointer([name]);
      for (const value of examplesOf(casesUnder(walk.cases, name, budget), budget)) {
        yield { operation: { op: 'add', path: at, value }, location: at };
      }
    }
  }

  #isInScope(pointer: string): boolean {
    const { writeScope } = this.terms;
    return writeScope === null || isInScope(writeScope, pointer);
  }

  /** Adds a missing value in one operation, together with its missing parents; nothing if that cannot be. */
  *#withParents(value: JsonValue): Iterable<ExampleWrite> {
    const { location } = this;
    let path = parsePointer(location) ?? [];
    let made = value;
    for (;;) {
      const parent = path.slice(0, -1);
      const pointer = formatPointer(parent);
      const present = valueAt(this.terms.document, pointer);
      if (present !== undefined) {
        if (!isJsonContainer(present)) return;
        yield { operation: { op: 'add', path: formatPointer(path), value: made }, location };
        return;
      }
      const around = this.#parentOf(pointer, path.at(-1) ?? '', made);
      if (around === undefined) return;
      [path, made] = [parent, around];
    }
  }

  #parentOf(pointer: string, name: string, value: JsonValue): JsonValue | undefined {
    const walk = walkTo(this.side, pointer, this.budget);
    if ('closed' in walk) return undefined;
    // Outside the write scope, a parent may contain only what is in the scope.
    const isAlone = (parent: JsonValue) => isJsonContainer(parent) && Object.keys(parent).length === 1;
    for (const parent of parentsOf(walk.cases, name, value, this.budget)) {
      if (this.#isInScope(pointer) || isAlone(parent)) return parent;
    }
    return undefined;
  }
}
