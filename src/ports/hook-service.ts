// Hooks of agent CLIs as a part of the service: one question for each event of a client, answered from the records.
import type { Outcome } from '../domain/errors.js';
import type { HookClient } from '../domain/hooks/clients.js';
import type { JsonObject } from '../domain/json/json.js';
import type * as api from './api/index.js';

/** What the hook's input does not say. */
export interface HookOptions {
  /** The session that the client's stands for, by id or name; otherwise the caller, or one bound to the client's id. */
  readonly session?: string | undefined;
  /** After how many refusals of a stop in a row the client ends the turn; its own default where absent, 0 for never. */
  readonly refusalsMax?: number | undefined;
  /** How long a parent's stop may wait for callbacks, milliseconds; cut at the bound of all waits. 0 by default. */
  readonly waitMs?: number | undefined;
  /** Types of sub-agents that count as children of the session; none by default. */
  readonly agents?: readonly string[] | undefined;
  /** Where the session reaches the service, for the commands that it is shown. */
  readonly url?: string | undefined;
  /**
   * Names this one time that the client runs its hook. A stop that is asked about again under the same name is the same
   * stop: nothing is counted twice.
   */
  readonly invocation?: string | undefined;
  /** Asks, about a stop that has ended its turn, what the idle session is to be woken with; waits as `waitMs` says. */
  readonly wake?: boolean | undefined;
  /** Sessions of clients from within which this one was started, as the environment tells; ids without commas. */
  readonly within?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface HookService {
  /**
   * Says what a client's hook comes to.
   *
   * @param input - What the client gives its hooks.
   * @returns The verdict; `waiting` where a wait ended without callbacks, and the same stop may be asked about again: it
   *   counts as a stop only when it is asked about without a wait. Or `invalid_request`, `session_not_found`; nothing
   *   is written then.
   */
  answer(client: HookClient, input: JsonObject, options?: HookOptions): Promise<Outcome<api.HookVerdictView>>;
}
