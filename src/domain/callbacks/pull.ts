// Hands callbacks to a parent that pulls: those that are queued, and those that it pulled before and has not
// acknowledged. One pull returns as many as a message may hold.
import { apply } from '../completion/apply-event.js';
import { loadReceipt, receiptOf, type IdempotencyTerms } from '../transactions/idempotency.js';
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import { ok, type Result } from '../errors.js';
import { isJsonArray } from '../json/json.js';
import type { Receipt, Callback, Run } from '../records/records.js';
import { isUnderWay } from '../lifecycle/run.js';
import { findSession, noSession } from '../sessions/create.js';
import { isToPull, isWatched, watchWork } from '../sessions/signs-of-life.js';
import { fitting, isInPrompt, needChildren, pulledBy } from './deliver.js';
import { dead, delivered, isOpen } from '../lifecycle/callback.js';

export interface PullOptions {
  /** True to return callbacks again that were pulled before. */
  readonly repeats: boolean;
  /** True if receiving callbacks makes the parent continue work that it had ended. */
  readonly goesOn: boolean;
  /**
   * The record of what this request got. A repeated request gets the same again until it is acknowledged: its answer
   * was lost.
   */
  readonly once?: IdempotencyTerms | undefined;
  /**
   * False if somebody else than the parent pulls, such as an operator. They only see the callbacks of a parent that runs
   * resume. True by default.
   */
  readonly byItself?: boolean;
}

export interface Pulled {
  /** Queued callbacks first, then those that are returned again; each oldest first. */
  readonly callbacks: readonly Callback[];
  /** How many more are left for the next pull. */
  readonly remaining: number;
}

/**
 * Returns the waiting callbacks of a parent that pulls. A callback is returned again until it is acknowledged.
 *
 * @returns At least one if there is one; or `session_not_found`.
 */
export function pullCallbacks(
  unit: UnitOfWork,
  idOrName: string,
  { repeats, goesOn, once, byItself = true }: PullOptions = { repeats: true, goesOn: false },
): Result<Pulled> {
  const session = findSession(unit, idOrName);
  if (session === null) return noSession(idOrName);
  const { sessionId } = session;
  const due = unit
    .aggregate(sessionId)
    .inbox.filter((one) => one.status === 'queued' && one.runId === null && one.delivery !== 'webhook');
  const lost = once === undefined ? [] : handedIn(unit, once);
  const waiting = lost.length > 0 ? lost : [...due, ...(repeats ? handedBefore(unit, sessionId) : [])];
  const handed = fitting([], waiting, unit.context.limits.callbackHandOverBytesMax);
  const fresh = handed.filter((one) => one.status === 'queued' && (byItself || one.delivery === 'pull'));
  needChildren(unit, fresh);
  const run = unit.aggregate(sessionId).runs.find(isUnderWay);
  const pulled = new Map(fresh.map((one) => [one.callbackId, pulledIn(unit, one, run)]));
  for (const one of pulled.values()) unit.putCallback(one);
  if (once !== undefined) noteHanded(unit, once, handed);
  if (handed.length > 0 && goesOn && isWatched(unit.completion(sessionId))) {
    apply(unit, sessionId, { type: 'work_began' });
    watchWork(unit, sessionId);
  }
  const callbacks = handed.map((one) => pulled.get(one.callbackId) ?? one);
  return ok({ callbacks, remaining: waiting.length - handed.length });
}

function noteHanded(unit: UnitOfWork, once: IdempotencyTerms, handed: readonly Callback[]): void {
  if (handed.length === 0 || unit.records.receipts.has(once.receiptId)) return;
  const callbackIds = handed.map(({ callbackId }) => callbackId);
  unit.append('receipt', receiptOf(once, callbackIds, unit.now));
}

/** The callbacks that a request got before, except those that have been acknowledged or sent again since. */
export function handedIn(unit: UnitOfWork, once: IdempotencyTerms): readonly Callback[] {
  unit.need(loadReceipt(once));
  return callbacksIn(unit.records.receipts.get(once.receiptId) ?? null).flatMap((callbackId) => {
    const one = unit.findCallback(callbackId);
    return one !== null && isHanded(one) ? [one] : [];
  });
}

/** The ids of the callbacks that a request got, from its record. */
export function callbacksIn(receipt: Receipt | null): readonly string[] {
  const ids = receipt?.value;
  return isJsonArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
}

/** If a run pulls a callback that would be carried by one, and is lost, the callback is sent again. */
function pulledIn(unit: UnitOfWork, callback: Callback, run: Run | undefined): Callback {
  const carries =
    run !== undefined && callback.delivery === 'resume' && !isInPrompt(run, callback.callbackId);
  const runId = carries ? run.runId : null;
  return delivered({ ...callback, runId }, unit.now);
}

/** Whether a parent that pulls has callbacks that are held, queued, or pulled but not acknowledged. Writes nothing. */
export function awaitsPull(unit: UnitOfWork, idOrName: string, repeats: boolean): Result<boolean> {
  const session = findSession(unit, idOrName);
  if (session === null) return noSession(idOrName);
  const { inbox } = unit.aggregate(session.sessionId);
  return ok(inbox.some(isAwaited) || (repeats && handedBefore(unit, session.sessionId).length > 0));
}

/** Names of the children whose callbacks a parent waits for: still at work, or done but not reported yet. */
export function awaitedChildren(unit: UnitOfWork, idOrName: string): Result<readonly string[]> {
  return childrenOf(unit, idOrName, isAwaited);
}

/** Names of those awaited children that are still at work. */
export function workingChildren(unit: UnitOfWork, idOrName: string): Result<readonly string[]> {
  return childrenOf(unit, idOrName, (one) => one.status === 'held' && isAwaited(one));
}

/** True for a callback that the parent gets by pulling, now or once its child is done. */
function isAwaited(callback: Callback): boolean {
  return isOpen(callback) && callback.delivery === 'pull';
}

function childrenOf(
  unit: UnitOfWork,
  idOrName: string,
  counts: (callback: Callback) => boolean,
): Result<readonly string[]> {
  const session = findSession(unit, idOrName);
  if (session === null) return noSession(idOrName);
  const callbacks = unit.aggregate(session.sessionId).inbox.filter(counts);
  return ok(callbacks.map((one) => one.childSessionName));
}

/** Callbacks that were delivered by a pull whose answer may have been lost. */
function handedBefore(unit: UnitOfWork, sessionId: string): readonly Callback[] {
  unit.need({ load: 'handed', sessionId, callbacksMax: unit.context.limits.callbacksAgainAtOnceMax });
  const before = [...unit.records.callbacks.values()].filter(
    (one) => one.parentSessionId === sessionId && isHanded(one),
  );
  return [...before, ...unit.aggregate(sessionId).runs.flatMap((run) => pulledBy(unit, run))];
}

/** True for a callback that was pulled and not acknowledged. */
export function isHanded({ status, runId, delivery }: Callback): boolean {
  return status === 'delivered' && runId === null && delivery !== 'webhook';
}

/**
 * The parent does not pull callbacks that wait for it.
 *
 * @param through - Those that were queued by then.
 * @param reason - A sentence.
 */
export function notPulled(unit: UnitOfWork, sessionId: string, through: number, reason: string): void {
  const late = unit.aggregate(sessionId).inbox.filter((one) => isToPull(one) && queuedSince(one) <= through);
  needChildren(unit, late);
  for (const one of late) unit.putCallback(dead(one, reason));
}

function queuedSince({ queuedAt }: Callback): number {
  return queuedAt ?? 0;
}

/** When the first of the callbacks that wait to be pulled was queued; `null` if none waits. */
export function firstToPull(unit: UnitOfWork, sessionId: string): number | null {
  const waiting = unit.aggregate(sessionId).inbox.filter(isToPull).map(queuedSince);
  return waiting.length === 0 ? null : Math.min(...waiting);
}
