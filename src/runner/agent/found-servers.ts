// MCP servers that a client finds by itself, in the configuration of the user or of the project: which of them would let
// a run write as somebody else. Pure.
import { isJsonObject, type JsonValue } from '../../domain/json/json.js';
import { MCP_SERVER, type AgentCall, type FoundServer } from './agent-cli.js';

/** What an entry for the coordinator says somewhere: its command, its variables, the headers that name a session. */
const SPEAKS = /countersign|agent[-_](?:root[-_])?session[-_](?:name|id)/i;
/** The names of this machine. */
const LOOPBACK = /^(?:localhost|0\.0\.0\.0|127(?:\.\d+){3}|\[::1?\]|\[::ffff:7f[\da-f]{2}:[\da-f]+\])$/;

/** @returns Names of those that lead to the coordinator, or say who asks: in a run, only the run's own may. */
export function strangers({ found, mcp }: Pick<AgentCall, 'found' | 'mcp'>): string[] {
  return found
    .filter(({ name }) => name !== MCP_SERVER)
    .filter((one) => SPEAKS.test(JSON.stringify([one.name, one.entry])) || leadsTo(mcp.url, one.entry))
    .map(({ name }) => name);
}

/** @returns In words why the run cannot have its tools under their name; `null` where it can. */
export function nameTaken(title: string, found: readonly FoundServer[]): string | null {
  return found.some(({ name }) => name === MCP_SERVER)
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
export function serversByName(servers: JsonValue | undefined): FoundServer[] {
  return isJsonObject(servers) ? Object.entries(servers).map(([name, entry]) => ({ name, entry })) : [];
}
