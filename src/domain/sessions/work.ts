// Gives work to a session, stops its work, and deletes sessions.
import { apply } from '../completion/apply-event.js';
import { afterSettling, type AfterSettling } from '../transactions/after-settling.js';
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import { ok, fail, type Result } from '../errors.js';
import type { JsonObject } from '../json/json.js';
import type { CompletionSettings, Demands, Run, RunType, Session } from '../records/records.js';
import { NO_RESULT, runEnded } from '../runs/end.js';
import { isUnderWay, newRun, noRun, stoppingByRequest } from '../runs/lifecycle.js';
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
export function queueWork(unit: UnitOfWork, session: Session, command: WorkCommand): Run {
  const generation = generationForNewWork(unit, session.sessionId, command);
  const run = newRun(
    {
      runId: unit.context.newId('run'),
      type: command.type,
      purpose: 'work',
      session: unit.aggregate(session.sessionId).session,
      generation,
      prompt: command.prompt,
      timeoutMs: command.timeoutMs,
      delayMs: 0,
      metadata: command.metadata,
      demands: command.demands,
    },
    unit.now,
    unit.context.limits,
  );
  unit.putRun(run);
  return run;
}

/**
 * Stops a session: removes waiting runs from the queue and tells the run in progress to stop.
 *
 * @param reason - Why, for its parent.
 * @returns The session, which becomes `stopped` when its stopping run has ended; or `session_not_found`.
 */
export function stopSession(
  unit: UnitOfWork,
  idOrName: string,
  reason?: string,
): Result<AfterSettling<Session>> {
  const session = findSession(unit, idOrName);
  if (session === null) return noSession(idOrName);
  const { sessionId } = session;
  const underWay = unit
    .aggregate(sessionId)
    .runs.filter((run) => isUnderWay(run) && run.generation === session.generation);
  const why = reason === undefined ? null : `The session was stopped: ${reason}`;
  for (const run of underWay) {
    if (run.status !== 'stopping' || run.stopReason !== 'requested') unit.putRun(stoppingByRequest(run, why));
  }
  if (underWay.length === 0) stopNow(unit, session, why);
  for (const run of unit.aggregate(sessionId).runs.filter((one) => one.status === 'pending')) {
    const end = { status: 'stopped', error: why ?? 'The session was stopped.', cause: null } as const;
    runEnded(unit, { ...run, stopReason: 'requested', error: why }, end, NO_RESULT);
  }
  if (underWay.length === 0) workOver(unit, sessionId, why);
  return ok(afterSettling(() => unit.aggregate(sessionId).session));
}

/** Stops a session without a run in progress, and skips its state update. */
function stopNow(unit: UnitOfWork, session: Session, why: string | null): void {
  const { sessionId } = session;
  unit.putSession(sessionWith(session, 'stopped', unit.now));
  const { status, workOutcome } = unit.completion(sessionId);
  const wouldBeAsked =
    workOutcome !== null &&
    session.parentSessionId !== null &&
    unit.tree(session.rootSessionId).stateId !== null;
  if (status === 'pending' || (status === 'none' && wouldBeAsked)) {
    apply(unit, sessionId, { type: 'skip', reason: why ?? 'The session was stopped.' });
  }
}

/** Ends the work of the present generation. */
function workOver(unit: UnitOfWork, sessionId: string, error: string | null): void {
  if (unit.completion(sessionId).workOutcome === null) {
    apply(unit, sessionId, {
      type: 'work_ended',
      outcome: 'stopped',
      resultText: null,
      resultData: null,
      error,
      cause: null,
    });
  }
}

/**
 * Stops one run. A run that has ended stays as it is.
 *
 * @param reason - Why, for the parent of its session.
 * @returns The run; or `run_not_found`.
 */
export function stopRun(unit: UnitOfWork, runId: string, reason?: string): Result<Run> {
  const run = unit.findRun(runId);
  if (run === null) return noRun(runId);
  const stops = run.status === 'stopping';
  if (run.completedAt !== null || (stops && run.stopReason !== 'timeout')) return ok(run);
  const why = reason === undefined ? null : `The run was stopped: ${reason}`;
  if (isUnderWay(run)) {
    const stopping = stoppingByRequest(run, why);
    unit.putRun(stopping);
    return ok(stopping);
  }
  const end = { status: 'stopped', error: why ?? 'The run was stopped.', cause: null } as const;
  return ok(runEnded(unit, { ...run, stopReason: 'requested', error: why }, end, NO_RESULT));
}

/**
 * Hides a session and frees its name.
 *
 * @returns Nothing; or `session_not_found`; or `session_busy` if a run is in progress or waiting, or its completion is
 *   pending.
 */
export function deleteSession(unit: UnitOfWork, idOrName: string): Result<null> {
  const session = findSession(unit, idOrName);
  if (session === null) return noSession(idOrName);
  const { runs } = unit.aggregate(session.sessionId);
  const completion = unit.completion(session.sessionId);
  if (runs.length > 0 || completion.status === 'pending') {
    return fail('session_busy', `${session.sessionName} has work under way; stop it first.`, {
      session_id: session.sessionId,
      runs: runs.map((run) => run.runId),
    });
  }
  if (completion.status === 'none') {
    apply(unit, session.sessionId, { type: 'skip', reason: 'The session was deleted.' });
  }
  const { session: now } = unit.aggregate(session.sessionId);
  unit.putSession({ ...now, deletedAt: unit.now, updatedAt: unit.now });
  workOver(unit, session.sessionId, null);
  return ok(null);
}

/**
 * The same for a root together with its workflow state, in one decision. For any other session it equals
 * `deleteSession`. The session is deleted first, so that callbacks about the end of the state resume no parent.
 *
 * @returns The id of the deleted state; `null` if there was none; or a failure of `deleteSession`.
 */
export function deleteWithState(unit: UnitOfWork, idOrName: string): Result<string | null> {
  const session = findSession(unit, idOrName);
  if (session === null) return noSession(idOrName);
  const deleted = deleteSession(unit, idOrName);
  if (!deleted.ok || session.parentSessionId !== null) return deleted;
  const { stateId } = unit.tree(session.rootSessionId);
  if (stateId === null) return deleted;
  const stateDeleted = deleteState(unit, stateId);
  return stateDeleted.ok ? ok(stateId) : stateDeleted;
}
