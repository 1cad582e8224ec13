// Updates a callback when the webhook message that carries it has ended.
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import type { WebhookDelivery } from '../records/records.js';
import { dead, delivered } from './status.js';

/** The message that carries a callback has ended: the parent has the callback, or never gets it. */
export function deliveryEnded(unit: UnitOfWork, delivery: WebhookDelivery): void {
  if (delivery.callbackId === null) return;
  const callback = unit.findCallback(delivery.callbackId);
  if (callback?.status !== 'queued' || callback.deliveryId !== delivery.deliveryId) return;
  unit.putCallback(
    delivery.status === 'delivered' ? delivered(callback, unit.now) : dead(callback, delivery.reason),
  );
}
