// Routes of sessions, their completions, and the callbacks that they pull.
import type { ErrorCode } from '../../domain/errors.js';
import {
  PulledCallbacks,
  SessionDeleteQuery,
  CompletionListed,
  CompletionListQuery,
  CompletionView,
  PageOf,
  Reason,
  SessionCreate,
  SessionCreated,
  SessionEvent,
  SessionEventAnswer,
  SessionListQuery,
  SessionResult,
  SessionTree,
  SessionView,
  StateEnvelope,
  WaitQuery,
} from '../../ports/api/index.js';
import { answered, createdAt, noContent } from '../replies/reply.js';
import { conditionalReply, tagWithin, type Validator } from '../preconditions.js';
import { endpoint } from '../endpoint.js';
import { ById, READ_CONDITIONS, type Route } from '../route.js';
import { parseWaitMs } from '../requests/wait.js';

const tag = 'Sessions';
const NOT_FOUND: readonly ErrorCode[] = ['session_not_found'];
/** Error codes of a new session, with or without a run. */
export const NEW_SESSION_ERRORS: readonly ErrorCode[] = [
  'session_exists',
  'session_not_found',
  'tree_too_deep',
  'agent_not_found',
  'agent_broken',
  'state_required',
  'contract_impossible',
  'write_scope_impossible',
  'invalid_schema',
  'schema_too_complex',
  'limit_exceeded',
];

export const sessionRoutes: readonly Route[] = [
  endpoint({
    method: 'POST',
    path: '/sessions',
    operationId: 'createSession',
    summary: 'Create a session, under a parent or as a root',
    tag,
    answers: { 201: { description: 'The session', schema: SessionCreated, location: true } },
    errors: [...NEW_SESSION_ERRORS, 'webhook_url_refused'],
  }).json(SessionCreate, async ({ service }, body) =>
    createdAt(await service.sessions.create(body), (session) => `/sessions/${session.session_id}`),
  ),
  endpoint({
    method: 'GET',
    path: '/sessions',
    operationId: 'listSessions',
    summary: 'Sessions',
    tag,
    query: SessionListQuery,
    answers: { 200: { description: 'Sessions', schema: PageOf(SessionView) } },
    errors: ['session_not_found'],
  }).answer(async ({ service, query }) => answered(200, await service.sessions.list(query))),
  endpoint({
    method: 'GET',
    path: '/sessions/{id}',
    operationId: 'getSession',
    summary: 'A session, by id or name',
    tag,
    params: ById,
    answers: { 200: { description: 'The session', schema: SessionView } },
    errors: NOT_FOUND,
  }).answer(async ({ service, params }) => answered(200, await service.sessions.get(params.id))),
  endpoint({
    method: 'GET',
    path: '/sessions/{id}/tree',
    operationId: 'getSessionTree',
    summary: 'A session with all that descend from it',
    tag,
    params: ById,
    answers: { 200: { description: 'The tree', schema: SessionTree } },
    errors: NOT_FOUND,
  }).answer(async ({ service, params }) => answered(200, await service.sessions.tree(params.id))),
  endpoint({
    method: 'GET',
    path: '/sessions/{id}/result',
    operationId: 'getSessionResult',
    summary: "The result of a session's work, never of an update run",
    tag,
    params: ById,
    answers: { 200: { description: 'The result', schema: SessionResult } },
    errors: NOT_FOUND,
  }).answer(async ({ service, params }) => answered(200, await service.sessions.result(params.id))),
  endpoint({
    method: 'GET',
    path: '/sessions/{id}/workflow-state',
    operationId: 'getSessionState',
    summary: "The workflow state of a session's tree",
    tag,
    params: ById,
    headers: READ_CONDITIONS,
    answers: {
      200: { description: 'The state', schema: StateEnvelope, etag: true },
      304: { description: 'The caller has this version of this state', etag: true },
    },
    errors: [...NOT_FOUND, 'state_not_found', 'version_conflict'],
  }).answer(async ({ service, params, context }) => {
    const state = await service.sessions.state(params.id);
    if (!state.ok) return state;
    const { state_id: stateId, version, current_data: document } = state.value;
    const present = () => ({ current_data: document });
    const validator: Validator = { tags: [tagWithin(version, stateId)], version, present };
    return conditionalReply(context, validator, ({ etag }) =>
      context.server.stateReplies.kept(state.value, etag),
    );
  }),
  endpoint({
    method: 'DELETE',
    path: '/sessions/{id}',
    operationId: 'deleteSession',
    summary: 'Delete a session that has no work under way',
    tag,
    params: ById,
    query: SessionDeleteQuery,
    answers: { 204: { description: 'Deleted' } },
    errors: [...NOT_FOUND, 'session_busy'],
  }).answer(async ({ service, params, query }) => noContent(await service.sessions.remove(params.id, query))),
  endpoint({
    method: 'POST',
    path: '/sessions/{id}/events',
    operationId: 'reportSessionEvent',
    summary:
      'Report what an external session does; `session_stop` ends its work, or an attempt to write the state',
    tag,
    params: ById,
    answers: {
      202: { description: 'What follows, and what is asked of the session now', schema: SessionEventAnswer },
    },
    errors: [...NOT_FOUND, 'session_not_external', 'session_busy', 'limit_exceeded'],
  }).json(SessionEvent, async ({ service, params }, body) =>
    answered(202, await service.sessions.report(params.id, body)),
  ),
  endpoint({
    method: 'POST',
    path: '/sessions/{id}/stop',
    operationId: 'stopSession',
    summary: 'Ask for the end of what the session is doing',
    tag,
    params: ById,
    answers: { 202: { description: 'The session as it is now', schema: SessionView } },
    errors: NOT_FOUND,
  }).json(
    Reason,
    async ({ service, params }, body) => answered(202, await service.sessions.stop(params.id, body)),
    true,
  ),
  endpoint({
    method: 'GET',
    path: '/completions',
    operationId: 'listCompletions',
    summary: 'How far sessions are with writing the state',
    tag,
    query: CompletionListQuery,
    answers: { 200: { description: 'Completions', schema: PageOf(CompletionListed) } },
    errors: NOT_FOUND,
  }).answer(async ({ service, query }) => answered(200, await service.sessions.completions(query))),
  endpoint({
    method: 'GET',
    path: '/sessions/{id}/completion',
    operationId: 'getCompletion',
    summary: 'How far the session is with writing the state, attempt by attempt',
    tag,
    params: ById,
    answers: { 200: { description: 'The completion', schema: CompletionView } },
    errors: NOT_FOUND,
  }).answer(async ({ service, params }) => answered(200, await service.sessions.completion(params.id))),
  endpoint({
    method: 'POST',
    path: '/sessions/{id}/completion/skip',
    operationId: 'skipCompletion',
    summary: 'Let the parent go on without the update',
    tag,
    params: ById,
    answers: { 200: { description: 'The completion', schema: CompletionView } },
    errors: [...NOT_FOUND, 'completion_settled'],
  }).json(
    Reason,
    async ({ service, params }, body) => answered(200, await service.sessions.skip(params.id, body)),
    true,
  ),
  endpoint({
    method: 'POST',
    path: '/sessions/{id}/completion/retry',
    operationId: 'retryCompletion',
    summary: 'Ask the session for the update once more',
    tag,
    params: ById,
    answers: { 200: { description: 'The completion', schema: CompletionView } },
    errors: [...NOT_FOUND, 'completion_settled', 'session_busy'],
  }).json(
    Reason,
    async ({ service, params }, body) => answered(200, await service.sessions.retry(params.id, body)),
    true,
  ),
  endpoint({
    method: 'GET',
    path: '/sessions/{id}/callbacks',
    head: false,
    operationId: 'pullCallbacks',
    summary:
      'Callbacks for a parent that pulls: delivered once they are answered here, given again until acknowledged',
    tag,
    params: ById,
    query: WaitQuery,
    answers: {
      200: { description: 'Callbacks, none where the wait ended without', schema: PulledCallbacks },
    },
    errors: NOT_FOUND,
  }).answer(({ service, actor, params, query, context }) =>
    context.waiting(actor, async (signal) => {
      const waitMs = parseWaitMs(query.wait, context.server.limits.waitMsMax);
      return answered(200, await service.sessions.pullCallbacks(params.id, waitMs, signal));
    }),
  ),
];
