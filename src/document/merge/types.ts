// Input and output types of a three-way merge. Knows nothing of versions, writers or the wire.
import type { JsonValue } from '../../domain/json/json.js';

/** A location that both sides changed differently. A missing member means that the side has no value there. */
export interface MergeConflict {
  /** Location in `theirs`; in `yours` for an item that `theirs` does not have. */
  readonly pointer: string;
  readonly base?: JsonValue;
  readonly theirs?: JsonValue;
  readonly yours?: JsonValue;
}

/** The member that identifies the items of the array at a pointer; `null` if there is none. */
export type KeyOf = (pointer: string) => string | null;

/** The merged document. At conflicts it has the values of `yours`. */
export interface Merged {
  readonly document: JsonValue;
  readonly conflicts: readonly MergeConflict[];
}

/** The three versions of an array. */
export interface ArraySides {
  readonly base: readonly JsonValue[];
  readonly theirs: readonly JsonValue[];
  readonly yours: readonly JsonValue[];
}

/** Merges the values at one location; `undefined` means no value. */
export type MergeValue = (
  base: JsonValue | undefined,
  theirs: JsonValue | undefined,
  yours: JsonValue | undefined,
  at: string,
) => JsonValue | undefined;
