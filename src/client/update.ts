// Reading, changing and writing a state as one step that nobody else's write gets lost in.
import { accepted, type Outcome } from '../domain/errors.js';
import type { JsonObject, JsonPrimitive } from '../domain/json/json.js';
import type { StateRead, StateWritten } from '../ports/api/index.js';
import type { StateService } from '../ports/service.js';
import { pause } from './transport/pause.js';

// A function that gives nothing back is one of `void` for TypeScript, also where it is declared on its own.
/* eslint-disable @typescript-eslint/no-invalid-void-type */
/**
 * Makes the new document of the present one, a copy that it may change. Nothing given back means that copy.
 * It may be called several times, each time with what others have written since.
 */
export type Change<T extends object> = (data: T, state: StateRead) => T | void | Promise<T | void>;
/* eslint-enable @typescript-eslint/no-invalid-void-type */

/** A copy of a document of which no more is known than that it is JSON. */
export interface MutableJsonObject {
  [member: string]: MutableJsonValue;
}
/** Any value of such a document. */
export type MutableJsonValue = JsonPrimitive | MutableJsonValue[] | MutableJsonObject;

export interface UpdateOptions {
  /**
   * What is done where others wrote while the change was made.
   * `again` (the default): the change is made again on what is there now, so that it never builds on what has changed.
   * `merge`: theirs and the change are merged, and it is made again only where both changed the same place. For changes
   * that take long; the same change by both counts once, so nothing can be counted with it.
   */
  readonly onConflict?: 'again' | 'merge' | undefined;
  /** How often the change is made at most. 50 by default. */
  readonly triesMax?: number | undefined;
  /** Ends it between two tries. */
  readonly signal?: AbortSignal | undefined;
}

const TRIES_MAX = 50;
const FIRST_PAUSE_MS = 5;
const PAUSE_MS_MAX = 500;

/**
 * Reads a state, has its document changed, and writes it. A change that changes nothing is not written.
 *
 * Guarantees, unless merging: what is written was made of the very version before it.
 *
 * @returns The state as written, `changed: false` where nothing was; or the refusal. A `version_conflict` or
 *   `merge_conflict` is the last of `triesMax`.
 */
export async function updateState<T extends object = MutableJsonObject>(
  states: Pick<StateService, 'get' | 'replace'>,
  stateId: string,
  change: Change<T>,
  { onConflict = 'again', triesMax = TRIES_MAX, signal }: UpdateOptions = {},
): Promise<Outcome<StateWritten>> {
  for (let tries = 1; ; tries += 1) {
    const read = await states.get(stateId);
    if (!read.ok) return read;
    const state = read.value;
    // The caller says what the schema of the state makes of its documents.
    const draft = structuredClone(state.current_data) as T;
    const data = ((await change(draft, state)) ?? draft) as JsonObject;
    if (JSON.stringify(data) === JSON.stringify(state.current_data)) {
      return accepted({ ...state, changed: false });
    }
    const on = onConflict === 'merge' ? 'merge' : 'reject';
    const written = await states.replace(stateId, data, { baseVersion: state.version, onConflict: on });
    if (written.ok || tries >= triesMax || signal?.aborted === true || !isOvertaken(written)) return written;
    const bound = Math.min(PAUSE_MS_MAX, FIRST_PAUSE_MS * 2 ** Math.min(tries - 1, 16));
    await pause(Math.random() * bound, signal);
  }
}

/** Others wrote meanwhile; or so much later that the history is cut behind the version that was read. */
function isOvertaken(outcome: Outcome<unknown>): boolean {
  return !outcome.ok && OVERTAKEN.has(outcome.refusal.error);
}

const OVERTAKEN: ReadonlySet<string> = new Set(['version_conflict', 'merge_conflict', 'version_compacted']);
