// The pre-tool-use hook: finds out what the gate wants to know. Reading here is no read of the session's: what it
// writes next is still based on what it has seen.
import { accepted, type Outcome } from '../../domain/errors.js';
import type { HookVerdict } from '../../domain/hooks/answer.js';
import type { PreToolUseEvent } from '../../domain/hooks/event.js';
import { isElsewhere } from '../../domain/hooks/nested.js';
import { gateVerdict, passesUnasked, type GateFacts } from '../../domain/hooks/gate.js';
import type { Session } from '../../domain/records/records.js';
import type { HookOptions } from '../../ports/hook-service.js';
import type { Caller } from '../context.js';
import { reachSession } from '../outcomes.js';
import { sessionNamed } from './standing.js';

/** @see HookService.answer */
export async function answerPreToolUse(
  caller: Caller,
  event: PreToolUseEvent,
  options: HookOptions,
): Promise<Outcome<HookVerdict>> {
  if (passesUnasked(event)) return accepted({ verdict: 'allow', text: null });
  const found = await reachSession(caller, 'read', sessionNamed(caller, event, options));
  if (!found.ok && found.refusal.error !== 'session_not_found') return found;
  if (!found.ok) return accepted(gateVerdict(event, { session: null, state: 'none' }));
  const { sessionName, status } = found.value;
  // It comes before each tool of this client: a session that does not send it any more is not at work any more.
  if (!isElsewhere(found.value, event)) await noteHeartbeat(caller, found.value);
  const session = { name: sessionName, stopped: status === 'stopped' };
  return accepted(gateVerdict(event, { session, state: await stateOf(caller, found.value) }));
}

async function noteHeartbeat({ context }: Caller, { sessionId, rootSessionId }: Session): Promise<void> {
  try {
    await context.signs.note(sessionId, rootSessionId, true);
  } catch (error) {
    context.logger.warn({ err: error, session: sessionId }, 'a heartbeat could not be noted');
  }
}

async function stateOf({ context }: Caller, session: Session): Promise<GateFacts['state']> {
  try {
    const stateId = (await context.store.read.tree(session.rootSessionId))?.stateId ?? null;
    const head = stateId === null ? null : await context.store.read.state(stateId);
    if (stateId === null || head === null) return 'none';
    return (await context.documents.at(stateId, head.version)) === null ? 'unreadable' : 'read';
  } catch (error) {
    context.logger.error({ err: error, session: session.sessionId }, 'a state cannot be read for the gate');
    return 'unreadable';
  }
}
