// What each route asks of the service, and how the service's answer leaves.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { ROUTES } from '../../src/http/index.js';
import { SocketAuthenticate, SocketSubscribe, SocketUnsubscribe } from '../../src/ports/api/index.js';
import { ok, fakeApp, ENVELOPE, json, fail, type Script } from './fake-host.js';

const LEASE = { runner_id: 'rnr_1', attempt: 1, lease_token: 'lt' };
const RUN = { type: 'start_session', prompt: 'do it' };
const created = (schema: object, isNew: boolean) => ok({ schema, created: isNew });

interface Row {
  readonly call: string;
  readonly init?: RequestInit;
  readonly verb: string;
  readonly args: readonly unknown[];
  readonly answer?: unknown;
  readonly status: number;
  readonly location?: string;
}

const page = (more: object = {}) => ({ limit: 100, ...more });
const ordered = (more: object = {}) => page({ order: 'oldest', ...more });
const HOOK = { url: 'https://ci.example/', events: ['run_updated'], state_id: 'st_1', when: {} };
const SCHEMA = { name: 'tasks', json_schema: {} };

const DECISION = { type: 'scope', description: 'd', rationale: 'r', decided_by: 'a' };
const VERDICT = { agent: 'a', decision: 'reject', confidence: 1, reasoning: 'r' };

const rows: readonly Row[] = [
  {
    call: 'GET /workflow-states/st_1/workflow',
    verb: 'workflow.show',
    args: ['st_1'],
    status: 200,
  },
  {
    call: 'GET /workflow-states/st_1/workflow/archives/arc_1',
    verb: 'workflow.archive',
    args: ['st_1', 'arc_1'],
    status: 200,
  },
  ...(
    [
      ['POST', 'invocations', { agent: 'a', prompt: 'p' }, 'startInvocation'],
      ['POST', 'decisions', { ...DECISION }, 'addDecision'],
      ['POST', 'verdicts', { ...VERDICT }, 'addVerdict'],
      ['POST', 'handoffs', { from_agent: 'a', to_agent: 'b', reason: 'r', context: 'c' }, 'handOff'],
      ['PUT', 'phase', { phase: 'complete' }, 'setPhase'],
      ['PUT', 'mode', { mode: 'm' }, 'setMode'],
      ['POST', 'evidence', { protocol: 'end', evidence: {} }, 'addEvidence'],
      ['POST', 'compact', { keep: 0 }, 'compact'],
    ] as const
  ).map(([method, path, body, verb]) => ({
    call: `${method} /workflow-states/st_1/workflow/${path}`,
    init: json(method, body),
    verb: `workflow.${verb}`,
    args: ['st_1', body],
    status: 200,
  })),
  ...(
    [
      ['invocations/inv_1/completion', { status: 'failed', summary: 's' }, 'completeInvocation', 'inv_1'],
      ['decisions/dec_1/approvals', { agent: 'a' }, 'approveDecision', 'dec_1'],
      ['decisions/dec_1/rejections', { agent: 'a' }, 'rejectDecision', 'dec_1'],
    ] as const
  ).map(([path, body, verb, entryId]) => ({
    call: `POST /workflow-states/st_1/workflow/${path}`,
    init: json('POST', body),
    verb: `workflow.${verb}`,
    args: ['st_1', entryId, body],
    status: 200,
  })),
  {
    call: 'POST /hooks/codex?form=verdict&session=kid&wait=2s',
    init: json('POST', { hook_event_name: 'Stop' }),
    verb: 'hooks.answer',
    args: [
      'codex',
      { hook_event_name: 'Stop' },
      {
        session: 'kid',
        waitMs: 2000,
        refusalsMax: undefined,
        agents: undefined,
        url: 'http://localhost',
        signal: expect.any(AbortSignal),
      },
    ],
    status: 200,
  },
  {
    call: 'POST /workflow-schemas',
    init: json('POST', SCHEMA),
    verb: 'schemas.register',
    args: [SCHEMA],
    answer: created(SCHEMA, true),
    status: 201,
  },
  {
    call: 'POST /workflow-schemas',
    init: json('POST', SCHEMA),
    verb: 'schemas.register',
    args: [SCHEMA],
    answer: created(SCHEMA, false),
    status: 200,
  },
  {
    call: 'POST /workflow-schemas?dry_run=true',
    init: json('POST', { ...SCHEMA, compatibility: 'full_transitive' }),
    verb: 'schemas.tryRegister',
    args: [{ ...SCHEMA, compatibility: 'full_transitive' }],
    status: 200,
  },
  {
    call: 'GET /workflow-schemas?name=tasks',
    verb: 'schemas.list',
    args: [page({ name: 'tasks' })],
    status: 200,
  },
  { call: 'GET /workflow-schemas/tasks?version=2', verb: 'schemas.get', args: ['tasks', 2], status: 200 },
  { call: 'GET /workflow-schemas/tasks', verb: 'schemas.get', args: ['tasks', undefined], status: 200 },
  {
    call: 'POST /workflow-schemas/tasks/validate?version=2',
    init: json('POST', { data: [] }),
    verb: 'schemas.validate',
    args: ['tasks', [], 2],
    status: 200,
  },
  {
    call: 'GET /workflow-schemas/tasks/versions?limit=5',
    verb: 'schemas.versions',
    args: ['tasks', { limit: 5 }],
    status: 200,
  },
  {
    call: 'DELETE /workflow-schemas/tasks/versions/3',
    verb: 'schemas.remove',
    args: ['tasks', 3],
    answer: ok(null),
    status: 204,
  },
  {
    call: 'POST /workflow-states',
    init: json('POST', { schema_name: 'tasks', initial_data: {} }),
    verb: 'states.create',
    args: [{ schema_name: 'tasks', initial_data: {} }],
    answer: ok(ENVELOPE),
    status: 201,
    location: '/workflow-states/st_1',
  },
  {
    call: 'GET /workflow-states?include=data&cursor=c',
    verb: 'states.list',
    args: [ordered({ include: 'data', cursor: 'c' })],
    answer: ok({ items: [], next_cursor: null }),
    status: 200,
  },
  {
    call: 'GET /workflow-states/st_1',
    verb: 'states.get',
    args: ['st_1', undefined, undefined],
    answer: ok(ENVELOPE),
    status: 200,
  },
  {
    call: 'GET /workflow-states/st_1?at_version=3',
    verb: 'states.get',
    args: ['st_1', 3, undefined],
    answer: ok(ENVELOPE),
    status: 200,
  },
  {
    call: 'GET /workflow-states/st_1?after_version=7&wait=2s',
    verb: 'states.get',
    args: ['st_1', undefined, { afterVersion: 7, waitMs: 2000, signal: expect.any(AbortSignal) }],
    answer: ok(ENVELOPE),
    status: 200,
  },
  {
    call: 'POST /workflow-states/st_1/wait',
    init: json('POST', { until: { const: 1 }, timeout_ms: 5 }),
    verb: 'states.wait',
    args: ['st_1', { until: { const: 1 }, timeout_ms: 5 }, expect.any(AbortSignal)],
    answer: ok(ENVELOPE),
    status: 200,
  },
  {
    call: 'GET /workflow-states/st_1?pointer=/a~1b&at_version=3',
    verb: 'states.getAt',
    args: ['st_1', '/a~1b', 3, undefined],
    answer: ok({ version: 3 }),
    status: 200,
  },
  {
    call: 'PUT /workflow-states/st_1',
    init: json('PUT', { data: { a: 1 }, expected_version: 4 }),
    verb: 'states.replace',
    args: ['st_1', { a: 1 }, { expectedVersion: 4, ifMatch: undefined, dryRun: false }],
    answer: ok(ENVELOPE),
    status: 200,
  },
  {
    call: 'PUT /workflow-states/st_1?dry_run=true',
    init: json('PUT', { data: {} }),
    verb: 'states.replace',
    args: ['st_1', {}, { expectedVersion: undefined, ifMatch: undefined, dryRun: true }],
    answer: ok(ENVELOPE),
    status: 200,
  },
  {
    call: 'PATCH /workflow-states/st_1',
    init: json('PATCH', [{ op: 'test' }], { 'content-type': 'application/json-patch+json' }),
    verb: 'states.patch',
    args: ['st_1', [{ op: 'test' }], { expectedVersion: undefined, ifMatch: undefined, dryRun: false }],
    answer: ok(ENVELOPE),
    status: 200,
  },
  {
    call: 'PATCH /workflow-states/st_1',
    init: json(
      'PATCH',
      { a: null },
      { 'content-type': 'Application/Merge-Patch+JSON; charset="UTF-8"', 'if-match': '"7"' },
    ),
    verb: 'states.mergePatch',
    args: ['st_1', { a: null }, { expectedVersion: undefined, ifMatch: 7, dryRun: false }],
    answer: ok(ENVELOPE),
    status: 200,
  },
  {
    call: 'PATCH /workflow-states/st_1',
    init: json('PATCH', { operations: 5, expected_version: 2 }),
    verb: 'states.patch',
    args: ['st_1', 5, { expectedVersion: 2, ifMatch: undefined, dryRun: false }],
    answer: ok(ENVELOPE),
    status: 200,
  },
  {
    call: 'PUT /workflow-states/st_1',
    init: json('PUT', { data: {}, base_version: 'last_read', on_conflict: 'overwrite' }),
    verb: 'states.replace',
    args: ['st_1', {}, { dryRun: false, baseVersion: 'last_read', onConflict: 'overwrite' }],
    answer: ok(ENVELOPE),
    status: 200,
  },
  {
    call: 'PATCH /workflow-states/st_1?base_version=4&on_conflict=reject',
    init: json('PATCH', [], { 'content-type': 'application/json-patch+json' }),
    verb: 'states.patch',
    args: ['st_1', [], { dryRun: false, baseVersion: 4, onConflict: 'reject' }],
    answer: ok(ENVELOPE),
    status: 200,
  },
  {
    call: 'PATCH /workflow-states/st_1?base_version=last_read',
    init: json('PATCH', {}, { 'content-type': 'application/merge-patch+json' }),
    verb: 'states.mergePatch',
    args: ['st_1', {}, { dryRun: false, baseVersion: 'last_read' }],
    answer: ok(ENVELOPE),
    status: 200,
  },
  {
    call: 'PATCH /workflow-states/st_1',
    init: json('PATCH', { operations: [], base_version: 3 }),
    verb: 'states.patch',
    args: ['st_1', [], { dryRun: false, baseVersion: 3 }],
    answer: ok(ENVELOPE),
    status: 200,
  },
  {
    call: 'POST /workflow-states/st_1/ops?dry_run=true',
    init: json('POST', { operations: 5, expected_version: 2 }, { 'if-match': '"7"' }),
    verb: 'states.ops',
    args: ['st_1', 5, { expectedVersion: 2, ifMatch: 7, dryRun: true }],
    answer: ok(ENVELOPE),
    status: 200,
  },
  {
    call: 'GET /workflow-states/st_1/diff?from=3&to=1',
    verb: 'states.diff',
    args: ['st_1', { from: 3, to: 1 }],
    status: 200,
  },
  {
    call: 'POST /workflow-states/st_1/revert',
    init: json('POST', { to_version: 2, expected_version: 5 }),
    verb: 'states.revert',
    args: ['st_1', 2, { expectedVersion: 5, dryRun: false }],
    answer: ok(ENVELOPE),
    status: 200,
  },
  {
    call: 'GET /workflow-states/st_1/events?since=3',
    verb: 'states.events',
    args: ['st_1', { since: 3, limit: 100 }],
    status: 200,
  },
  {
    call: 'POST /workflow-states/wfs_1/migrate?dry_run=true',
    init: json('POST', { schema_version: 3, allow_existing: true }, { 'if-match': '"6"' }),
    verb: 'states.migrate',
    args: [
      'wfs_1',
      { schema_version: 3, allow_existing: true },
      { expectedVersion: undefined, ifMatch: 6, dryRun: true },
    ],
    answer: ok({ ...ENVELOPE, changed: true }),
    status: 200,
  },
  {
    call: 'DELETE /workflow-states/st_1',
    verb: 'states.remove',
    args: ['st_1', {}],
    answer: ok(null),
    status: 204,
  },
  {
    call: 'POST /sessions',
    init: json('POST', { session_name: 'root', external: true }),
    verb: 'sessions.create',
    args: [{ session_name: 'root', external: true }],
    answer: ok({ session_id: 'ses_1' }),
    status: 201,
    location: '/sessions/ses_1',
  },
  {
    call: 'GET /sessions?status=running',
    verb: 'sessions.list',
    args: [ordered({ status: 'running' })],
    status: 200,
  },
  { call: 'GET /sessions/root', verb: 'sessions.get', args: ['root'], status: 200 },
  { call: 'GET /sessions/root/tree', verb: 'sessions.tree', args: ['root'], status: 200 },
  { call: 'GET /sessions/root/result', verb: 'sessions.result', args: ['root'], status: 200 },
  {
    call: 'GET /sessions/root/workflow-state',
    verb: 'sessions.state',
    args: ['root'],
    answer: ok(ENVELOPE),
    status: 200,
  },
  {
    call: 'POST /sessions/root/state',
    init: json('POST', { initial_state: { a: 1 } }),
    verb: 'keys.open',
    args: ['root', { initial_state: { a: 1 } }],
    answer: ok(ENVELOPE),
    status: 201,
    location: '/workflow-states/st_1',
  },
  {
    call: 'GET /sessions/root/state',
    verb: 'keys.all',
    args: ['root'],
    answer: ok({ keys: {}, global_version: 3 }),
    status: 200,
  },
  {
    call: 'GET /sessions/root/state/keys/a%2Fb%20%7E',
    verb: 'keys.get',
    args: ['root', 'a/b ~'],
    answer: ok({ version: 3 }),
    status: 200,
  },
  {
    call: 'PUT /sessions/root/state/keys/a',
    init: json('PUT', { value: null }, { 'if-match': '"3"' }),
    verb: 'keys.set',
    args: ['root', 'a', null, { ifMatch: 3, ifAbsent: false }],
    answer: ok({ version: 4 }),
    status: 200,
  },
  {
    call: 'PUT /sessions/root/state/keys/a',
    init: json('PUT', { value: null }, { 'if-match': '"3.wfstate_1"' }),
    verb: 'keys.set',
    args: ['root', 'a', null, { ifMatch: 3, ofState: 'wfstate_1', ifAbsent: false }],
    answer: ok({ version: 4, state_id: 'wfstate_1' }),
    status: 200,
  },
  {
    call: 'PUT /sessions/root/state/keys/a',
    init: json('PUT', { value: 1 }, { 'if-none-match': '*' }),
    verb: 'keys.set',
    args: ['root', 'a', 1, { ifMatch: undefined, ifAbsent: true }],
    answer: ok({ version: 4 }),
    status: 200,
  },
  {
    call: 'PUT /sessions/root/state/keys/a?base_version=last_read&on_conflict=overwrite',
    init: json('PUT', { value: 1 }),
    verb: 'keys.set',
    args: ['root', 'a', 1, { ifAbsent: false, baseVersion: 'last_read', onConflict: 'overwrite' }],
    answer: ok({ version: 4 }),
    status: 200,
  },
  {
    call: 'DELETE /sessions/root/state/keys/a?base_version=3',
    verb: 'keys.remove',
    args: ['root', 'a', { ifAbsent: false, baseVersion: 3 }],
    answer: ok({ changed: true }),
    status: 200,
  },
  {
    call: 'DELETE /sessions/root/state/keys/a',
    init: { headers: { 'if-match': '*' } },
    verb: 'keys.remove',
    args: ['root', 'a', { ifMatch: '*', ifAbsent: false }],
    answer: ok({ changed: true }),
    status: 200,
  },
  {
    call: 'POST /sessions/root/state/keys/a/ops',
    init: json('POST', { operation: 'increment', delta: 2 }),
    verb: 'keys.operate',
    args: ['root', 'a', { operation: 'increment', delta: 2 }, { ifMatch: undefined, ifAbsent: false }],
    answer: ok({ version: 4 }),
    status: 200,
  },
  {
    call: 'POST /sessions/root/state/batch',
    init: json('POST', { operations: [{ op: 'set', key: 'a', value: 1, if_match: '*' }] }),
    verb: 'keys.batch',
    args: ['root', { operations: [{ op: 'set', key: 'a', value: 1, if_match: '*' }] }],
    status: 200,
  },
  {
    call: 'GET /sessions/root/state/events?since=3&limit=2',
    verb: 'keys.events',
    args: ['root', { since: 3, limit: 2 }],
    status: 200,
  },
  {
    call: 'POST /sessions/root/state/events',
    init: json('POST', { type: 'append', key: 'log', items: [1] }),
    verb: 'keys.append',
    args: ['root', { type: 'append', key: 'log', items: [1] }],
    status: 200,
  },
  {
    call: 'DELETE /sessions/root',
    verb: 'sessions.remove',
    args: ['root', {}],
    answer: ok(null),
    status: 204,
  },
  {
    call: 'POST /sessions/root/events',
    init: json('POST', { type: 'session_stop' }),
    verb: 'sessions.report',
    args: ['root', { type: 'session_stop' }],
    status: 202,
  },
  { call: 'POST /sessions/root/stop', verb: 'sessions.stop', args: ['root', {}], status: 202 },
  {
    call: 'POST /sessions/root/stop',
    init: json('POST', { reason: 'moot' }),
    verb: 'sessions.stop',
    args: ['root', { reason: 'moot' }],
    status: 202,
  },
  { call: 'GET /sessions/root/completion', verb: 'sessions.completion', args: ['root'], status: 200 },
  {
    call: 'GET /completions?status=pending&root_session=root',
    verb: 'sessions.completions',
    args: [ordered({ status: 'pending', root_session: 'root' })],
    status: 200,
  },
  {
    call: 'POST /sessions/root/completion/skip',
    init: json('POST', { reason: 'moot' }),
    verb: 'sessions.skip',
    args: ['root', { reason: 'moot' }],
    status: 200,
  },
  { call: 'POST /sessions/root/completion/skip', verb: 'sessions.skip', args: ['root', {}], status: 200 },
  { call: 'POST /sessions/root/completion/retry', verb: 'sessions.retry', args: ['root', {}], status: 200 },
  {
    call: 'GET /sessions/root/callbacks?wait=2m',
    verb: 'sessions.pullCallbacks',
    args: ['root', 60_000, expect.any(AbortSignal)],
    status: 200,
  },
  {
    call: 'GET /callbacks?status=dead',
    verb: 'callbacks.list',
    args: [ordered({ status: 'dead' })],
    status: 200,
  },
  {
    call: 'GET /callbacks?child_session=kid',
    verb: 'callbacks.list',
    args: [ordered({ child_session: 'kid' })],
    status: 200,
  },
  { call: 'POST /callbacks/cb_1/ack', verb: 'callbacks.acknowledge', args: ['cb_1'], status: 200 },
  { call: 'POST /callbacks/cb_1/redeliver', verb: 'callbacks.redeliver', args: ['cb_1', {}], status: 200 },
  {
    call: 'POST /callbacks/cb_1/redeliver',
    init: json('POST', { reason: 'lost' }),
    verb: 'callbacks.redeliver',
    args: ['cb_1', { reason: 'lost' }],
    status: 200,
  },
  {
    call: 'POST /runs',
    init: json('POST', RUN),
    verb: 'runs.create',
    args: [RUN],
    answer: ok({ run_id: 'run_1' }),
    status: 201,
    location: '/runs/run_1',
  },
  { call: 'GET /runs?session=root', verb: 'runs.list', args: [ordered({ session: 'root' })], status: 200 },
  { call: 'GET /runs/run_1', verb: 'runs.get', args: ['run_1'], status: 200 },
  { call: 'POST /runs/run_1/stop', verb: 'runs.stop', args: ['run_1', {}], status: 202 },
  {
    call: 'POST /runs/run_1/stop',
    init: json('POST', { reason: 'moot' }),
    verb: 'runs.stop',
    args: ['run_1', { reason: 'moot' }],
    status: 202,
  },
  {
    call: 'POST /runner/register',
    init: json('POST', { hostname: 'h', executor_types: ['command'] }),
    verb: 'runners.register',
    args: [{ hostname: 'h', executor_types: ['command'] }],
    status: 201,
  },
  {
    call: 'GET /runner/runs?runner_id=rnr_1&wait=500ms&capacity=2',
    verb: 'runners.poll',
    args: [{ runnerId: 'rnr_1', waitMs: 500, capacity: 2 }, expect.any(AbortSignal)],
    answer: ok({ runs: [{}], stop_runs: [] }),
    status: 200,
  },
  {
    call: 'GET /runner/runs?runner_id=rnr_1&wait=90',
    verb: 'runners.poll',
    args: [{ runnerId: 'rnr_1', waitMs: 25_000, capacity: undefined }, expect.any(AbortSignal)],
    answer: ok({ runs: [], stop_runs: ['run_1'] }),
    status: 200,
  },
  {
    call: 'GET /runner/runs?runner_id=rnr_1',
    verb: 'runners.poll',
    args: [{ runnerId: 'rnr_1', waitMs: 0, capacity: undefined }, expect.any(AbortSignal)],
    answer: ok({ runs: [], stop_runs: [] }),
    status: 204,
  },
  {
    call: 'POST /runner/heartbeat',
    init: json('POST', { runner_id: 'rnr_1', runs: [] }),
    verb: 'runners.heartbeat',
    args: [{ runner_id: 'rnr_1', runs: [] }],
    status: 200,
  },
  {
    call: 'POST /runner/runs/run_1/started',
    init: json('POST', LEASE),
    verb: 'runners.started',
    args: ['run_1', LEASE],
    status: 200,
  },
  {
    call: 'POST /runner/runs/run_1/completed',
    init: json('POST', LEASE),
    verb: 'runners.completed',
    args: ['run_1', LEASE],
    status: 200,
  },
  {
    call: 'POST /runner/runs/run_1/failed',
    init: json('POST', { ...LEASE, error: 'e' }),
    verb: 'runners.failed',
    args: ['run_1', { ...LEASE, error: 'e' }],
    status: 200,
  },
  {
    call: 'POST /runner/runs/run_1/stopped',
    init: json('POST', LEASE),
    verb: 'runners.stopped',
    args: ['run_1', LEASE],
    status: 200,
  },
  { call: 'GET /runners?limit=2', verb: 'runners.list', args: [{ limit: 2 }], status: 200 },
  { call: 'GET /agents?limit=5', verb: 'agents.list', args: [{ limit: 5 }], status: 200 },
  { call: 'GET /agents/reviewer', verb: 'agents.get', args: ['reviewer'], status: 200 },
  {
    call: 'DELETE /runners/rnr_1',
    verb: 'runners.remove',
    args: ['rnr_1'],
    answer: ok(null),
    status: 204,
  },
  {
    call: 'POST /webhooks',
    init: json('POST', HOOK),
    verb: 'webhooks.create',
    args: [HOOK],
    answer: ok({ webhook_id: 'whk_1' }),
    status: 201,
    location: '/webhooks/whk_1',
  },
  { call: 'GET /webhooks?limit=5', verb: 'webhooks.list', args: [{ limit: 5 }], status: 200 },
  { call: 'GET /webhooks/whk_1', verb: 'webhooks.get', args: ['whk_1'], status: 200 },
  {
    call: 'DELETE /webhooks/whk_1',
    verb: 'webhooks.remove',
    args: ['whk_1'],
    answer: ok(null),
    status: 204,
  },
  {
    call: 'POST /webhooks/whk_1/enable',
    init: { method: 'POST' },
    verb: 'webhooks.enable',
    args: ['whk_1'],
    status: 200,
  },
  {
    call: 'POST /webhooks/whk_1/disable',
    init: json('POST', { reason: 'moves' }),
    verb: 'webhooks.disable',
    args: ['whk_1', { reason: 'moves' }],
    status: 200,
  },
  {
    call: 'GET /webhooks/whk_1/deliveries?status=dead',
    verb: 'webhooks.deliveries',
    args: ['whk_1', page({ status: 'dead' })],
    status: 200,
  },
  {
    call: 'POST /webhooks/whk_1/deliveries/dlv_1/redeliver',
    init: { method: 'POST' },
    verb: 'webhooks.redeliver',
    args: ['whk_1', 'dlv_1', {}],
    status: 200,
  },
  { call: 'GET /whoami', verb: 'operations.whoAmI', args: [], status: 200 },
  { call: 'GET /activity', verb: 'operations.activity', args: [], status: 200 },
  { call: 'GET /overview', verb: 'operations.overview', args: [], status: 200 },
  { call: 'GET /doctor', verb: 'operations.doctor', args: [], status: 200 },
];

const script: Script = {};
const { app, host } = fakeApp(script);

describe.each(rows)('$call, $status', (row) => {
  const [method = '', url = ''] = row.call.split(' ');

  test('asks the service once and gives its answer', async () => {
    host.asked.length = 0;
    script[row.verb] = () => row.answer ?? ok({ said: row.verb });
    const response = await app.request(url, { method, ...row.init });
    expect(host.asked).toEqual([{ verb: row.verb, args: row.args }]);
    expect(response.status).toBe(row.status);
    expect(response.headers.get('location')).toBe(row.location ?? null);
    const text = await response.text();
    if (row.status === 204) expect(text).toBe('');
    else expect(response.headers.get('content-type')).toBe('application/json');
    if (row.answer === undefined) expect(JSON.parse(text)).toEqual({ said: row.verb });
  });

  test('gives a refusal as a problem', async () => {
    script[row.verb] = () => fail('overloaded', 'Later', { queue: 5 });
    const response = await app.request(url, { method, ...row.init });
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('1');
    expect(await response.json()).toMatchObject({ error: 'overloaded', detail: 'Later', queue: 5 });
  });
});

test('each route that asks the service is in the table', () => {
  const tested = new Set(
    rows.map(({ call }) => {
      const [method = '', url = ''] = call.split(' ');
      const path = url.replace(/\?.*/, '');
      const route = ROUTES.find(
        (item) =>
          item.method === method && new RegExp(`^${item.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
      );
      return route?.operationId;
    }),
  );
  // Streams answer with no JSON: streams.test.ts has them. MCP has tests of its own.
  const called = ROUTES.filter(
    ({ access, answers, operationId }) =>
      access === 'caller' && operationId !== 'mcp' && answers[200]?.contentType !== 'text/event-stream',
  ).map((route) => route.operationId);
  expect(called.filter((id) => !tested.has(id))).toEqual([]);
});

test('all schemas of requests are valid: the service does not check them itself', () => {
  const ajv = new Ajv2020();
  const ofRoutes = ROUTES.flatMap(({ params, query, bodies }) => [
    params,
    query,
    ...bodies.map(({ schema }) => schema),
  ]);
  for (const schema of [...ofRoutes, SocketAuthenticate, SocketSubscribe, SocketUnsubscribe])
    expect(ajv.validateSchema({ ...schema }), JSON.stringify(ajv.errors)).toBe(true);
});
