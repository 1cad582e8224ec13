// Types for the example write that a prompt shows. Shared by the rules and the schema engines.
import type { JsonObject, JsonValue } from '../json/json.js';
import type { Contract } from '../records/records.js';
import type { KnownSchema, RuledOut } from './ruled-out.js';

/** What an example has to satisfy besides the schema of the state. */
export interface ExampleTerms {
  readonly document: JsonObject;
  /** Size of the document as JSON text. */
  readonly documentBytes: number;
  /** Locations where the result may be put, the best first. */
  readonly locations: readonly string[];
  readonly contract: Contract | null;
  /** Pointers that the session may write; `null` for everything. */
  readonly writeScope: readonly string[] | null;
}

/** A JSON Patch operation that the service accepts as it is. */
export interface ExampleWrite {
  readonly operation: {
    readonly op: 'add' | 'replace';
    readonly path: string;
    readonly value: JsonValue;
  };
  /** Location of the result. Deeper than the operation's path if the operation also adds missing parents. */
  readonly location: string;
}

/** Pure and bounded in steps. Returns `null` if it finds no write that certainly satisfies the terms. */
export type ExampleOf = (schema: KnownSchema, terms: ExampleTerms) => ExampleWrite | null;

/** What a rule may ask of schemas. */
export interface SchemaAnswers {
  readonly ruledOut: RuledOut;
  readonly exampleOf: ExampleOf;
}
