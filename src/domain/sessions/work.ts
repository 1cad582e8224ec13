// Giving work to a session, and taking it away.
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
  /** For the piece of work that this begins; the session's own where absent. */
  readonly settings?: CompletionSettings | undefined;
  readonly callback?: boolean | undefined;
}

/** Queues a run of work. While one is under way, further ones wait in line. */
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
 * Ends what a session does: waiting runs are taken out of the line, the one under way is told to stop.
 *
 * @returns The session as it is now; one whose run is still stopping becomes `stopped` when that has ended.
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

/** Nothing of the session is under way: it is stopped, and not asked for a state update any more. */
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

/** No more work will come of the session's present piece of work. */
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

/** Stops one run; a run that has ended stays as it is. */
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

/** Hides a session and frees its name. Refused while something of it is under way or in line. */
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
 * The same for a root with its workflow state, as one decision. For any other session it is `deleteSession`. The session
 * goes first: children that are told of the end of the state have then nobody to resume.
 *
 * @returns The id of the state that went with it; `null` where there was none.
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
