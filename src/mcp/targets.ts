// Finds the state and the tree of a call that does not name them.
import { ok, invalidMember, fail, type Result } from '../domain/errors.js';
import type { StateWaited } from '../ports/api/index.js';
import type { ToolCall } from './tool.js';

/**
 * Finds the session that calls: the one that the caller's environment names, else the one of the caller's token.
 *
 * @returns Its id or name; `null` if the caller is no session.
 */
export async function callingSession({
  service,
  caller,
}: Pick<ToolCall, 'service' | 'caller'>): Promise<Result<string | null>> {
  if (caller.session !== null || caller.isNoSession === true) return ok(caller.session);
  const who = await service.operations.whoAmI();
  return who.ok ? ok(who.value.session_id) : who;
}

/**
 * Finds the state of a call: the named one, else the one of the caller's environment, else the one of the
 * caller's tree.
 *
 * @returns The id; or `invalid_request` if none of these is known, or `state_not_found` if the tree has no state.
 */
export async function stateOf(call: ToolCall, stateId: string | undefined): Promise<Result<string>> {
  const named = stateId ?? call.caller.stateId;
  if (named !== null) return ok(named);
  const calling = await callingSession(call);
  if (!calling.ok) return calling;
  if (calling.value === null) {
    return invalidMember(
      '/state_id',
      'is needed: this call does not come from a session, so nothing says which state is meant',
      'the state_id that state_create answered, or a call made as a session (its token, or X-Agent-Session-Name)',
    );
  }
  const session = await call.service.sessions.get(calling.value);
  if (!session.ok) return session;
  const { workflow_state_id: own, session_name } = session.value;
  if (own !== null) return ok(own);
  return fail('state_not_found', `The tree of the session ${session_name} has no workflow state yet.`);
}

/** Finds the session whose tree a call is about: the caller, or the root of the named state. */
export async function sessionOf(call: ToolCall, stateId: string | undefined): Promise<Result<string>> {
  const calling = stateId === undefined ? await callingSession(call) : ok(null);
  if (!calling.ok) return calling;
  if (calling.value !== null) return ok(calling.value);
  const state = await stateOf(call, stateId);
  if (!state.ok) return state;
  const found = await peek(call, state.value);
  return found.ok ? ok(found.value.root_session_id) : found;
}

/**
 * Reads a state without moving the session's read cursor. The service merges a session's writes on the version
 * that the session has read, and a document that is only measured or outlined has not been read.
 */
export function peek({ service }: ToolCall, stateId: string): Promise<Result<StateWaited>> {
  return service.states.wait(stateId, { until: {}, timeout_ms: 0 });
}
