// What the completion of a session waits for.
import { awaitsCallbacks } from '../callbacks/deliver.js';
import type { Run } from '../records/records.js';
import type { UnitOfWork } from '../transactions/unit-of-work.js';

/** True if a session's completion waits: for a run of its generation, or for callbacks of its children. */
export function waitsForOthers(draft: UnitOfWork, sessionId: string): boolean {
  if (hasRuns(draft, sessionId)) return true;
  return draft.completion(sessionId).releasedAt === null && awaitsCallbacks(draft, sessionId);
}

/** True if a run of the session's generation is in progress or waiting. */
export function hasRuns(draft: UnitOfWork, sessionId: string): boolean {
  const { session, runs } = draft.desk(sessionId);
  return runs.some((run) => run.generation === session.generation && !isCancelled(run));
}

/** True for a cancelled update run: its completion continues without it. */
function isCancelled(run: Run): boolean {
  return run.purpose === 'state_update' && run.stopReason === 'cancelled';
}
