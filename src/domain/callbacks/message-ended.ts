// What becomes of a callback when the message that carried it to its parent's URL has ended.
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import type { WebhookDelivery } from '../records/records.js';
import { dead, delivered } from './status.js';

/** The message that carried a callback has ended: the parent has it, or never will. */
export function deliveryEnded(draft: UnitOfWork, delivery: WebhookDelivery): void {
  if (delivery.callbackId === null) return;
  draft.need({ want: 'callback', callbackId: delivery.callbackId });
  const callback = draft.family.callbacks.get(delivery.callbackId);
  if (callback?.status !== 'queued' || callback.deliveryId !== delivery.deliveryId) return;
  draft.putCallback(
    delivery.status === 'delivered' ? delivered(callback, draft.now) : dead(callback, delivery.reason),
  );
}
