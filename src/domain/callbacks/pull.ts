// What a parent that pulls is handed: callbacks that are due, and those that it was handed before and has not
// acknowledged. As many at a time as a message may hold.
import { apply } from '../completion/conduct.js';
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import { accepted, type Outcome } from '../errors.js';
import type { Callback } from '../records/records.js';
import { findSession, noSession } from '../sessions/create.js';
import { watchWork } from '../sessions/signs-of-life.js';
import { needChildren } from './deliver.js';
import { delivered } from './status.js';

export interface PullOptions {
  /** Whether callbacks that were handed over before are handed over again. */
  readonly repeats: boolean;
  /** Whether being handed some makes the parent go on with its work, if it had ended it. */
  readonly goesOn: boolean;
}

export interface Pulled {
  /** Those that are due before those that are handed over again; each oldest first. */
  readonly callbacks: readonly Callback[];
  /** How many more there are, left for the next time. */
  readonly remaining: number;
}

/**
 * Hands over what waits for a parent that pulls; given again until it is acknowledged.
 *
 * @returns At least one where there is one; or `session_not_found`.
 */
export function pullCallbacks(
  draft: UnitOfWork,
  idOrName: string,
  { repeats, goesOn }: PullOptions = { repeats: true, goesOn: false },
): Outcome<Pulled> {
  const session = findSession(draft, idOrName);
  if (session === null) return noSession(idOrName);
  const { sessionId } = session;
  const due = draft
    .desk(sessionId)
    .inbox.filter((one) => one.status === 'queued' && one.runId === null && one.delivery !== 'webhook');
  const waiting = [...due, ...(repeats ? handedBefore(draft, sessionId) : [])];
  const taken = fitting(waiting, draft.context.limits.callbackHandOverBytesMax);
  const fresh = taken.filter((one) => one.status === 'queued');
  needChildren(draft, fresh);
  for (const one of fresh) draft.putCallback(delivered(one, draft.now));
  if (taken.length > 0 && goesOn && draft.completion(sessionId).status === 'none') {
    apply(draft, sessionId, { type: 'work_began' });
    watchWork(draft, sessionId);
  }
  const callbacks = taken.map((one) => (one.status === 'queued' ? delivered(one, draft.now) : one));
  return accepted({ callbacks, remaining: waiting.length - taken.length });
}

/** Whether a parent that pulls has callbacks that are due, will be, or were handed over in vain. Writes nothing. */
export function awaitsPull(draft: UnitOfWork, idOrName: string, repeats = true): Outcome<boolean> {
  const session = findSession(draft, idOrName);
  if (session === null) return noSession(idOrName);
  const { inbox } = draft.desk(session.sessionId);
  const open = inbox.some(
    (one) => (one.status === 'held' || one.status === 'queued') && one.delivery === 'pull',
  );
  return accepted(open || (repeats && handedBefore(draft, session.sessionId).length > 0));
}

/** Names of the children that a parent waits for: at work, or done and not told of yet. */
export function awaitedChildren(draft: UnitOfWork, idOrName: string): Outcome<readonly string[]> {
  const session = findSession(draft, idOrName);
  if (session === null) return noSession(idOrName);
  const { inbox } = draft.desk(session.sessionId);
  const open = inbox.filter(
    (one) => (one.status === 'held' || one.status === 'queued') && one.delivery === 'pull',
  );
  return accepted(open.map((one) => one.childSessionName));
}

/** Names of the children that are at work still, of those that a parent waits for. */
export function workingChildren(draft: UnitOfWork, idOrName: string): Outcome<readonly string[]> {
  const session = findSession(draft, idOrName);
  if (session === null) return noSession(idOrName);
  const { inbox } = draft.desk(session.sessionId);
  const held = inbox.filter((one) => one.status === 'held' && one.delivery === 'pull');
  return accepted(held.map((one) => one.childSessionName));
}

/** Delivered by a pull, whose answer may have been lost. */
function handedBefore(draft: UnitOfWork, sessionId: string): readonly Callback[] {
  draft.need({ want: 'handed', sessionId, callbacksMax: draft.context.limits.callbacksAgainAtOnceMax });
  return [...draft.family.callbacks.values()].filter(
    (one) => one.parentSessionId === sessionId && isHanded(one),
  );
}

/** Handed over by a pull, and not acknowledged. */
export function isHanded({ status, runId, delivery }: Callback): boolean {
  return status === 'delivered' && runId === null && delivery !== 'webhook';
}

function fitting(callbacks: readonly Callback[], bytesMax: number): readonly Callback[] {
  let bytes = 0;
  const over = callbacks.findIndex((one, index) => {
    bytes += Buffer.byteLength(one.message ?? '');
    return index > 0 && bytes > bytesMax;
  });
  return over < 0 ? callbacks : callbacks.slice(0, over);
}
