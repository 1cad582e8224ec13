// Routes that list, acknowledge and redeliver callbacks.
import { CallbackListQuery, CallbackView, PageOf, Reason } from '../../ports/api/index.js';
import { answered } from '../replies/reply.js';
import { endpoint } from '../endpoint.js';
import { ById, type Route } from '../route.js';

const tag = 'Callbacks';

export const callbackRoutes: readonly Route[] = [
  endpoint({
    method: 'GET',
    path: '/callbacks',
    operationId: 'listCallbacks',
    summary: 'Callbacks of children to their parents',
    tag,
    query: CallbackListQuery,
    answers: { 200: { description: 'Callbacks', schema: PageOf(CallbackView) } },
    errors: ['session_not_found'],
  }).answer(async ({ service, query }) => answered(200, await service.callbacks.list(query))),
  endpoint({
    method: 'POST',
    path: '/callbacks/{id}/ack',
    operationId: 'acknowledgeCallback',
    summary: 'Say that a delivered callback has been dealt with',
    tag,
    params: ById,
    answers: { 200: { description: 'The callback', schema: CallbackView } },
    errors: ['callback_not_found', 'callback_not_deliverable'],
  }).answer(async ({ service, params }) => answered(200, await service.callbacks.acknowledge(params.id))),
  endpoint({
    method: 'POST',
    path: '/callbacks/{id}/redeliver',
    operationId: 'redeliverCallback',
    summary: 'Deliver a callback once more',
    tag,
    params: ById,
    answers: { 200: { description: 'The callback', schema: CallbackView } },
    errors: ['callback_not_found', 'callback_not_deliverable'],
  }).json(
    Reason,
    async ({ service, params }, body) => answered(200, await service.callbacks.redeliver(params.id, body)),
    true,
  ),
];
