// Routes of webhooks and their deliveries.
import { Type } from 'typebox';
import type { ErrorCode } from '../../domain/errors.js';
import {
  closed,
  DeliveryListQuery,
  DeliveryView,
  Name,
  PageOf,
  Reason,
  WebhookCreate,
  WebhookCreated,
  WebhookListQuery,
  WebhookView,
} from '../../ports/api/index.js';
import { answered, createdAt, noContent } from '../replies/reply.js';
import { endpoint } from '../endpoint.js';
import { ById, type Route } from '../route.js';

const ByDelivery = Type.Object({ id: Name, delivery_id: Name }, closed);
const tag = 'Webhooks';
const NOT_FOUND: readonly ErrorCode[] = ['webhook_not_found'];

export const webhookRoutes: readonly Route[] = [
  endpoint({
    method: 'POST',
    path: '/webhooks',
    operationId: 'createWebhook',
    summary: 'Create a webhook; only this answer shows the secret',
    tag,
    answers: { 201: { description: 'The webhook, with its secret', schema: WebhookCreated, location: true } },
    errors: [
      'webhook_url_refused',
      'state_not_found',
      'session_not_found',
      'workflow_required',
      'invalid_schema',
      'schema_too_complex',
      'limit_exceeded',
    ],
  }).json(WebhookCreate, async ({ service }, body) =>
    createdAt(await service.webhooks.create(body), (webhook) => `/webhooks/${webhook.webhook_id}`),
  ),
  endpoint({
    method: 'GET',
    path: '/webhooks',
    operationId: 'listWebhooks',
    summary: 'Webhooks; for a session those of its tree',
    tag,
    query: WebhookListQuery,
    answers: { 200: { description: 'Webhooks', schema: PageOf(WebhookView) } },
  }).answer(async ({ service, query }) => answered(200, await service.webhooks.list(query))),
  endpoint({
    method: 'GET',
    path: '/webhooks/{id}',
    operationId: 'getWebhook',
    summary: 'A webhook',
    tag,
    params: ById,
    answers: { 200: { description: 'The webhook', schema: WebhookView } },
    errors: NOT_FOUND,
  }).answer(async ({ service, params }) => answered(200, await service.webhooks.get(params.id))),
  endpoint({
    method: 'DELETE',
    path: '/webhooks/{id}',
    operationId: 'deleteWebhook',
    summary: 'Delete a webhook with its deliveries',
    tag,
    params: ById,
    answers: { 204: { description: 'Deleted' } },
    errors: NOT_FOUND,
  }).answer(async ({ service, params }) => noContent(await service.webhooks.remove(params.id))),
  endpoint({
    method: 'POST',
    path: '/webhooks/{id}/enable',
    operationId: 'enableWebhook',
    summary: 'Enable a disabled webhook, from now on',
    tag,
    params: ById,
    answers: { 200: { description: 'The webhook', schema: WebhookView } },
    errors: NOT_FOUND,
  }).answer(async ({ service, params }) => answered(200, await service.webhooks.enable(params.id))),
  endpoint({
    method: 'POST',
    path: '/webhooks/{id}/disable',
    operationId: 'disableWebhook',
    summary: 'Disable a webhook until it is enabled',
    tag,
    params: ById,
    answers: { 200: { description: 'The webhook', schema: WebhookView } },
    errors: NOT_FOUND,
  }).json(
    Reason,
    async ({ service, params }, body) => answered(200, await service.webhooks.disable(params.id, body)),
    true,
  ),
  endpoint({
    method: 'GET',
    path: '/webhooks/{id}/deliveries',
    operationId: 'listWebhookDeliveries',
    summary: 'What a webhook was sent, or is to be, newest first',
    tag,
    params: ById,
    query: DeliveryListQuery,
    answers: { 200: { description: 'Deliveries', schema: PageOf(DeliveryView) } },
    errors: NOT_FOUND,
  }).answer(async ({ service, params, query }) =>
    answered(200, await service.webhooks.deliveries(params.id, query)),
  ),
  endpoint({
    method: 'POST',
    path: '/webhooks/{id}/deliveries/{delivery_id}/redeliver',
    operationId: 'redeliverWebhookDelivery',
    summary: 'Send an ended delivery once more',
    tag,
    params: ByDelivery,
    answers: { 200: { description: 'The delivery', schema: DeliveryView } },
    errors: [...NOT_FOUND, 'delivery_not_found', 'delivery_under_way', 'webhook_disabled'],
  }).json(
    Reason,
    async ({ service, params }, body) =>
      answered(200, await service.webhooks.redeliver(params.id, params.delivery_id, body)),
    true,
  ),
];
