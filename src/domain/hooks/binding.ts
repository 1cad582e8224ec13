// Which session a client's session is. The id follows from the client's own: a repeated start, a resume and a second
// hook find the same session, and nothing has to be remembered for it.
import { createHash } from 'node:crypto';
import type { Session } from '../records/records.js';
import type { HookClient } from './clients.js';

const PLAIN_CHARACTERS_MAX = 60;
const HASH_CHARACTERS = 32;

/**
 * The id of the session that stands for a client's session, or for a sub-agent within one.
 *
 * @returns An id that `POST /sessions` takes, always the same for the same arguments.
 */
export function boundSessionId(client: HookClient, clientSessionId: string, agentId?: string): string {
  const plain = `${client}-${clientSessionId}`;
  if (agentId === undefined && /^[A-Za-z0-9_-]+$/.test(plain) && plain.length <= PLAIN_CHARACTERS_MAX) {
    return `ses_${plain}`;
  }
  const text = JSON.stringify(agentId === undefined ? [clientSessionId] : [clientSessionId, agentId]);
  const hash = createHash('sha256').update(text).digest('hex').slice(0, HASH_CHARACTERS);
  return `ses_${client}-${agentId === undefined ? '' : 'agent-'}${hash}`;
}

const SUB_AGENT = new RegExp(`^ses_[a-z-]+-agent-[0-9a-f]{${String(HASH_CHARACTERS)}}$`);

/**
 * Whether a session is a sub-agent of a client, which works within the session that is its parent: it shares that one's
 * connections, so that only its commands say who it is.
 */
export function isSubAgent({ sessionId, external }: Pick<Session, 'sessionId' | 'external'>): boolean {
  return external && SUB_AGENT.test(sessionId);
}
