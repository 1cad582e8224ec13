// The end of a session: it is lost, or it is deleted.
import { apply } from '../completion/apply-event.js';
import { ok, fail, type Result } from '../errors.js';
import { sessionWith } from '../lifecycle/session.js';
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import { findSession, noSession } from './create.js';

/**
 * Marks a session as lost, because no client continues its work.
 *
 * @param reason - A sentence.
 */
export function lose(unit: UnitOfWork, sessionId: string, reason: string): void {
  const { session } = unit.aggregate(sessionId);
  const before = unit.completion(sessionId);
  if (before.releasedAt === null && before.status !== 'completed' && before.status !== 'pending') {
    unit.putSession(sessionWith(session, 'failed', unit.now));
  }
  apply(unit, sessionId, { type: 'lost', reason });
  // A recorded result that is due for release is released now.
  unit.touched.add(sessionId);
}

/**
 * Hides a session and frees its name.
 *
 * @returns Nothing; or `session_not_found`; or `session_busy` if a run is in progress or waiting, or its completion is
 *   pending.
 */
export function deleteSession(unit: UnitOfWork, idOrName: string): Result<null> {
  const session = findSession(unit, idOrName);
  if (session === null) return noSession(idOrName);
  const { runs } = unit.aggregate(session.sessionId);
  const completion = unit.completion(session.sessionId);
  if (runs.length > 0 || completion.status === 'pending') {
    return fail('session_busy', `${session.sessionName} has work under way; stop it first.`, {
      session_id: session.sessionId,
      runs: runs.map((run) => run.runId),
    });
  }
  if (completion.status === 'none') {
    apply(unit, session.sessionId, { type: 'skip', reason: 'The session was deleted.' });
  }
  const { session: now } = unit.aggregate(session.sessionId);
  unit.putSession({ ...now, deletedAt: unit.now, updatedAt: unit.now });
  endWork(unit, session.sessionId, null);
  return ok(null);
}

/** Ends the work of the present generation as stopped, if it has not ended. */
export function endWork(unit: UnitOfWork, sessionId: string, error: string | null): void {
  if (unit.completion(sessionId).workOutcome === null) {
    apply(unit, sessionId, {
      type: 'work_ended',
      outcome: 'stopped',
      resultText: null,
      resultData: null,
      error,
      cause: null,
    });
  }
}
