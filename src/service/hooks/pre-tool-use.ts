// The pre-tool-use hook. Collects the facts for the gate. Reading the state here does not move the session's read
// cursor: its next write is still based on what the session itself has read.
import { RecordDamagedError } from '../../domain/damage/damage.js';
import { ok, type Result } from '../../domain/errors.js';
import type { HookResult } from '../../domain/hooks/result.js';
import type { PreToolUseEvent } from '../../domain/hooks/event.js';
import { isElsewhere } from '../../domain/hooks/nested.js';
import { gateDecision, passesUnasked, type GateFacts } from '../../domain/hooks/gate.js';
import type { Session } from '../../domain/records/records.js';
import type { HookOptions } from '../../ports/hook-service.js';
import type { Logger } from '../../ports/runtime.js';
import type { SignsOfLife } from '../sessions/signs-of-life.js';
import type { Caller } from '../caller.js';
import { headOfTree, reachSession } from '../results.js';
import { sessionNamed } from './hooked-session.js';
import { workflowFacts, type WorkflowFactsParts } from './workflow-facts.js';

export interface PreToolUseParts extends WorkflowFactsParts {
  readonly logger: Logger;
  /** Whether requests need a token. Without it, headers identify the session of a caller on the loopback address. */
  readonly auth: boolean;
  readonly signs: SignsOfLife;
}

/** @see HookService.answer */
export async function answerPreToolUse(
  caller: Caller<PreToolUseParts>,
  event: PreToolUseEvent,
  options: HookOptions,
): Promise<Result<HookResult>> {
  if (passesUnasked(event)) return ok({ verdict: 'allow', text: null });
  const found = await reachSession(caller, 'read', sessionNamed(caller, event, options));
  if (!found.ok && found.failure.error !== 'session_not_found') return found;
  if (!found.ok) return ok(gateDecision(event, { session: null, state: 'none', workflow: null }));
  const { sessionName, status } = found.value;
  const session = { name: sessionName, stopped: status === 'stopped' };
  const result = gateDecision(event, { session, ...(await factsOf(caller, found.value)) });
  // The client calls this hook before each tool, so each call counts as a heartbeat. A session
  // that stops calling is idle or gone.
  if (!isElsewhere(found.value, event)) await noteHeartbeat(caller, found.value, result);
  return ok(result);
}

async function noteHeartbeat(
  { context, actor }: Caller<PreToolUseParts>,
  { sessionId, rootSessionId, parentSessionId }: Session,
  { verdict }: HookResult,
): Promise<void> {
  const isRoot = parentSessionId === null;
  // For a root, heartbeats only keep its token valid. A denied tool does not use the token.
  if (isRoot && (!context.auth || verdict !== 'allow')) return;
  // A heartbeat with the root's own token does not count: an expired token could never become valid again.
  const regular = !isRoot || actor.kind !== 'session';
  try {
    await context.signs.note(sessionId, rootSessionId, regular);
  } catch (error) {
    context.logger.warn({ err: error, session: sessionId }, 'a heartbeat could not be noted');
  }
}

async function factsOf(
  { context }: Caller<PreToolUseParts>,
  session: Session,
): Promise<Pick<GateFacts, 'state' | 'workflow'>> {
  try {
    const head = await headOfTree(context.store, session.rootSessionId);
    if (head === null) return { state: 'none', workflow: null };
    const document = await context.documents.at(head);
    if (document === null) return { state: 'unreadable', workflow: null };
    return { state: 'read', workflow: await workflowFacts(context, session, head, document) };
  } catch (error) {
    context.logger.error({ err: error, session: session.sessionId }, 'a state cannot be read for the gate');
    const tampered = error instanceof RecordDamagedError && error.damage.tampered !== undefined;
    return { state: tampered ? 'tampered' : 'unreadable', workflow: null };
  }
}
