// Read, change and write of a state as one step. No concurrent write is lost.
import { ok, type Result } from '../domain/errors.js';
import type { JsonObject, JsonPrimitive } from '../domain/json/json.js';
import type { StateRead, StateWritten } from '../ports/api/index.js';
import type { StateService } from '../ports/service.js';
import { sleep } from '../lib/backoff.js';
import { ConnectionError } from './transport/connection-error.js';

// For TypeScript a function without a return value returns `void`, also if it is declared elsewhere.
/* eslint-disable @typescript-eslint/no-invalid-void-type */
/**
 * Computes the new document. It may return one, or change the copy that it gets and return nothing. It may be
 * called several times, each time with the newest document.
 */
export type Change<T extends object> = (data: T, state: StateRead) => T | void | Promise<T | void>;
/* eslint-enable @typescript-eslint/no-invalid-void-type */

/** A mutable JSON document of unknown schema. */
export interface MutableJsonObject {
  [member: string]: MutableJsonValue;
}
/** Any value of such a document. */
export type MutableJsonValue = JsonPrimitive | MutableJsonValue[] | MutableJsonObject;

/** Options of {@link updateState}. */
export interface UpdateOptions {
  /**
   * What to do if others wrote meanwhile.
   *
   * - `again` (the default): calls `change` again on the newest document, so it never builds on outdated data.
   * - `merge`: merges their writes with this change, and calls `change` again only if both changed the same location.
   *   Use it for changes that take long. Two equal changes merge into one, so do not count with it.
   */
  readonly onConflict?: 'again' | 'merge' | undefined;
  /** Maximum calls of `change`. 50 by default. */
  readonly triesMax?: number | undefined;
  /** Stops before the next read or write. */
  readonly signal?: AbortSignal | undefined;
}

const TRIES_MAX = 50;
const FIRST_PAUSE_MS = 5;
const PAUSE_MS_MAX = 500;

/**
 * Reads a state, passes its document to `change`, and writes the result. If nothing changed, it writes
 * nothing.
 *
 * Guarantees, unless merging: the written document was computed from the version directly before it.
 *
 * @example
 * ```ts
 * const written = await updateState(client.states, stateId, (data) => {
 *   data['progress'] = { done: 3 };
 * });
 * ```
 *
 * @returns The written state, `changed: false` if nothing was written; or the failure. `version_conflict` and
 *   `merge_conflict` are returned only after `triesMax` attempts or an abort.
 * @throws ConnectionError - The update was aborted before it wrote anything, or no reply of the service arrived.
 */
export async function updateState<T extends object = MutableJsonObject>(
  states: Pick<StateService, 'get' | 'replace'>,
  stateId: string,
  change: Change<T>,
  { onConflict = 'again', triesMax = TRIES_MAX, signal }: UpdateOptions = {},
): Promise<Result<StateWritten>> {
  for (let tries = 1; ; tries += 1) {
    throwIfAborted(signal);
    const read = await states.get(stateId);
    if (!read.ok) return read;
    const state = read.value;
    // The caller declares the document type, according to the schema of the state.
    const draft = structuredClone(state.current_data) as T;
    const data = ((await change(draft, state)) ?? draft) as JsonObject;
    throwIfAborted(signal);
    if (JSON.stringify(data) === JSON.stringify(state.current_data)) {
      return ok({ ...state, changed: false });
    }
    const on = onConflict === 'merge' ? 'merge' : 'reject';
    const written = await states.replace(stateId, data, { baseVersion: state.version, onConflict: on });
    if (written.ok || tries >= triesMax || !isConflict(written)) return written;
    const bound = Math.min(PAUSE_MS_MAX, FIRST_PAUSE_MS * 2 ** Math.min(tries - 1, 16));
    await sleep(Math.random() * bound, signal);
    if (signal?.aborted === true) return written;
  }
}

function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new ConnectionError('aborted', 'The update was given up');
}

/** Others wrote meanwhile, possibly so much that compaction removed the version that was read. */
function isConflict(result: Result<unknown>): boolean {
  return !result.ok && CONFLICTS.has(result.failure.error);
}

const CONFLICTS: ReadonlySet<string> = new Set(['version_conflict', 'merge_conflict', 'version_compacted']);
