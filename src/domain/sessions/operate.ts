// Operations of an operator on the completion of a session.
import { afterSettling, type AfterSettling } from '../transactions/after-settling.js';
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import { ok, fail, type Result } from '../errors.js';
import type { Completion } from '../records/records.js';
import { findSession, noSession } from './create.js';
import { apply } from '../completion/apply-event.js';
import { isSkippable } from '../completion/attempts.js';

/** @returns The completion; or `session_not_found`, `completion_settled`. */
export function skipCompletion(
  unit: UnitOfWork,
  idOrName: string,
  reason: string,
): Result<AfterSettling<Completion>> {
  const session = findSession(unit, idOrName);
  if (session === null) return noSession(idOrName);
  const completion = unit.completion(session.sessionId);
  if (!isSkippable(completion)) return hasEnded(completion.status);
  apply(unit, session.sessionId, { type: 'skip', reason });
  return ok(afterSettling(() => unit.completion(session.sessionId, completion.generation)));
}

/**
 * Asks the child again, with a new count of attempts.
 *
 * @returns The completion; or `session_not_found`, `session_busy`, `completion_settled`.
 */
export function retryCompletion(
  unit: UnitOfWork,
  idOrName: string,
  reason: string,
): Result<AfterSettling<Completion>> {
  const session = findSession(unit, idOrName);
  if (session === null) return noSession(idOrName);
  const completion = unit.completion(session.sessionId);
  if (completion.workOutcome === null) {
    return fail(
      'session_busy',
      `${session.sessionName} is still at work; there is nothing to ask again yet.`,
    );
  }
  if (completion.status === 'completed' || completion.status === 'none') return hasEnded(completion.status);
  if (unit.tree(session.rootSessionId).stateId === null) {
    return fail('completion_settled', 'The tree has no workflow state to record a result in.');
  }
  apply(unit, session.sessionId, { type: 'retry', reason });
  return ok(afterSettling(() => unit.completion(session.sessionId, completion.generation)));
}

function hasEnded(status: Completion['status']) {
  return fail('completion_settled', `The state update is ${status} already.`, {
    state_update_status: status === 'none' ? null : status,
  });
}
