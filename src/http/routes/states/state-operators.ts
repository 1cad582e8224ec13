// Further routes of workflow states: atomic operators, differences, reverts.
import {
  DiffQuery,
  DryRunQuery,
  StateDiff,
  StateOps,
  StateRevert,
  StateWritten,
} from '../../../ports/api/index.js';
import { answered } from '../../replies/reply.js';
import { endpoint } from '../../endpoint.js';
import { ById, type Route } from '../../route.js';
import { CONDITIONS, WRITE_ERRORS, write } from '../shared/write.js';

const tag = 'States';

export const stateOperatorRoutes: readonly Route[] = [
  endpoint({
    method: 'POST',
    path: '/workflow-states/{id}/ops',
    operationId: 'operateOnState',
    summary: 'Apply atomic operators to the document as it is: all of them or none',
    tag,
    params: ById,
    query: DryRunQuery,
    headers: CONDITIONS,
    answers: { 200: { description: 'The state after the operators', schema: StateWritten, etag: true } },
    errors: [...WRITE_ERRORS, 'patch_failed', 'key_type_mismatch'],
  }).json(StateOps, ({ service, params, query, context }, body) =>
    write(context, params.id, query, body, (options) =>
      service.states.ops(params.id, body.operations, options),
    ),
  ),
  endpoint({
    method: 'GET',
    path: '/workflow-states/{id}/diff',
    operationId: 'diffState',
    summary: 'The JSON Patch that leads from one version to another, in either direction',
    tag,
    params: ById,
    query: DiffQuery,
    answers: {
      200: { description: 'The difference; `to` is the present where it is not said', schema: StateDiff },
    },
    errors: ['state_not_found', 'version_not_found', 'version_compacted'],
  }).answer(async ({ service, params, query }) => answered(200, await service.states.diff(params.id, query))),
  endpoint({
    method: 'POST',
    path: '/workflow-states/{id}/revert',
    operationId: 'revertState',
    summary: 'Write an old version as a new one',
    tag,
    params: ById,
    query: DryRunQuery,
    headers: CONDITIONS,
    answers: {
      200: { description: 'The state, as it was at that version', schema: StateWritten, etag: true },
    },
    errors: [...WRITE_ERRORS, 'version_not_found', 'version_compacted'],
  }).json(StateRevert, ({ service, params, query, context }, body) =>
    write(context, params.id, query, body, (options) =>
      service.states.revert(params.id, body.to_version, options),
    ),
  ),
];
