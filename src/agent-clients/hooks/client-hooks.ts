// The interface to the hooks of an agent CLI: the names of its events, and the format of its answers. Pure.
import type { HookResult } from '../../domain/hooks/result.js';
import type { Hook } from '../../domain/hooks/clients.js';
import type { JsonObject } from '../../domain/json/json.js';

/** The value of `hook_event_name` for each hook; absent if the client does not have the hook. */
export type HookEventNames = Readonly<Partial<Record<Hook, string>>>;

/** Environment variables of a client's hooks; absent if the client has none. */
interface HookVariables {
  /** Changes the limit of refusals in a row; 0 or less removes it. */
  readonly refusals?: string;
  /** Names a file of variables, which the client's shells read. */
  readonly environmentFile?: string;
  /** The client's process id. */
  readonly processId?: string;
}

export interface ClientHooks {
  readonly events: HookEventNames;
  /** The member of a stop's input that holds the agent's last message. */
  readonly lastMessage: string;
  readonly variables: HookVariables;
  /** The client can call a hook over HTTP, without a command. */
  readonly overHttp: boolean;
  /** The result in the client's own format, for its hook. */
  readonly answer: (hook: Hook, result: HookResult) => JsonObject;
}
