// Ids of sessions. The id of a client's session is derived from the client's own id, so a repeated start, a
// resume and a second hook find the same session, and nothing has to be stored.
import { createHash } from 'node:crypto';
import type { Session } from './records/records.js';

const PLAIN_CHARACTERS_MAX = 60;
const HASH_CHARACTERS = 32;

/** The id of a session, made by the service or chosen by a caller. The wire contract has the same; a test compares them. */
export const SESSION_ID = /^ses_[A-Za-z0-9_-]{1,60}$/;

/** True if a text may be the id of a session, since all begin alike. It may still be a name. */
export const mayBeSessionId = (text: string): boolean => text.startsWith('ses_');

/**
 * The id of the session for a client's session, or for a sub-agent within one.
 *
 * @param client - Name of the client.
 * @returns An id that `POST /sessions` accepts, always the same for the same arguments.
 */
export function boundSessionId(client: string, clientSessionId: string, agentId?: string): string {
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
 * True if a session is a sub-agent of a client. It works within the client session of its parent and shares
 * that session's connections, so only its commands identify it.
 */
export function isSubAgent({ sessionId, external }: Pick<Session, 'sessionId' | 'external'>): boolean {
  return external && SUB_AGENT.test(sessionId);
}
