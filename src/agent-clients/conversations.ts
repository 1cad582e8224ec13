// The conversation of an agent CLI in which a program runs, by the client's own id. It needs no variable set by
// the user.
import { CLIENT_SESSION_ID_CHARACTERS_MAX } from '../domain/hooks/event.js';
import { CLIENT_SESSION_VARIABLE } from '../domain/hooks/nested.js';
import { AGENT_CLIENTS, type AgentClientName } from './index.js';

/** A conversation, by the id that its client gives it. */
export interface ClientSession {
  readonly client: AgentClientName;
  readonly id: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The conversations in an environment. There are several if one client was started by another. */
export function clientSessionsOf(env: Environment): readonly ClientSession[] {
  return AGENT_CLIENTS.flatMap(({ name, conversation: { variable } }) => {
    const id = variable === null ? undefined : env[variable];
    return id !== undefined && isClientSessionId(id) ? [{ client: name, id }] : [];
  });
}

/** The conversation in the `_meta` of an MCP request; `null` if no client names one there. */
export function clientSessionOfMeta(
  meta: Readonly<Record<string, unknown>> | undefined,
): ClientSession | null {
  for (const { name, conversation } of AGENT_CLIENTS) {
    const id = conversation.metaMember === null ? undefined : meta?.[conversation.metaMember];
    if (typeof id === 'string' && isClientSessionId(id)) return { client: name, id };
  }
  return null;
}

/** The ids of the conversations from within which a client was started. Ignores values that are not ids. */
export function startedWithin(env: Environment): readonly string[] {
  const variables = [
    CLIENT_SESSION_VARIABLE,
    ...AGENT_CLIENTS.flatMap(({ conversation }) => conversation.inherited),
  ];
  return variables.map((name) => env[name] ?? '').filter(isClientSessionId);
}

function isClientSessionId(id: string): boolean {
  return id.length <= CLIENT_SESSION_ID_CHARACTERS_MAX && /^[^\s,]+$/.test(id);
}
