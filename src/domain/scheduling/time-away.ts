// What becomes of deadlines where nobody kept time: the service stood still, was away, or its clock was set meanwhile.
// Nobody is charged with time in which the service could not be reached.
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import { accepted, type Outcome } from '../errors.js';
import { hasEnded, leaseExtended } from '../runs/lifecycle.js';
import { isWatched, lostAt } from '../sessions/signs-of-life.js';

/**
 * Milliseconds. `elapsedMs`: how long the service did nothing. `clockShiftMs`: how far its clock was set meanwhile, forward
 * or back; what is due moves with it, so that it comes neither early nor late.
 */
export interface TimeAway {
  readonly elapsedMs: number;
  readonly clockShiftMs: number;
}

/** Gives a run its time back: its lease is full again, and the time that it may take, or wait, is as it was. */
export function runAfterAbsence(draft: UnitOfWork, runId: string, away: TimeAway): Outcome<null> {
  draft.need({ want: 'run', runId });
  const run = draft.family.runs.get(runId);
  if (run === undefined || hasEnded(run)) return accepted(null);
  const { elapsedMs, clockShiftMs } = away;
  if (run.status === 'pending') {
    if (elapsedMs === 0 && clockShiftMs === 0) return accepted(null);
    draft.putRun({
      ...run,
      availableAt: run.availableAt + clockShiftMs,
      dueAt: run.dueAt === null ? null : run.dueAt + clockShiftMs + elapsedMs,
    });
    return accepted(null);
  }
  const moved = {
    ...run,
    startedAt: run.startedAt === null ? null : run.startedAt + clockShiftMs,
    timeoutMs: run.timeoutMs === null ? null : run.timeoutMs + elapsedMs,
  };
  draft.putRun(leaseExtended(moved, draft.now, draft.context.limits));
  return accepted(null);
}

/** The same for an external session: it has its time to answer a request, or to give a sign of life, again. */
export function completionAfterAbsence(draft: UnitOfWork, sessionId: string, away: TimeAway): Outcome<null> {
  if (draft.findDesk(sessionId) === null) return accepted(null);
  const completion = draft.completion(sessionId);
  const watched = isWatched(completion);
  const elapsedMs = completion.status === 'pending' || watched ? away.elapsedMs : 0;
  const byMs = elapsedMs + away.clockShiftMs;
  if (completion.dueAt !== null && byMs !== 0) {
    // What it sent meanwhile was not heard: it has its whole time to send it again.
    const whole = watched && elapsedMs > 0 ? (lostAt(draft.desk(sessionId).session, draft) ?? 0) : 0;
    draft.putCompletion({ ...completion, dueAt: Math.max(completion.dueAt + byMs, whole) });
  }
  return accepted(null);
}

/** The same for a message to a receiver: it is tried for as long as it was to be, and at the time that it was to be. */
export function deliveryAfterAbsence(draft: UnitOfWork, deliveryId: string, away: TimeAway): Outcome<null> {
  draft.need({ want: 'delivery', deliveryId });
  const delivery = draft.family.deliveries.get(deliveryId);
  if (delivery?.endedAt !== null || delivery.dueAt === null) return accepted(null);
  const { elapsedMs, clockShiftMs } = away;
  draft.put(
    'delivery',
    {
      ...delivery,
      dueAt: delivery.dueAt + clockShiftMs,
      expiresAt: delivery.expiresAt + clockShiftMs + elapsedMs,
    },
    delivery,
  );
  return accepted(null);
}

/** The same for a destination that rests after its failures. */
export function destinationAfterAbsence(draft: UnitOfWork, origin: string, away: TimeAway): Outcome<null> {
  const destination = draft.family.destinations.get(origin);
  if (destination === undefined || destination.until === null) return accepted(null);
  draft.put('destination', { ...destination, until: destination.until + away.clockShiftMs }, destination);
  return accepted(null);
}
