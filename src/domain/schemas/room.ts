// Whether a schema leaves room for what is asked of its documents. The words that rules and schema engines share.
import type { JsonObject } from '../json/json.js';

/** A place of a document, and what its value has to satisfy. */
export interface PlaceTerms {
  readonly pointer: string;
  /** Admitted; any value will do where it is absent. */
  readonly schema?: JsonObject;
}

/** Where a schema leaves no room for what is asked. */
export interface Closed {
  /** The deepest place that there can be. */
  readonly pointer: string;
  /** What stands in the way there, as a sentence goes on after the place. */
  readonly message: string;
  /** The declared members that there can be at that place; `null` where it is no object. */
  readonly members: readonly string[] | null;
}

/** A schema version as an engine knows it. */
export interface KnownSchema {
  /** Of its content. */
  readonly hash: string;
  readonly schema: JsonObject;
}

/** Pure and bounded in steps. `null` where it may be possible; a place is only named where it is certainly not. */
export type RuledOut = (schema: KnownSchema, terms: PlaceTerms) => Closed | null;

/** The place and what stands in the way, as one sentence begins. */
export function closedSentence({ pointer, message }: Closed): string {
  return `${pointer === '' ? 'the document' : pointer} ${message}`;
}
