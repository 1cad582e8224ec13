// What a three-way merge takes and gives. Knows nothing of versions, writers or the wire.
import type { JsonValue } from '../../domain/json/json.js';

/** A place that both sides changed, each in another way. A side that is missing has nothing there. */
export interface MergeConflict {
  /** In the document of theirs; in that of yours for an item that theirs does not have (any more). */
  readonly pointer: string;
  readonly base?: JsonValue;
  readonly theirs?: JsonValue;
  readonly yours?: JsonValue;
}

/** The member that identifies the items of the array at a pointer; `null` where they have none. */
export type KeyOf = (pointer: string) => string | null;

/** The merged document. Where there are conflicts, those places are as yours has them. */
export interface Merged {
  readonly document: JsonValue;
  readonly conflicts: readonly MergeConflict[];
}

/** An array as each of the three has it. */
export interface ArraySides {
  readonly base: readonly JsonValue[];
  readonly theirs: readonly JsonValue[];
  readonly yours: readonly JsonValue[];
}

/** Merges what stands at one place; `undefined` for nothing. */
export type MergeValue = (
  base: JsonValue | undefined,
  theirs: JsonValue | undefined,
  yours: JsonValue | undefined,
  at: string,
) => JsonValue | undefined;
