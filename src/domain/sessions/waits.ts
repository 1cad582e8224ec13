// What the completion of a session waits for.
import { isOpen } from '../lifecycle/callback.js';
import { isResumable } from '../lifecycle/session.js';
import { hasClientEnded } from './presence.js';
import type { Run } from '../records/records.js';
import type { UnitOfWork } from '../transactions/unit-of-work.js';

/** True if a session's completion waits: for a run of its generation, or for callbacks of its children. */
export function waitsForOthers(unit: UnitOfWork, sessionId: string): boolean {
  if (hasRuns(unit, sessionId)) return true;
  return unit.completion(sessionId).releasedAt === null && awaitsCallbacks(unit, sessionId);
}

/** True if a run of the session's generation is in progress or waiting. */
export function hasRuns(unit: UnitOfWork, sessionId: string): boolean {
  const { session, runs } = unit.aggregate(sessionId);
  return runs.some((run) => run.generation === session.generation && !isCancelled(run));
}

/** True for a cancelled update run: its completion continues without it. */
function isCancelled(run: Run): boolean {
  return run.purpose === 'state_update' && run.stopReason === 'cancelled';
}

/**
 * True if the parent must get callbacks before it counts as done. Dead ones are not awaited, and a child whose client has
 * ended takes none. A root may come back at any time, and nobody waits for it.
 */
export function awaitsCallbacks(unit: UnitOfWork, sessionId: string): boolean {
  const { session, inbox } = unit.aggregate(sessionId);
  const isLeft = session.parentSessionId !== null && hasClientEnded(session);
  if (!isResumable(session) || isLeft) return false;
  return inbox.some((one) => isOpen(one) && one.parentGeneration === session.generation);
}
