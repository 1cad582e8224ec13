// The statuses of a delivery and of a circuit breaker, and the only place that sets them.
import type {
  BreakerStatus,
  DeliveryStatus,
  WebhookDelivery,
  WebhookDestination,
} from '../records/webhook-records.js';
import { checkTransition, type Transitions } from '../transitions.js';

/** A message that an older claim has sent may turn out to be delivered while it waits to be sent again. */
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

/** Any answer of the destination closes its breaker, also one to a request from before it opened. */
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
