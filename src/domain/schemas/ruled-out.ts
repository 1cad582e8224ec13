// Types for the question whether a schema allows what a contract or condition requires. Shared by the rules and
// the schema engines.
import type { JsonObject } from '../json/json.js';

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
