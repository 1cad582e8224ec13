// The consequences of a run: the status of its session, the callbacks that it carries, and its completion.
import { endPulls, markDead, markDelivered, markUndelivered } from '../callbacks/deliver.js';
import { apply } from '../completion/apply-event.js';
import { openAttemptOf } from '../completion/attempts.js';
import type { UpdateEnd } from '../completion/events.js';
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import { boundedText } from '../excerpt.js';
import type { JsonValue } from '../json/json.js';
import type { Completion, Run, Session, SessionStatus, WorkOutcome } from '../records/records.js';
import { sessionWith } from '../lifecycle/session.js';
import { isPermanent, isRetryable } from '../completion/failure-cause.js';
import { ended, requeued, started, whyStopped, type RunEnd } from '../lifecycle/run.js';

/** The output of a run. */
export interface RunResult {
  readonly resultText: string | null;
  readonly resultData: JsonValue;
}

/** What the runner knows of the session once the run has started. */
interface Whereabouts {
  readonly hostname: string | null;
  readonly executorType: string | null;
  readonly executorSessionId: string | null;
}

/** The run has started. */
export function runStarted(unit: UnitOfWork, run: Run, where: Whereabouts): Run {
  const running = started(run, unit.now);
  unit.putRun(running);
  markDelivered(unit, running);
  const { session } = unit.aggregate(run.sessionId);
  unit.putSession(
    sessionWith(session, 'running', unit.now, {
      hostname: where.hostname ?? session.hostname,
      executorType: where.executorType ?? session.executorType,
      executorSessionId: where.executorSessionId ?? session.executorSessionId,
      lastResumedAt: run.type === 'resume_session' ? unit.now : session.lastResumedAt,
    }),
  );
  if (run.purpose !== 'state_update') apply(unit, run.sessionId, { type: 'work_began' });
  return running;
}

/**
 * Returns the run to the queue and its callbacks to undelivered. An update run that is no longer needed ends
 * instead.
 */
export function runRequeued(unit: UnitOfWork, run: Run, error: string, delayMs: number): Run {
  if (run.purpose === 'state_update' && !isAwaited(unit, run)) {
    return runEnded(unit, run, { status: 'failed', error, cause: 'environment' }, NO_RESULT);
  }
  const waiting = requeued(run, error, delayMs, unit.now, unit.context.limits);
  unit.putRun(waiting);
  if (run.purpose === 'state_update') putStatus(unit, run.sessionId, restingStatus(unit, run.sessionId));
  markUndelivered(unit, run);
  return waiting;
}

/** The output of a run that never started or was lost. */
export const NO_RESULT: RunResult = { resultText: null, resultData: null };

/** The run has ended, for any reason. */
export function runEnded(unit: UnitOfWork, run: Run, end: RunEnd, result: RunResult): Run {
  const endedRun = ended(run, end, unit.now);
  endPulls(unit, run, isLost(end));
  if (neverReached(run, end)) markDead(unit, run, end.error ?? `The run that carried it was ${end.status}.`);
  else markDelivered(unit, run);
  unit.putRun(endedRun);
  if (run.purpose === 'state_update') updateRunEnded(unit, endedRun, end, whyStopped(run));
  else workRunEnded(unit, run, end, withBoundedText(result, unit.context.limits.resultBytesMax));
  return endedRun;
}

/** True if the parent did not see the callbacks of the run: it never started, or was lost with its runner. */
function neverReached(run: Run, end: RunEnd): boolean {
  if (run.purpose !== 'callback' || end.status === 'completed') return false;
  return run.startedAt === null || isLost(end);
}

/** True if what the run had received does not exist any more. */
function isLost(end: RunEnd): boolean {
  return end.status === 'failed' && end.cause !== 'agent';
}

function withBoundedText({ resultText, resultData }: RunResult, charactersMax: number): RunResult {
  return { resultText: resultText === null ? null : boundedText(resultText, charactersMax), resultData };
}

function workRunEnded(unit: UnitOfWork, run: Run, end: RunEnd, result: RunResult): void {
  const { session, runs } = unit.aggregate(run.sessionId);
  const completion = unit.completion(run.sessionId, run.generation);
  const present = run.generation === session.generation;
  const goesOn = runs.some((one) => one.generation === run.generation && one.purpose !== 'state_update');
  if (run.status === 'pending' && goesOn) return;
  if (saysNothing(run, end) && completion.workOutcome !== null) {
    if (present && session.status !== 'stopped')
      putStatus(unit, run.sessionId, statusAfter(completion.workOutcome));
    return;
  }
  if (present) putStatus(unit, run.sessionId, statusAfter(end.status));
  apply(
    unit,
    run.sessionId,
    {
      type: 'work_ended',
      outcome: end.status,
      resultText: result.resultText,
      resultData: result.resultData,
      error: end.error,
      cause: end.cause,
    },
    run.generation,
  );
  if (present && end.status === 'stopped') skipStopped(unit, run.sessionId, whyStopped(run));
}

/**
 * True for a run that was removed from the queue, or a callback run that never reached the parent: work that
 * has ended before keeps its result.
 */
function saysNothing(run: Run, end: RunEnd): boolean {
  return end.status === 'stopped'
    ? run.status === 'pending'
    : run.purpose === 'callback' && neverReached(run, end);
}

function updateRunEnded(unit: UnitOfWork, run: Run, end: RunEnd, why: string | null): void {
  const { session } = unit.aggregate(run.sessionId);
  if (run.generation !== session.generation) {
    // It was cancelled, and the session is at a later generation, whose runs have waited for its end.
    if (session.status === 'running') putStatus(unit, run.sessionId, 'finished');
    return;
  }
  const completion = unit.completion(run.sessionId);
  const stopped = end.status === 'stopped' && run.stopReason === 'requested';
  putStatus(unit, run.sessionId, stopped ? 'stopped' : restingStatus(unit, run.sessionId));
  if (isOpenAttemptOf(completion, run)) {
    apply(unit, run.sessionId, { type: 'update_ended', how: howEnded(run, end), error: end.error });
  }
  if (stopped) skipStopped(unit, run.sessionId, why);
}

const VALUE_EXPECTED =
  'a JSON value within the bounds of a state, without members called __proto__, constructor or prototype';

/** The value of an update run was refused before it could be written. The next prompt says why. */
export function valueFailure(unit: UnitOfWork, run: Run, message: string): void {
  if (run.purpose !== 'state_update' || run.generation !== unit.aggregate(run.sessionId).session.generation)
    return;
  const completion = unit.completion(run.sessionId);
  if (!isOpenAttemptOf(completion, run)) return;
  const pointer = completion.settings.contract?.pointer ?? '';
  apply(unit, run.sessionId, {
    type: 'write_refused',
    violations: [{ pointer, keyword: 'refused', message, expected: VALUE_EXPECTED }],
  });
}

/** A stopped session is not asked again. */
function skipStopped(unit: UnitOfWork, sessionId: string, why: string | null): void {
  if (unit.completion(sessionId).status === 'pending') {
    apply(unit, sessionId, { type: 'skip', reason: why ?? 'The session was stopped.' });
  }
}

/** True if the completion waits for this update run. */
function isAwaited(unit: UnitOfWork, run: Run): boolean {
  const completion = unit.completion(run.sessionId);
  return completion.status === 'pending' && isOpenAttemptOf(completion, run);
}

function isOpenAttemptOf(completion: Completion, run: Run): boolean {
  return openAttemptOf(completion)?.runId === run.runId;
}

function howEnded(run: Run, end: RunEnd): UpdateEnd {
  switch (end.status) {
    case 'completed':
      return 'ended';
    case 'timed_out':
      return 'timed_out';
    case 'stopped':
      return run.stopReason === null ? 'environment' : 'cancelled';
    case 'failed':
      if (isPermanent(end.cause)) return end.cause;
      return isRetryable(end.cause) ? 'environment' : 'agent_failed';
  }
}

/** The status of a session while only its state update is in progress. */
function restingStatus(unit: UnitOfWork, sessionId: string): SessionStatus {
  return statusAfter(unit.completion(sessionId).workOutcome ?? 'completed');
}

function statusAfter(outcome: WorkOutcome): SessionStatus {
  return outcome === 'completed' ? 'finished' : outcome === 'stopped' ? 'stopped' : 'failed';
}

function putStatus(unit: UnitOfWork, sessionId: string, status: Session['status']): void {
  const { session } = unit.aggregate(sessionId);
  unit.putSession(sessionWith(session, status, unit.now));
}
