// Operations on a callback by its parent or an operator.
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import { ok, fail, type Result } from '../errors.js';
import type { Callback } from '../records/records.js';
import { sendToUrl } from '../webhooks/callback.js';
import { wake } from './deliver.js';
import { acknowledged, heldAgain, isOpen, queuedAgain } from '../lifecycle/callback.js';

/**
 * The parent confirms that it has the callback.
 *
 * @returns The callback; or `callback_not_found`, `callback_not_deliverable`.
 */
export function acknowledge(unit: UnitOfWork, callbackId: string): Result<Callback> {
  const callback = unit.findCallback(callbackId);
  if (callback === null) return noCallback(callbackId);
  if (callback.status === 'acknowledged') return ok(callback);
  if (callback.status !== 'delivered') {
    return fail(
      'callback_not_deliverable',
      `The callback is ${callback.status}; only a delivered one can be acknowledged.`,
      {
        callback_status: callback.status,
      },
    );
  }
  const confirmed = acknowledged(callback, unit.now);
  unit.putCallback(confirmed);
  return ok(confirmed);
}

/**
 * Sends a callback again: a dead one, or one that was delivered and then lost on the parent's side. Resumes a
 * parent that was stopped or has failed.
 *
 * @param reason - Why; it is kept with the callback.
 * @returns The callback; or `callback_not_found`, `callback_not_deliverable`.
 */
export function redeliver(unit: UnitOfWork, callbackId: string, reason?: string): Result<Callback> {
  const callback = unit.findCallback(callbackId);
  if (callback === null) return noCallback(callbackId);
  if (isOpen(callback)) {
    return fail(
      'callback_not_deliverable',
      `The callback is ${callback.status}; it is still being delivered.`,
      {
        callback_status: callback.status,
      },
    );
  }
  const parent = unit.aggregate(callback.parentSessionId);
  if (parent.session.deletedAt !== null) {
    return fail('callback_not_deliverable', 'The parent was deleted.', {
      callback_status: callback.status,
    });
  }
  if (callback.message === null) return holdAgain(unit, callback, reason ?? null);
  const requeued = queuedAgain(callback, reason ?? null);
  unit.putCallback(requeued);
  if (requeued.delivery === 'resume') wake(unit, callback.parentSessionId, [requeued]);
  if (requeued.delivery === 'webhook') sendToUrl(unit, parent.session, requeued);
  const sent = unit.aggregate(callback.parentSessionId).inbox.find((one) => one.callbackId === callbackId);
  return ok(sent ?? requeued);
}

/** Of a dead letter without a message. Its child was not released when it became one, or still is not. */
function holdAgain(unit: UnitOfWork, callback: Callback, reason: string | null): Result<Callback> {
  const child = unit.findAggregate(callback.childSessionId);
  const reported = child?.completions.find(({ generation }) => generation === callback.childGeneration);
  if (callback.status !== 'dead' || reported?.releasedAt !== null) {
    return fail(
      'callback_not_deliverable',
      'The callback has no message: its child was released without it. Read the completion of the child.',
      { callback_status: callback.status },
    );
  }
  const held = heldAgain(callback, reason);
  unit.putCallback(held);
  return ok(held);
}

/** The failure for a callback that does not exist. */
export function noCallback(callbackId: string) {
  return fail('callback_not_found', `There is no callback ${callbackId}.`);
}
