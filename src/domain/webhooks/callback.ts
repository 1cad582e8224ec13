// Delivers callbacks to the URL of a parent: one message for each, and what its end means for the callback.
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import { boundedText } from '../excerpt.js';
import type { Callback, Session, WebhookDelivery } from '../records/records.js';
import { isHttpUrl } from './http-url.js';
import { bodyOf } from './message.js';
import { dead, delivered } from '../lifecycle/callback.js';

/** Why a callback is not sent. */
export const NO_URL_OF_PARENT = 'The URL of the parent is no URL of http or https.';

/**
 * Queues a message with a callback to the parent's URL.
 *
 * @returns The callback as it was put.
 */
export function sendToUrl(unit: UnitOfWork, parent: Session, callback: Callback): Callback {
  const url = parent.callbackUrl ?? '';
  if (!isHttpUrl(url)) {
    const undeliverable = dead(callback, NO_URL_OF_PARENT);
    unit.putCallback(undeliverable);
    return undeliverable;
  }
  const deliveryId = unit.context.newId('dlv');
  const { limits } = unit.context;
  const data = {
    callback_id: callback.callbackId,
    parent_session_id: callback.parentSessionId,
    child_session_id: callback.childSessionId,
    child_session_name: callback.childSessionName,
    root_session_id: callback.rootSessionId,
    outcome: callback.outcome,
    metadata: {
      callback_source: callback.childSessionName,
      workflow_state_version: callback.stateVersion,
      state_update_status: callback.updateStatus === 'none' ? null : callback.updateStatus,
    },
    message: boundedText(callback.message ?? '', limits.promptBytesMax),
    acknowledge: `/callbacks/${callback.callbackId}/ack`,
  };
  const delivery: WebhookDelivery = {
    deliveryId,
    webhookId: null,
    callbackId: callback.callbackId,
    rootSessionId: callback.rootSessionId,
    origin: new URL(url).origin,
    type: 'callback',
    stateId: null,
    version: callback.stateVersion,
    status: 'pending',
    attempt: 0,
    failures: 0,
    attempts: [],
    dueAt: unit.now,
    expiresAt: unit.now + limits.webhookRetryForMs,
    reason: null,
    createdAt: unit.now,
    endedAt: null,
    revision: 0,
    body: bodyOf('callback', unit.now, data),
  };
  unit.put('delivery', delivery, undefined);
  const sent = { ...callback, deliveryId };
  unit.putCallback(sent);
  return sent;
}

/** The message that carries a callback has ended: the parent has the callback, or never gets it. */
export function deliveryEnded(unit: UnitOfWork, delivery: WebhookDelivery): void {
  if (delivery.callbackId === null) return;
  const callback = unit.findCallback(delivery.callbackId);
  if (callback?.status !== 'queued' || callback.deliveryId !== delivery.deliveryId) return;
  unit.putCallback(
    delivery.status === 'delivered' ? delivered(callback, unit.now) : dead(callback, delivery.reason),
  );
}
