// The generations of a session. New work after the last was done is a new generation, with its own completion
// and callback.
import { withSettings } from '../completion/changes.js';
import { isOver } from '../completion/attempts.js';
import { newCompletion } from '../completion/new-completion.js';
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import type { Completion, CompletionSettings, Session } from '../records/records.js';
import { lostAt } from './signs-of-life.js';

/** The generation that new work joins: the present one while it works, else the one that waits for its end. */
function joinedBy(unit: UnitOfWork, sessionId: string): Completion | undefined {
  const { session, completions } = unit.aggregate(sessionId);
  const present = unit.completion(sessionId);
  return present.workOutcome === null && present.releasedAt === null
    ? present
    : completions.find((one) => one.generation > session.generation);
}

/** The terms of new work that brings none: those of the generation that it joins, else of the present one. */
export function termsOfNewWork(unit: UnitOfWork, sessionId: string): CompletionSettings {
  return (joinedBy(unit, sessionId) ?? unit.completion(sessionId)).settings;
}

/**
 * The generation that new work belongs to. Work that arrives while a generation is still working joins it.
 * Later work creates the next generation, which begins after the present one is released.
 */
export function generationForNewWork(
  unit: UnitOfWork,
  sessionId: string,
  options: { settings?: CompletionSettings | undefined; callback?: boolean | undefined } = {},
): number {
  const { session } = unit.aggregate(sessionId);
  const joined = joinedBy(unit, sessionId);
  if (joined !== undefined) {
    const agreed = options.settings === undefined ? joined : withSettings(joined, options.settings);
    // The run that a child was to get has a time limit of its own.
    const begun = session.external || agreed.dueAt === null ? agreed : { ...agreed, dueAt: null };
    if (begun !== joined) unit.putCompletion(begun);
    if (options.callback === true) holdCallback(unit, session, joined.generation);
    return joined.generation;
  }
  const next = session.generation + 1;
  openGeneration(
    unit,
    session,
    next,
    options.settings ?? termsOfNewWork(unit, sessionId),
    options.callback ?? session.callback,
  );
  beginWaitingGeneration(unit, sessionId);
  return next;
}

/** Creates the completion of a generation, and the callback that is held until its release. */
export function openGeneration(
  unit: UnitOfWork,
  session: Session,
  generation: number,
  settings: CompletionSettings,
  callback: boolean,
): Completion {
  const fresh = newCompletion(
    { sessionId: session.sessionId, generation, rootSessionId: session.rootSessionId },
    settings,
    unit.now,
  );
  const completion = { ...fresh, dueAt: lostAt(session, unit) };
  unit.putCompletion(completion);
  if (callback) holdCallback(unit, session, generation);
  return completion;
}

/** Creates the callback of a generation on request. It is held until the release. */
function holdCallback(unit: UnitOfWork, session: Session, generation: number): void {
  const asked = unit.aggregate(session.sessionId).outbox.some((one) => one.childGeneration === generation);
  if (!asked && session.parentSessionId !== null) {
    const parent = unit.aggregate(session.parentSessionId).session;
    unit.putCallback({
      callbackId: unit.context.newId('cb'),
      rootSessionId: session.rootSessionId,
      parentSessionId: parent.sessionId,
      parentGeneration: parent.generation,
      childSessionId: session.sessionId,
      childSessionName: session.sessionName,
      childGeneration: generation,
      status: 'held',
      delivery: parent.delivery,
      runId: null,
      deliveryId: null,
      outcome: null,
      updateStatus: null,
      stateVersion: null,
      message: null,
      reason: null,
      createdAt: unit.now,
      queuedAt: null,
      deliveredAt: null,
      acknowledgedAt: null,
      revision: 0,
    });
  }
}

/**
 * Begins the waiting generation if the present one is over.
 *
 * @returns True if one began.
 */
export function beginWaitingGeneration(unit: UnitOfWork, sessionId: string): boolean {
  const { session, completions } = unit.aggregate(sessionId);
  const next = session.generation + 1;
  const begins = completions.some((one) => one.generation === next) && isOver(unit.completion(sessionId));
  if (begins) unit.putSession({ ...session, generation: next, updatedAt: unit.now });
  return begins;
}
