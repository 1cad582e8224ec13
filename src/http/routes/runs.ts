// Routes that create, list and stop runs.
import { PageOf, Reason, RunCreate, RunListQuery, RunView } from '../../ports/api/index.js';
import { answered, createdAt } from '../replies/reply.js';
import { endpoint } from '../endpoint.js';
import { ById, type Route } from '../route.js';
import { NEW_SESSION_ERRORS } from './sessions.js';

const tag = 'Runs';

export const runRoutes: readonly Route[] = [
  endpoint({
    method: 'POST',
    path: '/runs',
    operationId: 'createRun',
    summary: 'Start a session, or resume one, on a runner',
    tag,
    answers: { 201: { description: 'The run', schema: RunView, location: true } },
    errors: [...NEW_SESSION_ERRORS, 'session_busy', 'session_not_external'],
  }).json(RunCreate, async ({ service }, body) =>
    createdAt(await service.runs.create(body), (run) => `/runs/${run.run_id}`),
  ),
  endpoint({
    method: 'GET',
    path: '/runs',
    operationId: 'listRuns',
    summary: 'Runs',
    tag,
    query: RunListQuery,
    answers: { 200: { description: 'Runs', schema: PageOf(RunView) } },
    errors: ['session_not_found'],
  }).answer(async ({ service, query }) => answered(200, await service.runs.list(query))),
  endpoint({
    method: 'GET',
    path: '/runs/{id}',
    operationId: 'getRun',
    summary: 'A run',
    tag,
    params: ById,
    answers: { 200: { description: 'The run', schema: RunView } },
    errors: ['run_not_found'],
  }).answer(async ({ service, params }) => answered(200, await service.runs.get(params.id))),
  endpoint({
    method: 'POST',
    path: '/runs/{id}/stop',
    operationId: 'stopRun',
    summary: 'Ask for the end of a run',
    tag,
    params: ById,
    answers: { 202: { description: 'The run as it is now', schema: RunView } },
    errors: ['run_not_found'],
  }).json(
    Reason,
    async ({ service, params }, body) => answered(202, await service.runs.stop(params.id, body)),
    true,
  ),
];
