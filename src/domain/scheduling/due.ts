// The changes that timers cause: expired leases, runs that exceed their timeout or that no runner claims,
// unanswered requests.
import { apply } from '../completion/apply-event.js';
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import { ok, type Result } from '../errors.js';
import type { Run } from '../records/records.js';
import { NO_RESULT, runEnded, runRequeued } from '../runs/end.js';
import {
  hasEnded,
  isNextInQueue,
  stopping,
  timeoutAtOf,
  unclaimedAt,
  withDeadline,
} from '../lifecycle/run.js';
import { stoppedEnd } from '../runs/report.js';
import { pullingOver, silenceOver } from './silence.js';
import { hasRuns, waitsForOthers } from '../sessions/waits.js';
import { isWatched, watchWork } from '../sessions/signs-of-life.js';

/** A timer of a run fires. Checks the run again: it may have changed since the timer was found. */
export function runDue(unit: UnitOfWork, runId: string): Result<null> {
  const run = unit.findRun(runId);
  if (run === null || hasEnded(run) || run.dueAt === null || run.dueAt > unit.now) return ok(null);
  if (run.status === 'pending') {
    const { session, runs } = unit.aggregate(run.sessionId);
    // A run that waits for others of its session has not been offered to any runner yet.
    if (!isNextInQueue(run, session.generation, runs)) {
      unit.putRun({ ...run, dueAt: unclaimedAt(run, unit.now, unit.context.limits) });
      return ok(null);
    }
    runEnded(
      unit,
      run,
      { status: 'failed', error: 'No runner that fits took the run in time.', cause: 'environment' },
      NO_RESULT,
    );
  } else if (run.leaseExpiresAt !== null && run.leaseExpiresAt <= unit.now) {
    leaseExpired(unit, run);
  } else if (run.status === 'stopping') {
    // Its runner is connected, but did not end the run in time.
    runEnded(unit, run, stoppedEnd(run), NO_RESULT);
  } else if ((timeoutAtOf(run) ?? Infinity) <= unit.now) {
    unit.putRun(stopping(run, 'timeout'));
  }
  return ok(null);
}

/**
 * A run that is stopping because of its timeout may not have had its full time if its runner was lost, so it
 * may be retried.
 */
function leaseExpired(unit: UnitOfWork, run: Run): void {
  if (run.status === 'stopping' && run.stopReason !== 'timeout') {
    runEnded(unit, run, stoppedEnd(run), NO_RESULT);
  } else if (run.attempt < unit.context.limits.runLeaseAttemptsMax) {
    runRequeued(unit, run, 'The runner was lost.', 0);
  } else {
    const error = `The runner was lost, ${String(run.attempt)} times.`;
    runEnded(unit, run, { status: 'failed', error, cause: 'environment' }, NO_RESULT);
  }
}

/**
 * A timer of a completion fires: a session was not started, sent no sign of life, did not pull its callbacks or did not
 * answer its request in time, or the child has written and its result can be released.
 */
export function completionDue(unit: UnitOfWork, sessionId: string): Result<null> {
  if (unit.findAggregate(sessionId) === null) return ok(null);
  const { dueAt } = unit.completion(sessionId);
  if (dueAt === null || dueAt > unit.now) return ok(null);
  restoreOutcome(unit, sessionId);
  const completion = unit.completion(sessionId);
  if (isWatched(completion)) {
    silenceOver(unit, sessionId);
    return ok(null);
  }
  if (pullingOver(unit, sessionId)) return ok(null);
  const how = completion.status === 'completed' ? 'ended' : 'timed_out';
  apply(unit, sessionId, { type: 'update_ended', how, error: null });
  const after = unit.completion(sessionId);
  if (after.dueAt === null || after.dueAt > unit.now) return ok(null);
  // Other work of the session is in progress, or its children work: the completion continues when the last of
  // them ends.
  if (waitsForOthers(unit, sessionId)) unit.putCompletion({ ...after, dueAt: null });
  else unit.touched.add(sessionId);
  return ok(null);
}

/**
 * A session settles although nothing has happened to it: an earlier version of the rules may have left it with something to
 * wait for and no time limit, or an edit of the database has removed that. A request whose run is not there ends. A completion
 * that was released without its callback is released again. A run without a deadline gets one, and so does work.
 *
 * @throws RecordDamagedError - The session, its parent, or the completion of one of them is not there.
 */
export function settleAgain(unit: UnitOfWork, sessionId: string): Result<null> {
  const { session, runs } = unit.aggregate(sessionId);
  const { parentSessionId } = session;
  for (const run of runs) {
    const timed = withDeadline(run, unit.now, unit.context.limits);
    if (timed !== run) unit.putRun(timed);
  }
  if (parentSessionId !== null) unit.completion(parentSessionId);
  reopenUnsent(unit, sessionId);
  restoreOutcome(unit, sessionId);
  const { status, dueAt } = unit.completion(sessionId);
  if (status === 'pending' && dueAt === null && !hasRuns(unit, sessionId))
    apply(unit, sessionId, { type: 'update_ended', how: 'environment', error: RUN_MISSING });
  else if (dueAt === null) watchWork(unit, sessionId);
  unit.touched.add(sessionId);
  return ok(null);
}

const RUN_MISSING = 'The run of the request is not there.';

/**
 * Only a session whose work has ended is asked for its result, or has it recorded. If the completion does not say how the work
 * ended, the status of the session does.
 */
function restoreOutcome(unit: UnitOfWork, sessionId: string): void {
  const { status, workOutcome, workError, workCause } = unit.completion(sessionId);
  if (workOutcome !== null || (status !== 'pending' && status !== 'completed')) return;
  if (hasRuns(unit, sessionId)) return;
  const { session } = unit.aggregate(sessionId);
  const isEnded = session.status === 'failed' || session.status === 'stopped';
  apply(unit, sessionId, {
    type: 'work_ended',
    outcome: isEnded ? session.status : 'completed',
    // What is recorded of the result stays.
    resultText: null,
    resultData: null,
    error: workError,
    cause: workCause,
  });
}

/** A callback that is still held proves that its parent was not told: the release did not happen. */
function reopenUnsent(unit: UnitOfWork, sessionId: string): void {
  const completion = unit.completion(sessionId);
  const isUnsent = unit
    .aggregate(sessionId)
    .outbox.some(
      ({ childGeneration, status }) => childGeneration === completion.generation && status === 'held',
    );
  if (completion.releasedAt !== null && isUnsent) unit.putCompletion({ ...completion, releasedAt: null });
}
