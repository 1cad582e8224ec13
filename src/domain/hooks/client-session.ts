// Which conversation of an agent CLI a program runs in, as the client itself says: no variable has to be set for it.
import { CLIENT_SESSION_ID_CHARACTERS_MAX } from './event.js';
import type { HookClient } from './clients.js';

/** A client's own name of one of its conversations. */
export interface ClientSession {
  readonly client: HookClient;
  readonly id: string;
}

/** Variables that clients set for the commands and MCP servers that they start (Codex: for commands). */
const VARIABLES: readonly (readonly [string, HookClient])[] = [
  ['CLAUDE_CODE_SESSION_ID', 'claude-code'],
  ['CODEX_THREAD_ID', 'codex'],
];

/** The conversations that an environment names: more than one, where one client was started from within another. */
export function clientSessionsOf(
  env: Readonly<Record<string, string | undefined>>,
): readonly ClientSession[] {
  return VARIABLES.flatMap(([name, client]) => {
    const id = env[name];
    return id !== undefined && isClientSessionId(id) ? [{ client, id }] : [];
  });
}

/** The conversation that the `_meta` of a request over MCP names: Codex says its thread there. */
export function clientSessionOfMeta(
  meta: Readonly<Record<string, unknown>> | undefined,
): ClientSession | null {
  const id = meta?.['threadId'];
  return typeof id === 'string' && isClientSessionId(id) ? { client: 'codex', id } : null;
}

function isClientSessionId(id: string): boolean {
  return id.length <= CLIENT_SESSION_ID_CHARACTERS_MAX && /^[^\s,]+$/.test(id);
}
