// Whether a client's session that starts may be the one that it names, or was only started where that one works: a
// client that a session runs inherits its environment, and with it its name.
import { boundedText, fenced } from '../excerpt.js';
import type { Completion, Session } from '../records.js';
import type { HookEvent, SessionStartEvent } from './event.js';

/** Tells a client from which of its sessions it was started. */
export const CLIENT_SESSION_VARIABLE = 'COUNTERSIGN_CLIENT_SESSION';

const SHOWN_CHARACTERS_MAX = 200;

/** Whether the session is another one of the client's. */
export function isElsewhere(session: Session, { clientSessionId }: HookEvent): boolean {
  return session.executorSessionId !== null && session.executorSessionId !== clientSessionId;
}

/**
 * Whether the session stays with the client's session that has it.
 *
 * @param within - The client's session from whose environment the event's comes; `''` where it certainly comes from none:
 *   whoever had the session is gone, or gives it up. `null` where that is not known.
 */
export function staysElsewhere(
  session: Session,
  completion: Completion,
  event: SessionStartEvent,
  within: string | null,
): boolean {
  if (!isElsewhere(session, event) || event.continued) return false;
  if (within === '') return false;
  if (within !== null && within === session.executorSessionId) return true;
  return session.external && (session.status === 'running' || completion.status === 'pending');
}

/** What a client's session is told that is not bound, wrapped so that a model does not take it for its user. */
export function unboundContext({ sessionName, executorSessionId }: Session, url: string): string {
  const other = boundedText(executorSessionId ?? '', SHOWN_CHARACTERS_MAX);
  const body = [
    `This session is NOT bound to Countersign. Its environment names ${sessionName}, which the client's session ${other} is working as: this one was started from within it, or beside it.`,
    `It may end its turns freely, and nothing that it says is recorded as the result of ${sessionName}. What it writes by commands counts as written by ${sessionName}.`,
    `To be a session of its own, it has to be started anew under a name of its own: env -u AGENT_SESSION_ID AGENT_SESSION_NAME=NAME COUNTERSIGN_URL='${url}' <the client>. For a child, the parent makes NAME first: countersign session create --external --name NAME --parent ${sessionName} --callback`,
    `To take the place of ${other}, where that one is gone: resume it in the client, or end its work first (countersign session stop ${sessionName}) and start anew.`,
  ].join('\n');
  return `<countersign-session session="">\n${fenced(body, 'countersign-session')}\n</countersign-session>`;
}
