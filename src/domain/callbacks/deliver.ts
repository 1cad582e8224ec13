// Delivers callbacks to their parent. A parent that is resumed gets all waiting callbacks with one run; a
// parent with a URL gets one message for each.
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import { isJsonArray } from '../json/json.js';
import type { Callback, Run } from '../records/records.js';
import { sendToUrl } from '../webhooks/callback.js';
import { dead, delivered, queuedAgain, undelivered } from '../lifecycle/callback.js';
import { isUnderWay, newRun } from '../lifecycle/run.js';
import { generationForNewWork } from '../sessions/generation.js';
import { isResumable } from '../lifecycle/session.js';

/**
 * Sends the parent's waiting callbacks: to its URL if it has one, else with a run. A busy parent gets them when
 * it stops. If a parent cannot be resumed, its callbacks become dead.
 */
export function deliverCallbacks(unit: UnitOfWork, parentId: string): void {
  takeFromLostRuns(unit, parentId);
  const { session, inbox, runs } = unit.aggregate(parentId);
  const isDeleted = session.deletedAt !== null;
  for (const one of inbox) {
    if (one.status === 'queued' && one.delivery === 'webhook' && one.deliveryId === null && !isDeleted) {
      sendToUrl(unit, session, one);
    }
  }
  const waiting = inbox.filter(
    (one) => one.status === 'queued' && one.runId === null && (one.delivery === 'resume' || isDeleted),
  );
  if (waiting.length === 0) return;
  if (isResumable(session)) {
    wake(unit, parentId, waiting);
    return;
  }
  // Another run resumes the parent already. The parent gets the callbacks when that run ends.
  if (!isDeleted && runs.some((run) => run.purpose !== 'state_update')) return;
  needChildren(unit, waiting);
  const why = isDeleted ? 'deleted' : session.status;
  for (const one of waiting) unit.putCallback(dead(one, `The parent cannot be resumed: it is ${why}.`));
}

/** A queued callback whose run is none of its parent's, after an edit of the database, is carried by nothing. */
function takeFromLostRuns(unit: UnitOfWork, parentId: string): void {
  const { inbox, runs } = unit.aggregate(parentId);
  const lost = inbox.filter(
    ({ status, runId }) => status === 'queued' && runId !== null && !runs.some((run) => run.runId === runId),
  );
  if (lost.length === 0) return;
  needChildren(unit, lost);
  for (const one of lost) unit.putCallback({ ...one, runId: null });
}

/** Sends callbacks with the pending run that carries callbacks, or with a new one unless the parent is busy. */
export function wake(unit: UnitOfWork, parentId: string, callbacks: readonly Callback[]): void {
  const { runs } = unit.aggregate(parentId);
  const carrier = runs.find((run) => run.purpose === 'callback' && run.status === 'pending');
  if (carrier !== undefined) loadOnto(unit, carrier, callbacks);
  else if (!runs.some(isUnderWay)) resumeWith(unit, parentId, callbacks);
}

/** Resumes a parent in any status: an operator's redelivery may resume one that was stopped. */
function resumeWith(unit: UnitOfWork, parentId: string, callbacks: readonly Callback[]): void {
  // A completion that is not released has been waiting for these callbacks. A released one is over, so this is
  // new work.
  const released = unit.completion(parentId).releasedAt !== null;
  const generation = released
    ? generationForNewWork(unit, parentId)
    : unit.aggregate(parentId).session.generation;
  const { session } = unit.aggregate(parentId);
  const run = newRun(
    {
      runId: unit.context.newId('run'),
      type: 'resume_session',
      purpose: 'callback',
      session,
      generation,
      prompt: '',
      timeoutMs: null,
      delayMs: 0,
      metadata: {},
    },
    unit.now,
    unit.context.limits,
  );
  loadOnto(unit, run, callbacks);
}

/** Adds as many callbacks as the prompt may hold. The others are sent after the run has ended. */
function loadOnto(unit: UnitOfWork, run: Run, more: readonly Callback[]): void {
  const carried = unit.aggregate(run.sessionId).inbox.filter((one) => one.runId === run.runId);
  const added = fitting(carried, more, unit.context.limits.promptBytesMax);
  if (added.length === 0) return;
  needChildren(unit, added);
  for (const one of added) {
    const loaded = { ...one, runId: run.runId };
    unit.putCallback(loaded);
    carried.push(loaded);
  }
  unit.putRun({
    ...run,
    prompt: carried.map((one) => one.message ?? '').join('\n\n'),
    metadata: callbackMetadata(carried),
  });
}

/**
 * The first callbacks that fit into a message; one at least.
 *
 * @param carried - Those that the message has already.
 */
export function fitting(
  carried: readonly Callback[],
  more: readonly Callback[],
  bytesMax: number,
): readonly Callback[] {
  let size = carried.reduce((sum, one) => sum + sizeOf(one), 0);
  const end = more.findIndex((one, index) => {
    size += sizeOf(one);
    return carried.length + index > 0 && size > bytesMax;
  });
  return end < 0 ? more : more.slice(0, end);
}

function sizeOf(callback: Callback): number {
  return Buffer.byteLength(callback.message ?? '');
}

/**
 * Lets a program read the callbacks from the resume run's metadata instead of its prompt. Plain values describe
 * the last callback; lists contain all.
 */
function callbackMetadata(callbacks: readonly Callback[]): Run['metadata'] {
  const last = callbacks.at(-1);
  return {
    callback_source: last?.childSessionName ?? '',
    workflow_state_version: last?.stateVersion ?? null,
    state_update_status: last?.updateStatus === 'none' ? null : (last?.updateStatus ?? null),
    callback_sources: callbacks.map((one) => one.childSessionName),
    callback_ids: callbacks.map((one) => one.callbackId),
  };
}

/** Requests all children together. One request per child would take as many rounds. */
export function needChildren(unit: UnitOfWork, callbacks: readonly Callback[]): void {
  unit.need(
    ...callbacks.map(({ childSessionId }) => ({ load: 'aggregate', sessionId: childSessionId }) as const),
  );
}

/** The run that carries them has started. */
export function markDelivered(unit: UnitOfWork, run: Run): void {
  for (const one of carriedBy(unit, run, 'queued')) {
    unit.putCallback(delivered(one, unit.now));
  }
}

/** The run that carries them was taken back. The same run will carry them again; what it pulled is sent anew. */
export function markUndelivered(unit: UnitOfWork, run: Run): void {
  endPulls(unit, run, true);
  for (const one of carriedBy(unit, run, 'delivered')) {
    unit.putCallback(undelivered(one));
  }
}

/** The run has ended. What its session pulled meanwhile does not depend on it any more, unless the run was lost. */
export function endPulls(unit: UnitOfWork, run: Run, isLost: boolean): void {
  const pulled = pulledBy(unit, run);
  needChildren(unit, pulled);
  for (const one of pulled) unit.putCallback(isLost ? queuedAgain(one, PULL_LOST) : { ...one, runId: null });
}

const PULL_LOST = 'The run that had pulled it was lost.';

/** The callbacks that the session of a run pulled while it was under way. */
export function pulledBy(unit: UnitOfWork, run: Run): readonly Callback[] {
  return unit
    .aggregate(run.sessionId)
    .inbox.filter(
      (one) => one.runId === run.runId && one.status === 'delivered' && !isInPrompt(run, one.callbackId),
    );
}

/** True if a run was made to carry a callback. */
export function isInPrompt({ purpose, metadata }: Run, callbackId: string): boolean {
  const { callback_ids: carried } = metadata;
  return purpose === 'callback' && !(isJsonArray(carried) && !carried.includes(callbackId));
}

/** The run that carries them will never reach the parent. */
export function markDead(unit: UnitOfWork, run: Run, reason: string): void {
  for (const one of [...carriedBy(unit, run, 'queued'), ...carriedBy(unit, run, 'delivered')]) {
    unit.putCallback(dead(one, reason));
  }
}

function carriedBy(unit: UnitOfWork, run: Run, status: Callback['status']): readonly Callback[] {
  const carried = unit
    .aggregate(run.sessionId)
    .inbox.filter((one) => one.runId === run.runId && one.status === status);
  needChildren(unit, carried);
  return carried;
}
