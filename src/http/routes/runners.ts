// Routes that runners call, and those that list and delete runners.
import { ok, type ErrorCode } from '../../domain/errors.js';
import {
  HeartbeatAnswer,
  PageOf,
  PageQuery,
  RunCompleted,
  RunFailed,
  RunnerHeartbeat,
  RunnerPollQuery,
  RunnerRegister,
  RunnerRegistered,
  RunnerView,
  RunnerWork,
  RunStarted,
  RunStopped,
  RunView,
} from '../../ports/api/index.js';
import { answered, emptyReply, noContent, jsonReply } from '../replies/reply.js';
import { endpoint } from '../endpoint.js';
import { ById, type Route } from '../route.js';
import { parseWaitMs } from '../requests/wait.js';

const tag = 'Runners';
const REPORT_ERRORS: readonly ErrorCode[] = [
  'run_not_found',
  'runner_not_found',
  'lease_lost',
  'limit_exceeded',
];

/** What the four run reports of a runner share. */
const report = (verb: 'started' | 'completed' | 'failed' | 'stopped', summary: string) =>
  endpoint({
    method: 'POST',
    path: `/runner/runs/{id}/${verb}`,
    operationId: `reportRun${verb.charAt(0).toUpperCase()}${verb.slice(1)}`,
    summary,
    tag,
    params: ById,
    answers: { 200: { description: 'The run', schema: RunView } },
    errors: REPORT_ERRORS,
  });

export const runnerRoutes: readonly Route[] = [
  endpoint({
    method: 'POST',
    path: '/runner/register',
    operationId: 'registerRunner',
    summary: 'Register a runner',
    tag,
    answers: { 201: { description: 'The runner, and the times that it keeps to', schema: RunnerRegistered } },
    errors: ['limit_exceeded'],
  }).json(RunnerRegister, async ({ service }, body) => answered(201, await service.runners.register(body))),
  endpoint({
    method: 'GET',
    path: '/runner/runs',
    head: false,
    operationId: 'pollRuns',
    summary: 'Take runs to execute, and learn which to stop; waits until there are any',
    tag,
    query: RunnerPollQuery,
    answers: {
      200: { description: 'Work', schema: RunnerWork },
      204: { description: 'Nothing to do' },
    },
    errors: ['runner_not_found'],
  }).answer(({ service, actor, query, context }) =>
    context.waiting(actor, async (signal) => {
      const waitMs = parseWaitMs(query.wait, context.server.limits.pollTimeoutMs);
      const { runner_id: runnerId, capacity } = query;
      const work = await service.runners.poll({ runnerId, waitMs, capacity }, signal);
      if (!work.ok) return work;
      const { runs, stop_runs: stopRuns } = work.value;
      return ok(runs.length + stopRuns.length === 0 ? emptyReply(204) : jsonReply(200, work.value));
    }),
  ),
  endpoint({
    method: 'POST',
    path: '/runner/heartbeat',
    operationId: 'heartbeat',
    summary: 'Prolong the leases of runs, and learn which are lost and which to stop',
    tag,
    answers: { 200: { description: 'Lost leases and runs to stop', schema: HeartbeatAnswer } },
    errors: ['runner_not_found'],
  }).json(RunnerHeartbeat, async ({ service }, body) => answered(200, await service.runners.heartbeat(body))),
  report('started', 'The agent runs').json(RunStarted, async ({ service, params }, body) =>
    answered(200, await service.runners.started(params.id, body)),
  ),
  report('completed', 'The agent has ended its work').json(RunCompleted, async ({ service, params }, body) =>
    answered(200, await service.runners.completed(params.id, body)),
  ),
  report('failed', 'The run has failed').json(RunFailed, async ({ service, params }, body) =>
    answered(200, await service.runners.failed(params.id, body)),
  ),
  report('stopped', 'The run was stopped as asked').json(RunStopped, async ({ service, params }, body) =>
    answered(200, await service.runners.stopped(params.id, body)),
  ),
  endpoint({
    method: 'GET',
    path: '/runners',
    operationId: 'listRunners',
    summary: 'Runners',
    tag,
    query: PageQuery,
    answers: { 200: { description: 'Runners', schema: PageOf(RunnerView) } },
  }).answer(async ({ service, query }) => answered(200, await service.runners.list(query))),
  endpoint({
    method: 'DELETE',
    path: '/runners/{id}',
    operationId: 'deleteRunner',
    summary: 'Forget a runner; its runs are lost to it',
    tag,
    params: ById,
    answers: { 204: { description: 'Deleted' } },
    errors: ['runner_not_found'],
  }).answer(async ({ service, params }) => noContent(await service.runners.remove(params.id))),
];
