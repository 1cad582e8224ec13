// What a session has seen of a state: the base of its next write. Plain data, no rules.
import type { Patch } from '../json/patch.js';

/** A part that the session read after it read the whole. */
export interface PartSeen {
  readonly pointer: string;
  readonly version: number;
}

/**
 * What one session has seen of one state: a version, its own writes since then, and the parts that it read
 * since then.
 */
export interface ReadCursor {
  readonly sessionId: string;
  readonly stateId: string;
  /** The last version that it saw as a whole; 0 if it has only read parts. */
  readonly version: number;
  /** Its own changes on top of that version, as it made them; `null` for none. */
  readonly own: Patch | null;
  /** Version of the newest write in `own`; equals `version` if `own` is `null`. */
  readonly ownVersion: number;
  /** Oldest first, each newer than `ownVersion`. Holds at least one if the session has not seen the whole. */
  readonly parts: readonly PartSeen[];
}
