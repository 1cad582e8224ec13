// The admitted schemas that the engine keeps, with what is made of each when it is first needed.
import { lazily } from '../lib/lazily.js';
import { LRUCache } from 'lru-cache';
import type { JsonObject } from '../domain/json/json.js';
import type { Limits } from '../domain/limits.js';
import type { AdmittedSchema } from '../ports/schema-engine.js';
import { Compilers, type CompiledSchema } from './ajv/ajv.js';
import { storedProfile, type Profile } from './admission/profile.js';
import { effectiveSchema } from './lowering/effective.js';
import { Possibilities } from './possible/possibilities.js';
import { compileRules, SchemaGraph, type RulePlan } from './rules/index.js';

export interface SchemaEntry {
  /** `null` if the cost is unknown. */
  readonly profile: Profile | null;
  /** @throws RangeError The stack is too small to compile the schema. */
  readonly validator: () => CompiledSchema;
  readonly rules: () => RulePlan;
  /** The outline of what has an effect. */
  readonly graph: () => SchemaGraph;
  readonly possibilities: () => Possibilities;
}

interface MeasuredEntry extends SchemaEntry {
  /** Estimated memory once compiled. */
  readonly bytes: number;
}

export class SchemaEntries {
  readonly #compilers = new Compilers();
  readonly #entries: LRUCache<string, MeasuredEntry>;
  /** The schema used last: the next call probably uses it again. */
  #newest: { readonly hash: string; readonly known: SchemaEntry } | null = null;

  constructor(private readonly limits: Limits) {
    this.#entries = new LRUCache({
      maxSize: limits.compiledSchemaBytesMax,
      sizeCalculation: ({ bytes }) => bytes,
    });
  }

  /** The estimated memory of what is cached. */
  get bytes(): number {
    return this.#entries.calculatedSize;
  }

  /** Keeps a schema whose profile is known from its admission. */
  note(hash: string, schema: JsonObject, profile: Profile): void {
    if (!this.#entries.has(hash)) this.#entries.set(hash, this.#made(schema, profile));
  }

  of({ hash, schema }: AdmittedSchema): SchemaEntry {
    if (hash === this.#newest?.hash) return this.#newest.known;
    let known = this.#entries.get(hash);
    if (known === undefined) {
      known = this.#made(schema, storedProfile(schema, this.limits));
      this.#entries.set(hash, known);
    }
    this.#newest = { hash, known };
    return known;
  }

  #made(schema: JsonObject, profile: Profile | null): MeasuredEntry {
    return {
      profile,
      validator: lazily(() => this.#compilers.compile(schema)),
      rules: lazily(() => compileRules(schema)),
      graph: lazily(() => new SchemaGraph(effectiveSchema(schema))),
      possibilities: lazily(() => new Possibilities(schema)),
      bytes: weightOf(schema),
    };
  }
}

/** Estimated memory of a compiled schema: code, closures, its outline, and an Ajv instance or its share of one. */
function weightOf(schema: JsonObject): number {
  const text = JSON.stringify(schema);
  const instance = OWN_INSTANCE.test(text) ? 256 * 1024 : 12 * 1024;
  return instance + 32 * text.length;
}

const OWN_INSTANCE = /"(?:\$(?:ref|dynamicRef|recursiveRef|defs)|definitions|unevaluated\w+)"/;
