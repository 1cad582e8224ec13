// The caller of a request.
import type { Role } from '../records/records.js';

/**
 * operator: a person or program that runs the service (open loopback access without headers, or an `admin`
 * token). token: a bearer token with a lesser role. session: an agent, limited to its own tree.
 */
export type Actor = (
  | { readonly kind: 'operator'; readonly tokenName: string | null }
  | { readonly kind: 'token'; readonly role: Exclude<Role, 'admin'>; readonly tokenName: string }
  | {
      readonly kind: 'session';
      readonly sessionId: string;
      readonly rootSessionId: string;
      /** The run that the caller's token was issued for. */
      readonly runId: string | null;
    }
) & {
  /** The tool call that the request is part of, as the client numbers it. It does not identify the caller. */
  readonly toolCallId?: string;
};

/** Any caller of the open interface on the loopback address. */
export const OPEN_LOOPBACK: Actor = { kind: 'operator', tokenName: null };

/**
 * Some models number the calls of each answer (`call_0`). Only a text that is long enough to be unique counts
 * as an id.
 */
const TOOL_CALL_ID = /^[\x21-\x7e]{16,255}$/;

/** True for a text that may identify a tool call. */
export function isToolCallId(text: string): boolean {
  return TOOL_CALL_ID.test(text);
}

/** The caller as one text: the session, the token, or any caller on an open loopback. */
export function callerOf(actor: Actor): string {
  return actor.kind === 'session' ? actor.sessionId : `${actor.kind} ${actor.tokenName ?? ''}`;
}

/** The root of the caller's tree; `null` if the caller is not a session. */
export function treeOf(actor: Actor): string | null {
  return actor.kind === 'session' ? actor.rootSessionId : null;
}
