// Webhook calls over HTTP.
import * as api from '../../ports/api/index.js';
import type { WebhookService } from '../../ports/service.js';
import { get, post } from '../transport/call.js';
import type { Transport } from '../transport/transport.js';

const Webhooks = api.PageOf(api.WebhookView);
const Deliveries = api.PageOf(api.DeliveryView);

export function webhookCalls({ send, sendForNothing }: Transport): WebhookService {
  return {
    create: (body) => send(api.WebhookCreated, { ...post('webhooks'), body }),
    list: (query) => send(Webhooks, { ...get('webhooks'), query }),
    get: (webhookId) => send(api.WebhookView, get('webhooks', webhookId)),
    remove: (webhookId) => sendForNothing({ method: 'DELETE', path: ['webhooks', webhookId] }),
    enable: (webhookId) => send(api.WebhookView, post('webhooks', webhookId, 'enable')),
    disable: (webhookId, body) => send(api.WebhookView, { ...post('webhooks', webhookId, 'disable'), body }),
    deliveries: (webhookId, query) =>
      send(Deliveries, { ...get('webhooks', webhookId, 'deliveries'), query }),
    redeliver: (webhookId, deliveryId, body) =>
      send(api.DeliveryView, { ...post('webhooks', webhookId, 'deliveries', deliveryId, 'redeliver'), body }),
  };
}
