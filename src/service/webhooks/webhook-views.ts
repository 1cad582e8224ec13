// Views of webhooks and deliveries, in the form of the API. They never contain the secret.
import type { Webhook, WebhookDelivery } from '../../domain/records/records.js';
import type * as api from '../../ports/api/index.js';
import { time, timeOrNull } from '../views.js';

export function webhookView(webhook: Webhook): api.WebhookView {
  return {
    webhook_id: webhook.webhookId,
    url: webhook.url,
    events: [...webhook.events],
    state_id: webhook.stateId,
    root_session_id: webhook.rootSessionId,
    schema_name: webhook.schemaName,
    when: webhook.when?.schema ?? null,
    enabled: webhook.enabled,
    disabled_reason: webhook.disabledReason,
    created_at: time(webhook.createdAt),
    updated_at: time(webhook.updatedAt),
  };
}

export function deliveryView(delivery: WebhookDelivery): api.DeliveryView {
  return {
    delivery_id: delivery.deliveryId,
    webhook_id: delivery.webhookId,
    type: delivery.type,
    state_id: delivery.stateId,
    version: delivery.version,
    status: delivery.status,
    attempts: delivery.attempts.map((one) => ({
      attempt: one.attempt,
      at: time(one.at),
      duration_ms: one.durationMs,
      status: one.status,
      error: one.error,
      response: one.response,
    })),
    next_attempt_at: delivery.status === 'pending' ? timeOrNull(delivery.dueAt) : null,
    reason: delivery.reason,
    created_at: time(delivery.createdAt),
    ended_at: timeOrNull(delivery.endedAt),
  };
}
