// The statuses of a callback, and the only place that sets them.
import type { Callback, CallbackStatus } from '../records/records.js';
import { checkTransition, type Transitions } from './transitions.js';

export const CALLBACK_TRANSITIONS: Transitions<CallbackStatus> = {
  held: ['queued', 'dead'],
  queued: ['delivered', 'dead'],
  delivered: ['queued', 'acknowledged', 'dead'],
  acknowledged: ['queued'],
  dead: ['held', 'queued'],
};

/** True if the parent is still to get it. */
export function isOpen({ status }: Callback): boolean {
  return status === 'held' || status === 'queued';
}

function callbackWith(callback: Callback, status: CallbackStatus, fields: Partial<Callback>): Callback {
  checkTransition('callback', CALLBACK_TRANSITIONS, callback.status, status);
  return Object.assign({ ...callback }, fields, { status });
}

/** The child is released, and its callback is ready for delivery. */
export function queued(
  callback: Callback,
  outcome: Pick<Callback, 'outcome' | 'updateStatus' | 'stateVersion' | 'message'>,
  now: number,
): Callback {
  return callbackWith(callback, 'queued', { ...outcome, queuedAt: now });
}

/** The run that carries it has started, the parent's URL has accepted it, or the parent has pulled it. */
export function delivered(callback: Callback, now: number): Callback {
  return callbackWith(callback, 'delivered', { deliveredAt: now });
}

/** The run that carries it was taken back, and will carry it again. */
export function undelivered(callback: Callback): Callback {
  return callbackWith(callback, 'queued', { deliveredAt: null });
}

/** The parent has confirmed that it has the callback. */
export function acknowledged(callback: Callback, now: number): Callback {
  return callbackWith(callback, 'acknowledged', { acknowledgedAt: now });
}

/** It is sent again: nothing carries it yet. */
export function queuedAgain(callback: Callback, reason: string | null): Callback {
  return callbackWith(callback, 'queued', {
    runId: null,
    deliveryId: null,
    reason,
    deliveredAt: null,
    acknowledgedAt: null,
  });
}

/** It became a dead letter before its child was released, and waits for the release again. */
export function heldAgain(callback: Callback, reason: string | null): Callback {
  return callbackWith(callback, 'held', { reason });
}

/** It cannot be delivered. */
export function dead(callback: Callback, reason: string | null): Callback {
  return callbackWith(callback, 'dead', { reason, runId: null, deliveryId: null, deliveredAt: null });
}
