// What a session is known to have seen of a state: the base of what it writes next. Plain data; no rules.
import type { Patch } from '../json/patch.js';

/** A part that a session read later than the whole. */
export interface PartSeen {
  readonly pointer: string;
  readonly version: number;
}

/** What one session has seen of one state: a version, with what it has written and read in part since then. */
export interface ReadCursor {
  readonly sessionId: string;
  readonly stateId: string;
  /** The version that it last saw as a whole; 0 where it has only read parts. */
  readonly version: number;
  /** Its own changes on top of that version, as it made them; `null` for none. */
  readonly own: Patch | null;
  /** Version of the newest write that `own` holds; `version` where there is none. */
  readonly ownVersion: number;
  /** Oldest first, each newer than `ownVersion`; at least one where it has not seen the whole. */
  readonly parts: readonly PartSeen[];
}
