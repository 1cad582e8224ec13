// The consequences of a run: the status of its session, the callbacks that it carries, and its completion.
import { markDead, markDelivered, markUndelivered } from '../callbacks/deliver.js';
import { apply } from '../completion/conduct.js';
import type { UpdateEnd } from '../completion/events.js';
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import { boundedText } from '../excerpt.js';
import type { JsonValue } from '../json/json.js';
import type { Completion, Run, Session, SessionStatus, WorkOutcome } from '../records/records.js';
import { sessionWith } from '../sessions/status.js';
import { isPermanent, mayPass } from './failure-cause.js';
import { ended, requeued, started, type RunEnd } from './lifecycle.js';

/** The output of a run. */
export interface RunResult {
  readonly resultText: string | null;
  readonly resultData: JsonValue;
}

/** What the runner knows of the session once the run has started. */
export interface Whereabouts {
  readonly hostname: string | null;
  readonly executorType: string | null;
  readonly executorSessionId: string | null;
}

/** The run has started. */
export function runStarted(draft: UnitOfWork, run: Run, where: Whereabouts): Run {
  const running = started(run, draft.now);
  draft.putRun(running);
  markDelivered(draft, running);
  const { session } = draft.desk(run.sessionId);
  draft.putSession(
    sessionWith(session, 'running', draft.now, {
      hostname: where.hostname ?? session.hostname,
      executorType: where.executorType ?? session.executorType,
      executorSessionId: where.executorSessionId ?? session.executorSessionId,
      lastResumedAt: run.type === 'resume_session' ? draft.now : session.lastResumedAt,
    }),
  );
  if (run.purpose !== 'state_update') apply(draft, run.sessionId, { type: 'work_began' });
  return running;
}

/**
 * Returns the run to the queue and its callbacks to undelivered. An update run that is no longer needed ends
 * instead.
 */
export function runTakenBack(draft: UnitOfWork, run: Run, error: string, delayMs: number): Run {
  if (run.purpose === 'state_update' && !isAwaited(draft, run)) {
    return runEnded(draft, run, { status: 'failed', error, cause: 'environment' }, NO_RESULT);
  }
  const waiting = requeued(run, error, delayMs, draft.now, draft.context.limits);
  draft.putRun(waiting);
  if (run.purpose === 'state_update') putStatus(draft, run.sessionId, restingStatus(draft, run.sessionId));
  markUndelivered(draft, run);
  return waiting;
}

/** The output of a run that never started or was lost. */
export const NO_RESULT: RunResult = { resultText: null, resultData: null };

/** The run has ended, for any reason. */
export function runEnded(draft: UnitOfWork, run: Run, end: RunEnd, result: RunResult): Run {
  const over = ended(run, end, draft.now);
  if (neverReached(run, end)) markDead(draft, run, end.error ?? `The run that carried it was ${end.status}.`);
  else markDelivered(draft, run);
  draft.putRun(over);
  if (run.purpose === 'state_update') updateRunEnded(draft, over, end);
  else workRunEnded(draft, run, end, boundedResult(result, draft.context.limits.resultBytesMax));
  return over;
}

/** True if the parent did not see the callbacks of the run: it never started, or was lost with its runner. */
function neverReached(run: Run, end: RunEnd): boolean {
  if (run.purpose !== 'callback' || end.status === 'completed') return false;
  return run.startedAt === null || (end.status === 'failed' && end.cause !== 'agent');
}

function boundedResult(result: RunResult, charactersMax: number): RunResult {
  const data = JSON.stringify(result.resultData);
  return {
    resultText: result.resultText === null ? null : boundedText(result.resultText, charactersMax),
    resultData: data.length <= charactersMax ? result.resultData : null,
  };
}

function workRunEnded(draft: UnitOfWork, run: Run, end: RunEnd, result: RunResult): void {
  const { session, runs } = draft.desk(run.sessionId);
  const completion = draft.completion(run.sessionId, run.generation);
  const present = run.generation === session.generation;
  const goesOn = runs.some((one) => one.generation === run.generation && one.purpose !== 'state_update');
  if (run.status === 'pending' && goesOn) return;
  if (saysNothing(run, end) && completion.workOutcome !== null) {
    if (present && session.status !== 'stopped')
      putStatus(draft, run.sessionId, statusAfter(completion.workOutcome));
    return;
  }
  if (present) putStatus(draft, run.sessionId, statusAfter(end.status));
  apply(
    draft,
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
  if (end.status === 'stopped') skipStopped(draft, run.sessionId);
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

function updateRunEnded(draft: UnitOfWork, run: Run, end: RunEnd): void {
  // A cancelled update run may end when the session is already at a later generation.
  if (run.generation !== draft.desk(run.sessionId).session.generation) return;
  const completion = draft.completion(run.sessionId);
  const stopped = end.status === 'stopped' && run.stopReason === 'requested';
  putStatus(draft, run.sessionId, stopped ? 'stopped' : restingStatus(draft, run.sessionId));
  if (isOpenAttemptOf(completion, run)) {
    apply(draft, run.sessionId, { type: 'update_ended', how: howEnded(run, end), error: end.error });
  }
  if (stopped) skipStopped(draft, run.sessionId);
}

const VALUE_EXPECTED =
  'a JSON value within the bounds of a state, without members called __proto__, constructor or prototype';

/** The value of an update run was refused before it could be written. The next prompt says why. */
export function valueRefused(draft: UnitOfWork, run: Run, message: string): void {
  if (run.purpose !== 'state_update' || run.generation !== draft.desk(run.sessionId).session.generation)
    return;
  const completion = draft.completion(run.sessionId);
  if (!isOpenAttemptOf(completion, run)) return;
  const pointer = completion.settings.contract?.pointer ?? '';
  apply(draft, run.sessionId, {
    type: 'write_refused',
    violations: [{ pointer, keyword: 'refused', message, expected: VALUE_EXPECTED }],
  });
}

/** A stopped session is not asked again. */
function skipStopped(draft: UnitOfWork, sessionId: string): void {
  if (draft.completion(sessionId).status === 'pending') {
    apply(draft, sessionId, { type: 'skip', reason: 'The session was stopped.' });
  }
}

/** True if the completion waits for this update run. */
function isAwaited(draft: UnitOfWork, run: Run): boolean {
  const completion = draft.completion(run.sessionId);
  return completion.status === 'pending' && isOpenAttemptOf(completion, run);
}

function isOpenAttemptOf(completion: Completion, run: Run): boolean {
  const last = completion.attempts.at(-1);
  return last?.outcome === 'open' && last.runId === run.runId;
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
      return mayPass(end.cause) ? 'environment' : 'agent_failed';
  }
}

/** The status of a session while only its state update is in progress. */
function restingStatus(draft: UnitOfWork, sessionId: string): SessionStatus {
  return statusAfter(draft.completion(sessionId).workOutcome ?? 'completed');
}

function statusAfter(outcome: WorkOutcome): SessionStatus {
  return outcome === 'completed' ? 'finished' : outcome === 'stopped' ? 'stopped' : 'failed';
}

function putStatus(draft: UnitOfWork, sessionId: string, status: Session['status']): void {
  const { session } = draft.desk(sessionId);
  draft.putSession(sessionWith(session, status, draft.now));
}
