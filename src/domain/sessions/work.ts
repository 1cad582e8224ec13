// Gives work to a session, stops its work, and deletes sessions.
import { apply } from '../completion/conduct.js';
import { afterSettling, type AfterSettling } from '../transactions/after-settling.js';
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import { accepted, refused, type Outcome } from '../errors.js';
import type { JsonObject } from '../json/json.js';
import type { CompletionSettings, Demands, Run, RunType, Session } from '../records/records.js';
import { NO_RESULT, runEnded } from '../runs/end.js';
import { isUnderWay, newRun, stopping } from '../runs/lifecycle.js';
import { findSession, noSession } from './create.js';
import { deleteState } from '../states/create.js';
import { generationForNewWork } from './generation.js';
import { sessionWith } from './status.js';

export interface WorkCommand {
  readonly type: RunType;
  readonly prompt: string;
  readonly timeoutMs: number | null;
  readonly metadata: JsonObject;
  readonly demands?: Demands | undefined;
  /** For the generation that this begins; the session's own if absent. */
  readonly settings?: CompletionSettings | undefined;
  readonly callback?: boolean | undefined;
}

/** Queues a work run. It waits while another run of the session is in progress. */
export function queueWork(draft: UnitOfWork, session: Session, command: WorkCommand): Run {
  const generation = generationForNewWork(draft, session.sessionId, command);
  const run = newRun(
    {
      runId: draft.context.newId('run'),
      type: command.type,
      purpose: 'work',
      session: draft.desk(session.sessionId).session,
      generation,
      prompt: command.prompt,
      timeoutMs: command.timeoutMs,
      delayMs: 0,
      metadata: command.metadata,
      demands: command.demands,
    },
    draft.now,
    draft.context.limits,
  );
  draft.putRun(run);
  return run;
}

/**
 * Stops a session: removes waiting runs from the queue and tells the run in progress to stop.
 *
 * @returns The session, which becomes `stopped` when its stopping run has ended; or `session_not_found`.
 */
export function stopSession(draft: UnitOfWork, idOrName: string): Outcome<AfterSettling<Session>> {
  const session = findSession(draft, idOrName);
  if (session === null) return noSession(idOrName);
  const { sessionId } = session;
  const underWay = draft
    .desk(sessionId)
    .runs.filter((run) => isUnderWay(run) && run.generation === session.generation);
  for (const run of underWay) {
    if (run.status !== 'stopping') draft.putRun(stopping(run, 'requested'));
    else if (run.stopReason !== 'requested') draft.putRun({ ...run, stopReason: 'requested' });
  }
  if (underWay.length === 0) stopNow(draft, session);
  for (const run of draft.desk(sessionId).runs.filter((one) => one.status === 'pending')) {
    const end = { status: 'stopped', error: 'The session was stopped.', cause: null } as const;
    runEnded(draft, { ...run, stopReason: 'requested' }, end, NO_RESULT);
  }
  if (underWay.length === 0) workOver(draft, sessionId);
  return accepted(afterSettling(() => draft.desk(sessionId).session));
}

/** Stops a session without a run in progress, and skips its state update. */
function stopNow(draft: UnitOfWork, session: Session): void {
  const { sessionId } = session;
  draft.putSession(sessionWith(session, 'stopped', draft.now));
  const { status, workOutcome } = draft.completion(sessionId);
  const wouldBeAsked =
    workOutcome !== null &&
    session.parentSessionId !== null &&
    draft.tree(session.rootSessionId).stateId !== null;
  if (status === 'pending' || (status === 'none' && wouldBeAsked)) {
    apply(draft, sessionId, { type: 'skip', reason: 'The session was stopped.' });
  }
}

/** Ends the work of the present generation. */
function workOver(draft: UnitOfWork, sessionId: string): void {
  if (draft.completion(sessionId).workOutcome === null) {
    apply(draft, sessionId, {
      type: 'work_ended',
      outcome: 'stopped',
      resultText: null,
      resultData: null,
      error: null,
      cause: null,
    });
  }
}

/**
 * Stops one run. A run that has ended stays as it is.
 *
 * @returns The run; or `run_not_found`.
 */
export function stopRun(draft: UnitOfWork, runId: string): Outcome<Run> {
  draft.need({ want: 'run', runId });
  const run = draft.family.runs.get(runId);
  if (run === undefined) return refused('run_not_found', `There is no run ${runId}.`);
  const stops = run.status === 'stopping';
  if (run.completedAt !== null || (stops && run.stopReason !== 'timeout')) return accepted(run);
  if (isUnderWay(run)) {
    const told: Run = stops ? { ...run, stopReason: 'requested' } : stopping(run, 'requested');
    draft.putRun(told);
    return accepted(told);
  }
  const end = { status: 'stopped', error: 'The run was stopped.', cause: null } as const;
  return accepted(runEnded(draft, { ...run, stopReason: 'requested' }, end, NO_RESULT));
}

/**
 * Hides a session and frees its name.
 *
 * @returns Nothing; or `session_not_found`; or `session_busy` if a run is in progress or waiting, or its completion is
 *   pending.
 */
export function deleteSession(draft: UnitOfWork, idOrName: string): Outcome<null> {
  const session = findSession(draft, idOrName);
  if (session === null) return noSession(idOrName);
  const { runs } = draft.desk(session.sessionId);
  const completion = draft.completion(session.sessionId);
  if (runs.length > 0 || completion.status === 'pending') {
    return refused('session_busy', `${session.sessionName} has work under way; stop it first.`, {
      session_id: session.sessionId,
      runs: runs.map((run) => run.runId),
    });
  }
  if (completion.status === 'none') {
    apply(draft, session.sessionId, { type: 'skip', reason: 'The session was deleted.' });
  }
  const { session: now } = draft.desk(session.sessionId);
  draft.putSession({ ...now, deletedAt: draft.now, updatedAt: draft.now });
  workOver(draft, session.sessionId);
  return accepted(null);
}

/**
 * The same for a root together with its workflow state, in one decision. For any other session it equals
 * `deleteSession`. The session is deleted first, so that callbacks about the end of the state resume no parent.
 *
 * @returns The id of the deleted state; `null` if there was none; or a failure of `deleteSession`.
 */
export function deleteWithState(draft: UnitOfWork, idOrName: string): Outcome<string | null> {
  const session = findSession(draft, idOrName);
  if (session === null) return noSession(idOrName);
  const deleted = deleteSession(draft, idOrName);
  if (!deleted.ok || session.parentSessionId !== null) return deleted;
  const { stateId } = draft.tree(session.rootSessionId);
  if (stateId === null) return deleted;
  const stateDeleted = deleteState(draft, stateId);
  return stateDeleted.ok ? accepted(stateId) : stateDeleted;
}
