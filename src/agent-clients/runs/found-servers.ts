// Detects MCP servers in the configuration of the user or of the project that would let a run act with another
// identity. Pure.
import { isJsonObject, type JsonValue } from '../../domain/json/json.js';
import { MCP_SERVER, type AgentCall, type ConfiguredServer } from './agent-cli.js';

/** Text that marks an entry for the coordinator: its command, its variables, the headers that name a session. */
const SPEAKS = /countersign|agent[-_](?:root[-_])?session[-_](?:name|id)/i;
/** Names of this machine. */
const LOOPBACK = /^(?:localhost|0\.0\.0\.0|127(?:\.\d+){3}|\[::1?\]|\[::ffff:7f[\da-f]{2}:[\da-f]+\])$/;

/**
 * @returns Names of the servers that lead to the coordinator or carry an identity. In a run only the run's own
 * server may.
 */
export function conflictingServers({
  configuredServers,
  mcp,
}: Pick<AgentCall, 'configuredServers' | 'mcp'>): string[] {
  return configuredServers
    .filter(({ name }) => name !== MCP_SERVER)
    .filter((one) => SPEAKS.test(JSON.stringify([one.name, one.entry])) || leadsTo(mcp.url, one.entry))
    .map(({ name }) => name);
}

/** @returns An error message if a server has the name of the run's own tools; `null` if none has. */
export function nameTaken(title: string, servers: readonly ConfiguredServer[]): string | null {
  return servers.some(({ name }) => name === MCP_SERVER)
    ? `${title} finds an MCP server "${MCP_SERVER}" in the configuration of the user or of the project, and would put it in the place of the run's own. Give it another name.`
    : null;
}

function leadsTo(url: string, entry: JsonValue): boolean {
  const own = originOf(url);
  return own !== null && textsIn(entry).some((text) => originOf(text) === own);
}

function originOf(text: string): string | null {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return null;
  const { hostname, port, protocol } = new URL(text);
  return `${LOOPBACK.test(hostname) ? 'loopback' : hostname}:${port === '' ? protocol : port}`;
}

function textsIn(value: JsonValue): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** @param servers - Entries by name. */
export function serversByName(servers: JsonValue | undefined): ConfiguredServer[] {
  return isJsonObject(servers) ? Object.entries(servers).map(([name, entry]) => ({ name, entry })) : [];
}
