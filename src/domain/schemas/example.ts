// A write that a prompt spells out as an example. The words that rules and schema engines share.
import type { JsonObject, JsonValue } from '../json/json.js';
import type { Contract } from '../records/records.js';
import type { KnownSchema, RuledOut } from './room.js';

/** What an example is to satisfy, beside the schema of the state. */
export interface ExampleTerms {
  readonly document: JsonObject;
  /** Of the document as JSON text. */
  readonly documentBytes: number;
  /** Where the result may be put, the best place first. */
  readonly places: readonly string[];
  readonly contract: Contract | null;
  /** What the session may write; `null` for everything. */
  readonly writeScope: readonly string[] | null;
}

/** A JSON Patch operation that is accepted as it stands. */
export interface ExampleWrite {
  readonly operation: {
    readonly op: 'add' | 'replace';
    readonly path: string;
    readonly value: JsonValue;
  };
  /** Where the result itself stands; deeper than the operation's path where that brings missing parents. */
  readonly place: string;
}

/** Pure and bounded in steps. `null` where no write was found that certainly holds. */
export type ExampleOf = (schema: KnownSchema, terms: ExampleTerms) => ExampleWrite | null;

/** What a rule may ask of schemas. */
export interface SchemaAnswers {
  readonly ruledOut: RuledOut;
  readonly exampleOf: ExampleOf;
}
