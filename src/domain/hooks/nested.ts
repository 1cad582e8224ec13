// Whether a starting client session may be the session that it names. A client that was started from within a
// session inherits the environment of that session, and with it the name.
import { boundedText } from '../excerpt.js';
import { framed } from '../framing.js';
import type { Session } from '../records/records.js';
import type { HookEvent } from './event.js';

/**
 * Our own variable: identifies the session of a client from which another client was started, for clients that
 * read a file of variables.
 */
export const CLIENT_SESSION_VARIABLE = 'COUNTERSIGN_CLIENT_SESSION';

const SHOWN_CHARACTERS_MAX = 200;

/** True if the session is bound to another session of the client. */
export function isElsewhere(session: Session, { clientSessionId }: HookEvent): boolean {
  return session.executorSessionId !== null && session.executorSessionId !== clientSessionId;
}

/**
 * Whether the session stays bound to the client session that has it. It does so only if the event's environment
 * comes from within that client session. Otherwise that client session was killed or abandoned, and the newest
 * one gets the name.
 *
 * @param within - Client sessions from whose environment the event comes.
 */
export function staysElsewhere(session: Session, event: HookEvent, within: readonly string[]): boolean {
  const { executorSessionId } = session;
  return executorSessionId !== null && isElsewhere(session, event) && within.includes(executorSessionId);
}

/**
 * The context for a client session that is not bound, framed so that a model does not read it as a message of
 * its user.
 */
export function unboundContext({ sessionName, executorSessionId }: Session, url: string): string {
  const other = boundedText(executorSessionId ?? '', SHOWN_CHARACTERS_MAX);
  const body = [
    `This session is NOT bound to Countersign. Its environment names ${sessionName}, which the client's session ${other} is working as: this one was started from within it.`,
    `It may end its turns freely, and nothing that it says is recorded as the result of ${sessionName}. What it writes by commands counts as written by ${sessionName}.`,
    `To be a session of its own, it has to be started anew under a name of its own: env -u AGENT_SESSION_ID AGENT_SESSION_NAME=NAME COUNTERSIGN_URL='${url}' <the client>. For a child, the parent makes NAME first: countersign session create --external --name NAME --parent ${sessionName} --callback`,
    'Where the coordinator asks for tokens, it needs one of its own in COUNTERSIGN_TOKEN, from whoever runs the coordinator: the token in its environment speaks for the session that it was started from.',
  ].join('\n');
  return framed('countersign-session', { session: '' }, body);
}
