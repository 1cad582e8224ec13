// Gives work to a session, and stops its work.
import { apply } from '../completion/apply-event.js';
import { afterSettling, type AfterSettling } from '../transactions/after-settling.js';
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import { ok, type Result } from '../errors.js';
import type { JsonObject } from '../json/json.js';
import type { CompletionSettings, Demands, Run, RunType, Session } from '../records/records.js';
import { NO_RESULT, runEnded } from './end.js';
import { isUnderWay, newRun, noRun, stoppingByRequest } from '../lifecycle/run.js';
import { findSession, noSession } from '../sessions/create.js';
import { endWork } from '../sessions/end.js';
import { generationForNewWork } from '../sessions/generation.js';
import { sessionWith } from '../lifecycle/session.js';

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
  if (underWay.length === 0) endWork(unit, sessionId, why);
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
