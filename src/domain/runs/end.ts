// What follows from a run: its session moves on, callbacks that it carried are delivered or not, its completion hears of it.
import { deliverCallbacks, markDead, markDelivered, markUndelivered } from '../callbacks/deliver.js';
import { apply, settle } from '../completion/conduct.js';
import type { UpdateEnd } from '../completion/machine.js';
import type { Draft } from '../draft.js';
import { boundedText } from '../excerpt.js';
import type { JsonValue } from '../json.js';
import type { Completion, Run, Session, SessionStatus, WorkOutcome } from '../records.js';
import { ended, requeued, started, type RunEnd } from './lifecycle.js';

/** What a run left behind. */
export interface RunResult {
  readonly resultText: string | null;
  readonly resultData: JsonValue;
}

/** What the runner knows of the session once the run is under way. */
export interface Whereabouts {
  readonly hostname: string | null;
  readonly executorType: string | null;
  readonly executorSessionId: string | null;
}

/** The run is under way. */
export function runStarted(draft: Draft, run: Run, where: Whereabouts): Run {
  const running = started(run, draft.now);
  draft.putRun(running);
  markDelivered(draft, running);
  const { session } = draft.desk(run.sessionId);
  draft.putSession({
    ...session,
    status: 'running',
    hostname: where.hostname ?? session.hostname,
    executorType: where.executorType ?? session.executorType,
    executorSessionId: where.executorSessionId ?? session.executorSessionId,
    lastResumedAt: run.type === 'resume_session' ? draft.now : session.lastResumedAt,
    updatedAt: draft.now,
  });
  if (run.purpose !== 'state_update') apply(draft, run.sessionId, { type: 'work_began' });
  return running;
}

/** The run goes back into the line; what it carried was not delivered. */
export function runTakenBack(draft: Draft, run: Run, error: string, delayMs: number): Run {
  const waiting = requeued(run, error, delayMs, draft.now, draft.context.limits);
  draft.putRun(waiting);
  markUndelivered(draft, run);
  return waiting;
}

/** The run is over, for whatever reason. */
export function runEnded(draft: Draft, run: Run, end: RunEnd, result: RunResult): Run {
  const over = ended(run, end, draft.now);
  if (neverReached(run, end)) markDead(draft, run, end.error ?? `The run that carried it was ${end.status}.`);
  draft.putRun(over);
  const bounded = boundedResult(result, draft.context.limits.resultBytesMax);
  if (run.purpose === 'state_update') {
    updateRunEnded(draft, over, end);
  } else {
    workRunEnded(draft, over, end, bounded);
  }
  deliverCallbacks(draft, run.sessionId);
  settle(draft, run.sessionId);
  return over;
}

/** The parent did not see what the run carried: it never began, or was lost together with its runner. */
function neverReached(run: Run, end: RunEnd): boolean {
  return (
    run.purpose === 'callback' &&
    (run.startedAt === null || (end.status === 'failed' && end.cause !== 'agent'))
  );
}

function boundedResult(result: RunResult, charactersMax: number): RunResult {
  const data = JSON.stringify(result.resultData);
  return {
    resultText: result.resultText === null ? null : boundedText(result.resultText, charactersMax),
    resultData: data.length <= charactersMax ? result.resultData : null,
  };
}

function workRunEnded(draft: Draft, run: Run, end: RunEnd, result: RunResult): void {
  putStatus(draft, run.sessionId, statusAfter(end.status));
  apply(draft, run.sessionId, {
    type: 'work_ended',
    outcome: end.status,
    resultText: result.resultText,
    resultData: result.resultData,
    error: end.error,
  });
}

function updateRunEnded(draft: Draft, run: Run, end: RunEnd): void {
  const completion = draft.completion(run.sessionId);
  const stopped = end.status === 'stopped' && run.stopReason === 'requested';
  putStatus(draft, run.sessionId, stopped ? 'stopped' : statusAfter(completion.workOutcome ?? 'completed'));
  if (isOpenAttemptOf(completion, run)) {
    apply(draft, run.sessionId, { type: 'update_ended', how: howEnded(end), error: end.error });
  }
  if (stopped && draft.completion(run.sessionId).status === 'pending') {
    apply(draft, run.sessionId, { type: 'skip', reason: 'The session was stopped.' });
  }
}

function isOpenAttemptOf(completion: Completion, run: Run): boolean {
  const last = completion.attempts.at(-1);
  return last?.outcome === 'open' && last.runId === run.runId;
}

function howEnded(end: RunEnd): UpdateEnd {
  switch (end.status) {
    case 'completed':
      return 'ended';
    case 'timed_out':
      return 'timed_out';
    case 'stopped':
      return 'cancelled';
    case 'failed':
      return end.cause === 'agent' || end.cause === null ? 'agent_failed' : 'environment';
  }
}

function statusAfter(outcome: WorkOutcome): SessionStatus {
  return outcome === 'completed' ? 'finished' : outcome === 'stopped' ? 'stopped' : 'failed';
}

function putStatus(draft: Draft, sessionId: string, status: Session['status']): void {
  const { session } = draft.desk(sessionId);
  draft.putSession({ ...session, status, updatedAt: draft.now });
}
