// Whether a client's session that starts may be the one that it names, or was only started where that one works: a
// client that a session runs inherits its environment, and with it its name.
import { boundedText } from '../excerpt.js';
import { framed } from '../framing.js';
import type { Session } from '../records/records.js';
import type { HookEvent } from './event.js';

/** Tells a client from which of its sessions it was started; ours, for clients that read a file of variables. */
export const CLIENT_SESSION_VARIABLE = 'COUNTERSIGN_CLIENT_SESSION';

/** Variables in which clients tell the commands that they run which of their sessions it is. */
export const CLIENT_SESSION_VARIABLES = [CLIENT_SESSION_VARIABLE, 'CODEX_THREAD_ID', 'CODEX_SESSION_ID'];

const SHOWN_CHARACTERS_MAX = 200;

/** Whether the session is another one of the client's. */
export function isElsewhere(session: Session, { clientSessionId }: HookEvent): boolean {
  return session.executorSessionId !== null && session.executorSessionId !== clientSessionId;
}

/**
 * Whether the session stays with the client's session that has it. Without a sign that the event comes from within that
 * one, it does not: it was killed or left, and the last that is started has the name.
 *
 * @param within - Sessions of clients from whose environment the event comes.
 */
export function staysElsewhere(session: Session, event: HookEvent, within: readonly string[]): boolean {
  const { executorSessionId } = session;
  return executorSessionId !== null && isElsewhere(session, event) && within.includes(executorSessionId);
}

/** What a client's session is told that is not bound, wrapped so that a model does not take it for its user. */
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
