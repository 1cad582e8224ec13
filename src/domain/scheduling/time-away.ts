// Adjusts deadlines after a time without timers: the service was suspended or stopped, or its clock was
// changed. No deadline counts time in which the service was not reachable.
import { needChildren } from '../callbacks/deliver.js';
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import { ok, type Result } from '../errors.js';
import { hasEnded, leaseExtended } from '../lifecycle/run.js';
import { isToPull, isWatched, lostAt } from '../sessions/signs-of-life.js';

/**
 * Milliseconds. `elapsedMs`: how long the service was inactive. `clockShiftMs`: how far its clock was set
 * meanwhile, forward or back. Timers move by that amount, so that they fire neither early nor late.
 */
export interface TimeAway {
  readonly elapsedMs: number;
  readonly clockShiftMs: number;
}

/** A clock that starts at 1970 moves what began before the service stopped to a time before that, which is none. */
const moved = (time: number, byMs: number) => Math.max(0, time + byMs);

/** Restores the time of a run: it gets a full lease, and its remaining time to work or to wait stays the same. */
export function runAfterAbsence(unit: UnitOfWork, runId: string, away: TimeAway): Result<null> {
  const run = unit.findRun(runId);
  if (run === null || hasEnded(run)) return ok(null);
  const { elapsedMs, clockShiftMs } = away;
  if (run.status === 'pending') {
    if (elapsedMs === 0 && clockShiftMs === 0) return ok(null);
    unit.putRun({
      ...run,
      availableAt: moved(run.availableAt, clockShiftMs),
      dueAt: run.dueAt === null ? null : moved(run.dueAt, clockShiftMs + elapsedMs),
    });
    return ok(null);
  }
  // Only a time limit counts from the start.
  const byMs = clockShiftMs + (run.timeoutMs === null ? 0 : elapsedMs);
  const startedAt = run.startedAt === null ? null : moved(run.startedAt, byMs);
  unit.putRun(leaseExtended({ ...run, startedAt }, unit.now, unit.context.limits));
  return ok(null);
}

/**
 * The same for an external session: its time to answer a request or to send a sign of life starts again, and callbacks keep
 * the rest of their time to be pulled.
 */
export function completionAfterAbsence(unit: UnitOfWork, sessionId: string, away: TimeAway): Result<null> {
  if (unit.findAggregate(sessionId) === null) return ok(null);
  const completion = unit.completion(sessionId);
  const watched = isWatched(completion);
  const toPull = unit.aggregate(sessionId).inbox.filter(isToPull);
  const waits = completion.status === 'pending' || watched || toPull.length > 0;
  const elapsedMs = waits ? away.elapsedMs : 0;
  const byMs = elapsedMs + away.clockShiftMs;
  if (byMs === 0) return ok(null);
  needChildren(unit, toPull);
  for (const one of toPull) {
    if (one.queuedAt !== null) unit.putCallback({ ...one, queuedAt: moved(one.queuedAt, byMs) });
  }
  if (completion.dueAt !== null) {
    // Signs of life of that time were lost: the session gets its full time to send another one.
    const whole = watched && elapsedMs > 0 ? (lostAt(unit.aggregate(sessionId).session, unit) ?? 0) : 0;
    unit.putCompletion({ ...completion, dueAt: Math.max(moved(completion.dueAt, byMs), whole) });
  }
  return ok(null);
}

/** The same for a webhook message: it keeps its remaining time and its next attempt time. */
export function deliveryAfterAbsence(unit: UnitOfWork, deliveryId: string, away: TimeAway): Result<null> {
  unit.need({ load: 'delivery', deliveryId });
  const delivery = unit.records.deliveries.get(deliveryId);
  const { elapsedMs, clockShiftMs } = away;
  if (delivery?.endedAt !== null || (elapsedMs === 0 && clockShiftMs === 0)) return ok(null);
  unit.put(
    'delivery',
    {
      ...delivery,
      dueAt: delivery.dueAt === null ? null : moved(delivery.dueAt, clockShiftMs),
      expiresAt: moved(delivery.expiresAt, clockShiftMs + elapsedMs),
    },
    delivery,
  );
  return ok(null);
}

/** The same for an origin whose circuit is open. */
export function destinationAfterAbsence(unit: UnitOfWork, origin: string, away: TimeAway): Result<null> {
  const destination = unit.records.destinations.get(origin);
  if (destination === undefined || destination.until === null) return ok(null);
  unit.put(
    'destination',
    { ...destination, until: moved(destination.until, away.clockShiftMs) },
    destination,
  );
  return ok(null);
}
