// Who is asking.
import type { Role } from '../records/records.js';

/**
 * operator: a person or program that runs the service (an open loopback without headers, or an `admin` token).
 * token: a bearer token with a lesser role. session: an agent, reaching only its own tree.
 */
export type Actor = (
  | { readonly kind: 'operator'; readonly tokenName: string | null }
  | { readonly kind: 'token'; readonly role: Exclude<Role, 'admin'>; readonly tokenName: string }
  | {
      readonly kind: 'session';
      readonly sessionId: string;
      readonly rootSessionId: string;
      /** The run that the caller's token was minted for. */
      readonly runId: string | null;
    }
) & {
  /** The call of a tool that the caller is in, as its client numbers it. Says nothing of who is asking. */
  readonly toolCallId?: string;
};

/** Some models number the calls of each answer (`call_0`). Only what is long enough to be unique is an id. */
const TOOL_CALL_ID = /^[\x21-\x7e]{16,255}$/;

/** True for what may stand for the call of a tool. */
export function isToolCallId(text: string): boolean {
  return TOOL_CALL_ID.test(text);
}

/** Who is asking, as one text: the session, the token, or whoever may come to an open loopback. */
export function callerOf(actor: Actor): string {
  return actor.kind === 'session' ? actor.sessionId : `${actor.kind} ${actor.tokenName ?? ''}`;
}
