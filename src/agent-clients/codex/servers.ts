// The MCP servers of a named agent in the form of Codex. Pure. Arguments are visible to everyone who may list
// processes, and values of headers and variables may be secrets. So the values are passed in the environment, and
// the arguments contain only the names of the variables.
import type { McpServer } from '../../domain/agents/blueprint.js';
import { isJsonArray } from '../../domain/json/json.js';
import { textMember } from '../../domain/json/members.js';
import type { AgentSettings, ConfiguredServer } from '../runs/agent-cli.js';
import { parsed } from '../runs/json-text.js';

interface CodexServers {
  /** By name, a dotted path, for `--config`. */
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

function partsOf(key: string, server: McpServer, prefix: string): CodexServers {
  const values = Object.entries((server.type === 'http' ? server.headers : server.env) ?? {});
  const hidden = values.map(([name, value], at) => ({ name, value, variable: `${prefix}_${String(at)}` }));
  const environment = Object.fromEntries(hidden.map(({ variable, value }) => [variable, value]));
  // Nobody can be asked for approval.
  const approved = { [`${key}.default_tools_approval_mode`]: 'approve' };
  if (server.type === 'http') {
    const headers = Object.fromEntries(hidden.map(({ name, variable }) => [name, variable]));
    const settings = { [`${key}.url`]: server.url, [`${key}.env_http_headers`]: headers, ...approved };
    return { settings, environment };
  }
  const { command, args = [] } = server;
  // Codex passes variables on only under their own names, so a shell renames them to those that the server
  // expects.
  const renaming = hidden.map(({ name, variable }) => `export ${name}="$${variable}"; unset ${variable}; `);
  const commandLine = ['sh', '-c', `${renaming.join('')}exec "$@"`, 'sh', command, ...args];
  const [program = command, ...rest] = hidden.length === 0 ? [command, ...args] : commandLine;
  const settings = {
    [`${key}.command`]: program,
    [`${key}.args`]: rest,
    [`${key}.env_vars`]: hidden.map(({ variable }) => variable),
    ...approved,
  };
  return { settings, environment };
}

function joined<T>(records: readonly Readonly<Record<string, T>>[]): Record<string, T> {
  return Object.fromEntries(records.flatMap((one) => Object.entries(one)));
}

/** @param printed - Output of `codex mcp list --json`. */
export function codexConfiguredServers(printed: string): ConfiguredServer[] | null {
  const list = parsed(printed);
  if (list === undefined || !isJsonArray(list)) return null;
  return list.flatMap((entry) => {
    const name = textMember(entry, 'name');
    return name === null ? [] : [{ name, entry }];
  });
}
