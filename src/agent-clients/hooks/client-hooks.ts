// The interface to the hooks of an agent CLI: the names of its events, and the format of its answers. Pure.
import type { HookResult } from '../../domain/hooks/result.js';
import type { Hook } from '../../domain/hooks/clients.js';
import type { JsonObject } from '../../domain/json/json.js';

/** The value of `hook_event_name` for each hook; absent if the client does not have the hook. */
export type HookEventNames = Readonly<Partial<Record<Hook, string>>>;

export interface ClientHooks {
  readonly events: HookEventNames;
  /** The member of a stop's input that holds the agent's last message. */
  readonly lastMessage: string;
  /** Environment variable that changes the limit of refusals in a row; 0 or less removes it. `null` for none. */
  readonly capVariable: string | null;
  /** The client can call a hook over HTTP, without a command. */
  readonly overHttp: boolean;
  /** The result in the client's own format, for its hook. */
  readonly answer: (hook: Hook, result: HookResult) => JsonObject;
}
