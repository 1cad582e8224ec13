// The definition of one agent CLI: everything that the product knows of it. Each client exports one from its folder.
import type { HookClient } from '../domain/hooks/clients.js';
import type { ClientHooks } from './hooks/client-hooks.js';
import type { AgentCli } from './runs/agent-cli.js';
import type { ClientSettings } from './settings/client-settings.js';

/** Where a program finds the id of the client's conversation that it runs in, and of the tool call. */
interface ConversationMarks {
  /** The variable that the client sets for the commands and MCP servers that it starts. */
  readonly variable: string | null;
  /** Variables that a client inherits if it is started by a command of this one. */
  readonly inherited: readonly string[];
  /** The member of `_meta` in the client's MCP requests. */
  readonly metaMember: string | null;
  /** The member of that `_meta` with the id of the tool call, which a repeated call has too. */
  readonly toolCallMember: string | null;
}

export interface AgentClient<Name extends string = string> extends AgentCli, HookClient {
  readonly name: Name;
  readonly hooks: ClientHooks;
  /** Its settings files. Loaded on demand: only `connect` needs their parsers. */
  readonly settings: () => Promise<ClientSettings>;
  readonly conversation: ConversationMarks;
}
