// The statuses of a delivery and of a circuit breaker, and the only place that sets them.
import type {
  BreakerStatus,
  DeliveryStatus,
  WebhookDelivery,
  WebhookDestination,
} from '../records/webhook-records.js';
import { checkTransition, type Transitions } from './transitions.js';

/**
 * A pending delivery may become delivered, because the result of an older claim can arrive while it waits to be
 * sent again.
 */
export const DELIVERY_TRANSITIONS: Transitions<DeliveryStatus> = {
  checking: ['pending', 'dead'],
  pending: ['sending', 'delivered', 'dead'],
  sending: ['pending', 'delivered', 'dead'],
  delivered: ['pending'],
  dead: ['pending'],
};

export function deliveryWith(
  delivery: WebhookDelivery,
  status: DeliveryStatus,
  fields: Partial<WebhookDelivery>,
): WebhookDelivery {
  checkTransition('delivery', DELIVERY_TRANSITIONS, delivery.status, status);
  return { ...delivery, ...fields, status };
}

/** Any answer of the destination closes its breaker, even an answer to a request from before it opened. */
export const BREAKER_TRANSITIONS: Transitions<BreakerStatus> = {
  closed: ['open'],
  open: ['half_open', 'closed'],
  half_open: ['closed', 'open'],
};

export function destinationWith(
  destination: WebhookDestination,
  status: BreakerStatus,
  fields: Partial<WebhookDestination>,
): WebhookDestination {
  checkTransition('circuit breaker', BREAKER_TRANSITIONS, destination.status, status);
  return { ...destination, ...fields, status };
}
