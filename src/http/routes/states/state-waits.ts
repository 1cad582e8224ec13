// The route that waits for a condition on a workflow state.
import { ok } from '../../../domain/errors.js';
import { StateWait, StateWaited } from '../../../ports/api/index.js';
import { endpoint } from '../../endpoint.js';
import { ById, type Route } from '../../route.js';

export const stateWaitRoutes: readonly Route[] = [
  endpoint({
    method: 'POST',
    path: '/workflow-states/{id}/wait',
    operationId: 'waitForState',
    summary: 'Wait until the document satisfies a JSON Schema',
    tag: 'States',
    params: ById,
    answers: {
      200: {
        description: 'The state as it was looked at last; `matched` tells whether it satisfies `until`',
        schema: StateWaited,
        etag: true,
      },
    },
    errors: [
      'state_not_found',
      'workflow_required',
      'invalid_schema',
      'schema_too_complex',
      'condition_impossible',
      'limit_exceeded',
      'overloaded',
    ],
  }).json(StateWait, ({ service, actor, params, context }, body) =>
    context.waiting(actor, async (signal) => {
      const waited = await service.states.wait(params.id, body, signal);
      const reply = context.server.stateReplies.written(waited);
      // What was not there when the wait ended, or was cut off, may be there later.
      const isOpen = waited.ok && !waited.value.matched && waited.value.failed !== true;
      return reply.ok && isOpen ? ok({ ...reply.value, provisional: true }) : reply;
    }),
  ),
];
