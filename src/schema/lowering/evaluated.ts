// Which members or items the keywords of a lowered schema have evaluated: through the same subschema, and
// through branches that apply. Ajv's own tracking is wrong with `contains`, `anyOf` and `if`.
import type { ValidateFunction } from 'ajv';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import type { Draft } from './draft.js';
import { compilePattern } from '../patterns/pattern.js';

type Schema = JsonObject | boolean;
type JsonArray = readonly JsonValue[];

/** Resolves references of the lowered schema. */
export interface Definitions {
  schemaAt(ref: string): Schema;
  validatorAt(ref: string): ValidateFunction;
}

export class Evaluated {
  /** Results of this run. Without them the work would double with each level of a document. */
  #results = new WeakMap<object, Map<string, boolean>>();
  readonly #patterns = new Map<string, { readonly test: (text: string) => boolean }>();

  constructor(
    private readonly draft: Draft,
    private readonly definitions: Definitions,
  ) {}

  /** Call before each run. */
  begin(): void {
    this.#results = new WeakMap();
  }

  /** The members that keywords other than `unevaluatedProperties` have evaluated. */
  members(schema: JsonObject, value: JsonObject): ReadonlySet<string> {
    const found = new Set<string>();
    this.#addMembers(without(schema, 'unevaluatedProperties'), value, found);
    return found;
  }

  /** The items that keywords other than `unevaluatedItems` have evaluated. */
  items(schema: JsonObject, value: JsonArray): ReadonlySet<number> {
    const found = new Set<number>();
    this.#addItems(without(schema, 'unevaluatedItems'), value, found);
    return found;
  }

  #addMembers(schema: Schema, value: JsonObject, found: Set<string>): void {
    if (typeof schema === 'boolean') return;
    if (schema['additionalProperties'] !== undefined || schema['unevaluatedProperties'] !== undefined) {
      for (const name of Object.keys(value)) found.add(name);
      return;
    }
    const { properties, patternProperties } = schema;
    if (isJsonObject(properties)) {
      for (const name of Object.keys(properties)) if (Object.hasOwn(value, name)) found.add(name);
    }
    if (isJsonObject(patternProperties)) {
      const patterns = Object.keys(patternProperties).map((pattern) => this.#pattern(pattern));
      for (const name of Object.keys(value)) if (patterns.some((one) => one.test(name))) found.add(name);
    }
    for (const branch of this.#inPlace(schema, value)) this.#addMembers(branch, value, found);
  }

  #addItems(schema: Schema, value: JsonArray, found: Set<number>): void {
    if (typeof schema === 'boolean') return;
    const { items, prefixItems, additionalItems, unevaluatedItems, contains } = schema;
    const list = isJsonArray(items) ? items : isJsonArray(prefixItems) ? prefixItems : [];
    const rest = isJsonArray(items) ? additionalItems : items;
    if (rest !== undefined || unevaluatedItems !== undefined) {
      for (const index of value.keys()) found.add(index);
      return;
    }
    for (let index = 0; index < Math.min(list.length, value.length); index += 1) found.add(index);
    if (contains !== undefined && this.draft === '2020-12') {
      for (const [index, item] of value.entries()) if (this.#holds(contains, item)) found.add(index);
    }
    for (const branch of this.#inPlace(schema, value)) this.#addItems(branch, value, found);
  }

  /** The branches that apply to a value which is valid under the schema. */
  *#inPlace(schema: JsonObject, value: JsonObject | JsonArray): Generator<Schema> {
    const { $ref, allOf, anyOf, oneOf, if: condition, then, else: otherwise } = schema;
    if (typeof $ref === 'string') yield this.definitions.schemaAt($ref);
    if (isJsonArray(allOf)) for (const branch of allOf) yield asSchema(branch);
    for (const branches of [anyOf, oneOf]) {
      if (!isJsonArray(branches)) continue;
      for (const branch of branches) if (this.#holds(branch, value)) yield asSchema(branch);
    }
    if (condition !== undefined) {
      const holds = this.#holds(condition, value);
      if (holds) yield asSchema(condition);
      const next = holds ? then : otherwise;
      if (next !== undefined) yield asSchema(next);
    }
    if (isJsonArray(value)) return;
    for (const dependents of [schema['dependentSchemas'], schema['dependencies']]) {
      if (!isJsonObject(dependents)) continue;
      for (const [name, branch] of Object.entries(dependents)) {
        if (Object.hasOwn(value, name) && !isJsonArray(branch)) yield asSchema(branch);
      }
    }
  }

  #holds(branch: JsonValue, value: JsonValue): boolean {
    if (typeof branch === 'boolean') return branch;
    const ref = isJsonObject(branch) ? branch['$ref'] : undefined;
    if (typeof ref !== 'string') throw new Error('a branch is not apart');
    if (typeof value !== 'object' || value === null) return this.#ask(ref, value);
    const results = this.#results.get(value) ?? new Map<string, boolean>();
    this.#results.set(value, results);
    const known = results.get(ref);
    if (known !== undefined) return known;
    const holds = this.#ask(ref, value);
    results.set(ref, holds);
    return holds;
  }

  #ask(ref: string, value: JsonValue): boolean {
    const validate = this.definitions.validatorAt(ref);
    const result: unknown = validate(value);
    const holds = result === true;
    validate.errors = null;
    return holds;
  }

  #pattern(pattern: string): { readonly test: (text: string) => boolean } {
    const known = this.#patterns.get(pattern) ?? compilePattern(pattern);
    this.#patterns.set(pattern, known);
    return known;
  }
}

function without(schema: JsonObject, keyword: string): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name !== keyword));
}

function asSchema(value: JsonValue): Schema {
  return isJsonObject(value) || typeof value === 'boolean' ? value : true;
}
