// Hooks of agent CLIs, as a part of the service: one call per hook event, answered from the stored records.
import type { Result } from '../domain/errors.js';
import type { JsonObject } from '../domain/json/json.js';
import type * as api from './api/index.js';

/** Arguments that the hook's input does not contain. */
export interface HookOptions {
  /**
   * Id or name of the session that the client's session represents. Default: the calling session, or the
   * session bound to the client's session id.
   */
  readonly session?: string | undefined;
  /** How many times in a row the client lets a hook refuse its stop. Default: the client's own cap; 0 means no cap. */
  readonly refusalsMax?: number | undefined;
  /** How long the stop of a parent may wait for callbacks, in milliseconds; at most `waitMsMax`. Default: 0. */
  readonly waitMs?: number | undefined;
  /** Types of sub-agents that count as children of the session. Default: none. */
  readonly agents?: readonly string[] | undefined;
  /** The service's URL as the session sees it. The commands shown to the session contain it. */
  readonly url?: string | undefined;
  /**
   * Identifies one invocation of the hook by the client. A second call with the same value concerns the same
   * stop: nothing is counted twice.
   */
  readonly invocation?: string | undefined;
  /** True asks what to wake an idle session with after its stop was allowed. The call waits up to `waitMs`. */
  readonly wake?: boolean | undefined;
  /**
   * With `wake`: the answer to this invocation has arrived. The next stop of the session acknowledges its callbacks.
   * Without this they count as not handed over.
   */
  readonly heard?: boolean | undefined;
  /** True asks only for a notice to people about a stop that waits: the names of the children at work. */
  readonly awaited?: boolean | undefined;
  /** Ids of the client sessions that this one was started from, read from the environment. Ids contain no commas. */
  readonly within?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface HookService {
  /**
   * Handles one hook event of a client.
   *
   * @param client - The name of an agent CLI, as in commands and paths.
   * @param input - The hook input, as the client sends it.
   * @returns The verdict; or `invalid_request` or `session_not_found`, and then nothing is written. `waiting`
   * means that the wait ended without callbacks: the caller may ask about the same stop again. Only a call
   * without a wait counts as a stop.
   */
  answer(client: string, input: JsonObject, options?: HookOptions): Promise<Result<api.HookVerdictView>>;
}
