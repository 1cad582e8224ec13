// The MCP servers of a named agent in the words of Codex. Pure.
// Whoever may list processes sees arguments: values of headers and variables may be secrets, so they go by the
// environment, and the arguments hold only the names that they go under.
import type { McpServer } from '../../domain/agents/blueprint.js';
import { isJsonArray } from '../../domain/json/json.js';
import type { AgentSettings, FoundServer } from '../agent/agent-cli.js';
import { textAt } from '../agent/members.js';
import { parsed } from '../json-text.js';

export interface CodexServers {
  /** By name, a dotted path; `--config` takes them. */
  readonly settings: Readonly<Record<string, CodexValue>>;
  readonly environment: Readonly<Record<string, string>>;
}

export type CodexValue = string | number | boolean | readonly string[] | Readonly<Record<string, string>>;

export function codexServers({ mcpServers = {} }: AgentSettings): CodexServers {
  const parts = Object.entries(mcpServers).map(([name, server], at) =>
    partsOf(`mcp_servers.${name}`, server, `COUNTERSIGN_MCP_${String(at)}`),
  );
  return {
    settings: joined(parts.map(({ settings }) => settings)),
    environment: joined(parts.map(({ environment }) => environment)),
  };
}

function partsOf(place: string, server: McpServer, prefix: string): CodexServers {
  const values = Object.entries((server.type === 'http' ? server.headers : server.env) ?? {});
  const hidden = values.map(([name, value], at) => ({ name, value, variable: `${prefix}_${String(at)}` }));
  const environment = Object.fromEntries(hidden.map(({ variable, value }) => [variable, value]));
  // Nobody is there to be asked.
  const approved = { [`${place}.default_tools_approval_mode`]: 'approve' };
  if (server.type === 'http') {
    const headers = Object.fromEntries(hidden.map(({ name, variable }) => [name, variable]));
    const settings = { [`${place}.url`]: server.url, [`${place}.env_http_headers`]: headers, ...approved };
    return { settings, environment };
  }
  const { command, args = [] } = server;
  // Codex hands variables on under their own names alone: the shell gives them those that the server wants.
  const renaming = hidden.map(({ name, variable }) => `export ${name}="$${variable}"; unset ${variable}; `);
  const line = ['sh', '-c', `${renaming.join('')}exec "$@"`, 'sh', command, ...args];
  const [program = command, ...rest] = hidden.length === 0 ? [command, ...args] : line;
  const settings = {
    [`${place}.command`]: program,
    [`${place}.args`]: rest,
    [`${place}.env_vars`]: hidden.map(({ variable }) => variable),
    ...approved,
  };
  return { settings, environment };
}

function joined<T>(records: readonly Readonly<Record<string, T>>[]): Record<string, T> {
  return Object.fromEntries(records.flatMap((one) => Object.entries(one)));
}

/** @param printed - By `codex mcp list --json`. */
export function foundByCodex(printed: string): FoundServer[] | null {
  const list = parsed(printed);
  if (list === undefined || !isJsonArray(list)) return null;
  return list.flatMap((entry) => {
    const name = textAt(entry, 'name');
    return name === null ? [] : [{ name, entry }];
  });
}
