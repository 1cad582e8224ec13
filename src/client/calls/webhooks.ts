// Webhook calls over HTTP.
import * as api from '../../ports/api/index.js';
import type { WebhookService } from '../../ports/service.js';
import type { Transport } from '../transport/transport.js';

const Webhooks = api.PageOf(api.WebhookView);
const Deliveries = api.PageOf(api.DeliveryView);

export function webhookCalls({ send, sendForNothing }: Transport): WebhookService {
  const get = (...path: string[]) => ({ method: 'GET', path: ['webhooks', ...path] }) as const;
  const post = (...path: string[]) => ({ method: 'POST', path: ['webhooks', ...path] }) as const;
  return {
    create: (body) => send(api.WebhookCreated, { ...post(), body }),
    list: (query) => send(Webhooks, { ...get(), query }),
    get: (webhookId) => send(api.WebhookView, get(webhookId)),
    remove: (webhookId) => sendForNothing({ method: 'DELETE', path: ['webhooks', webhookId] }),
    enable: (webhookId) => send(api.WebhookView, post(webhookId, 'enable')),
    disable: (webhookId, body) => send(api.WebhookView, { ...post(webhookId, 'disable'), body }),
    deliveries: (webhookId, query) => send(Deliveries, { ...get(webhookId, 'deliveries'), query }),
    redeliver: (webhookId, deliveryId, body) =>
      send(api.DeliveryView, { ...post(webhookId, 'deliveries', deliveryId, 'redeliver'), body }),
  };
}
