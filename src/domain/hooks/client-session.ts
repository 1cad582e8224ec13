// The conversation of an agent CLI in which a program runs, by the client's own id. It needs no variable set by
// the user.
import { CLIENT_SESSION_ID_CHARACTERS_MAX } from './event.js';
import type { HookClient } from './clients.js';

/** A conversation, by the id that its client gives it. */
export interface ClientSession {
  readonly client: HookClient;
  readonly id: string;
}

/**
 * Variables that clients set for the commands and MCP servers that they start. Codex sets its own only for
 * commands.
 */
const VARIABLES: readonly (readonly [string, HookClient])[] = [
  ['CLAUDE_CODE_SESSION_ID', 'claude-code'],
  ['CODEX_THREAD_ID', 'codex'],
];

/** The conversations in an environment. There are several if one client was started by another. */
export function clientSessionsOf(
  env: Readonly<Record<string, string | undefined>>,
): readonly ClientSession[] {
  return VARIABLES.flatMap(([name, client]) => {
    const id = env[name];
    return id !== undefined && isClientSessionId(id) ? [{ client, id }] : [];
  });
}

/** The conversation in the `_meta` of an MCP request. Codex sends its thread id there. */
export function clientSessionOfMeta(
  meta: Readonly<Record<string, unknown>> | undefined,
): ClientSession | null {
  const id = meta?.['threadId'];
  return typeof id === 'string' && isClientSessionId(id) ? { client: 'codex', id } : null;
}

function isClientSessionId(id: string): boolean {
  return id.length <= CLIENT_SESSION_ID_CHARACTERS_MAX && /^[^\s,]+$/.test(id);
}
