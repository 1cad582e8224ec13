// What a rule may ask of schemas: whether one allows what a contract or condition requires, and for the example
// write that a prompt shows. Types that the rules share with the schema engines.
import type { JsonObject, JsonValue } from '../json/json.js';
import type { Contract } from '../records/records.js';

/** A location in a document, and the schema that its value has to satisfy. */
export interface RequiredAt {
  readonly pointer: string;
  /** An admitted schema; any value satisfies if it is absent. */
  readonly schema?: KnownSchema;
}

/** Where a schema rules out what is required. */
export interface Closed {
  /** The deepest location that the schema allows. */
  readonly pointer: string;
  /** What prevents it there: the rest of a sentence that starts with the location. */
  readonly message: string;
  /** The declared members that the location may have; `null` if it is no object. */
  readonly members: readonly string[] | null;
}

/** A schema version as an engine knows it. */
export interface KnownSchema {
  /** Hash of its content. */
  readonly hash: string;
  readonly schema: JsonObject;
}

/** What every workflow schema says of a document: it stands for one that is not known yet. */
export const ANY_DOCUMENT: KnownSchema = { hash: '', schema: { type: 'object' } };

/**
 * Pure and bounded in steps. Returns `null` if it may be possible; returns a location only if it is certainly
 * impossible.
 */
export type RuledOut = (schema: KnownSchema, terms: RequiredAt) => Closed | null;

/** The location and what prevents it, as the beginning of a sentence. */
export function closedSentence({ pointer, message }: Closed): string {
  return `${pointer === '' ? 'the document' : pointer} ${message}`;
}

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
