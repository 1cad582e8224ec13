// Bad input of every kind against the whole service on a real database: the code, where and what was expected,
// and not a byte written.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/domain/limits.js';
import { createHttpApp, type HttpApp } from '../../src/http/index.js';
import { must, openHarness, PlayedRunner, silent, type Harness } from '../service/harness.js';

interface Case {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
  /** Sent as it is instead of `body`. */
  readonly text?: string;
  readonly status: number;
  readonly error: string;
  readonly members?: Record<string, unknown>;
}

const PATCH = { 'content-type': 'application/json-patch+json' };
const MERGE = { 'content-type': 'application/merge-patch+json' };
const deep = (levels: number) => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);

describe('a bad request changes nothing and says what was expected', () => {
  let harness: Harness;
  let app: HttpApp;
  const known: Record<string, string> = {};

  beforeAll(async () => {
    harness = await openHarness();
    app = createHttpApp({
      host: harness.service,
      limits: DEFAULT_LIMITS,
      logger: silent,
      clock: harness.clock,
      auth: false,
      allowedHosts: [],
      allowedOrigins: [],
      version: 'test',
      draining: () => false,
    });
    const { operator } = harness;
    must(
      await operator.schemas.register({
        name: 'plan',
        json_schema: { type: 'object', properties: { n: { type: 'integer', maximum: 9 } }, required: ['n'] },
      }),
    );
    for (const tree of ['one', 'two']) {
      must(await operator.runs.create({ type: 'start_session', session_name: tree, prompt: 'go' }));
      const root = await harness.as(tree);
      known[tree] = must(await root.states.create({ schema_name: 'plan', initial_data: { n: 1 } })).state_id;
    }
    const runner = await PlayedRunner.register(harness);
    const run = await runner.take('one');
    await runner.start((await runner.claim())[0] ?? run);
    Object.assign(known, { runner: runner.runnerId, run: run.run_id, token: run.lease_token });
  });
  afterAll(() => harness.close());

  const cases: Case[] = [
    {
      name: 'malformed JSON',
      method: 'PUT',
      path: '/workflow-states/{one}',
      text: '{"data": {',
      status: 400,
      error: 'invalid_json',
    },
    { name: 'no body', method: 'POST', path: '/sessions', text: '', status: 400, error: 'invalid_json' },
    {
      name: 'a wrong content type',
      method: 'PATCH',
      path: '/workflow-states/{one}',
      headers: { 'content-type': 'text/plain' },
      text: '[]',
      status: 415,
      error: 'unsupported_media_type',
    },
    {
      name: 'an unknown member',
      method: 'PUT',
      path: '/workflow-states/{one}',
      body: { data: { n: 1 }, force: true },
      status: 422,
      error: 'invalid_request',
      members: { errors: [expect.objectContaining({ pointer: '/force' })] },
    },
    {
      name: 'a body over the limit',
      method: 'PUT',
      path: '/workflow-states/{one}',
      body: { data: { n: 1, x: 'x'.repeat(5 * 1024 * 1024) } },
      status: 413,
      error: 'payload_too_large',
    },
    {
      name: 'a document over the limit',
      method: 'PUT',
      path: '/workflow-states/{one}',
      body: { data: { n: 1, x: 'x'.repeat(1024 * 1024) } },
      status: 413,
      error: 'limit_exceeded',
      members: { limit: 'stateBytesMax' },
    },
    {
      name: 'a document that is too deep',
      method: 'PUT',
      path: '/workflow-states/{one}',
      text: `{"data": ${deep(70)}}`,
      status: 422,
      error: 'limit_exceeded',
      members: { limit: 'documentDepthMax' },
    },
    {
      name: 'a depth bomb',
      method: 'PUT',
      path: '/workflow-states/{one}',
      text: `{"data": ${deep(100_000)}}`,
      status: 422,
      error: 'limit_exceeded',
    },
    {
      name: 'a depth bomb as a patch',
      method: 'PATCH',
      path: '/workflow-states/{one}',
      headers: MERGE,
      text: deep(100_000),
      status: 422,
      error: 'limit_exceeded',
    },
    {
      name: 'a patch that grows',
      method: 'PATCH',
      path: '/workflow-states/{one}',
      headers: PATCH,
      body: [
        { op: 'add', path: '/a', value: 'x'.repeat(1000) },
        ...Array.from({ length: 18 }, (_, i) => ({ op: 'copy', from: '', path: `/c${String(i)}` })),
      ],
      status: 413,
      error: 'limit_exceeded',
      members: { limit: 'patchGrowthBytesMax' },
    },
    {
      name: 'too many operations',
      method: 'PATCH',
      path: '/workflow-states/{one}',
      headers: PATCH,
      body: Array(1001).fill({ op: 'test', path: '/n', value: 1 }),
      status: 422,
      error: 'limit_exceeded',
      members: { limit: 'patchOperationsMax' },
    },
    {
      name: '__proto__ as a member',
      method: 'PUT',
      path: '/workflow-states/{one}',
      text: '{"data": {"n": 1, "__proto__": {"x": 1}}}',
      status: 422,
      error: 'invalid_request',
      members: { errors: [expect.objectContaining({ pointer: '/data/__proto__' })] },
    },
    {
      name: '__proto__ in a merge patch',
      method: 'PATCH',
      path: '/workflow-states/{one}',
      headers: MERGE,
      text: '{"__proto__": {"x": 1}}',
      status: 422,
      error: 'invalid_request',
    },
    {
      name: 'constructor as a path segment',
      method: 'PATCH',
      path: '/workflow-states/{one}',
      headers: PATCH,
      body: [{ op: 'add', path: '/constructor', value: 1 }],
      status: 422,
      error: 'patch_failed',
      members: { operation_index: 0 },
    },
    {
      name: 'a failing operation',
      method: 'PATCH',
      path: '/workflow-states/{one}',
      headers: PATCH,
      body: [
        { op: 'replace', path: '/n', value: 2 },
        { op: 'remove', path: '/gone' },
      ],
      status: 422,
      error: 'patch_failed',
      members: { operation_index: 1 },
    },
    {
      name: 'a document that breaks the schema',
      method: 'PUT',
      path: '/workflow-states/{one}',
      body: { data: { n: 10 } },
      status: 422,
      error: 'validation_failed',
      members: { errors: [expect.objectContaining({ pointer: '/n', keyword: 'maximum' })] },
    },
    {
      name: 'a document that is no object',
      method: 'PUT',
      path: '/workflow-states/{one}',
      body: { data: [1] },
      status: 422,
      error: 'validation_failed',
    },
    {
      name: 'a patch that breaks the schema',
      method: 'PATCH',
      path: '/workflow-states/{one}',
      headers: PATCH,
      body: [{ op: 'remove', path: '/n' }],
      status: 422,
      error: 'validation_failed',
    },
    {
      name: 'a stale expected_version',
      method: 'PUT',
      path: '/workflow-states/{one}',
      body: { data: { n: 2 }, expected_version: 7 },
      status: 409,
      error: 'version_conflict',
      members: { current_version: 1, your_version: 7, current_data: { n: 1 } },
    },
    {
      name: 'a stale If-Match',
      method: 'PATCH',
      path: '/workflow-states/{one}',
      headers: { ...PATCH, 'if-match': '"7"' },
      body: [],
      status: 412,
      error: 'version_conflict',
      members: { current_version: 1, your_version: 7 },
    },
    {
      name: 'an unknown state',
      method: 'GET',
      path: '/workflow-states/wfstate_gone',
      status: 404,
      error: 'state_not_found',
    },
    {
      name: 'an unknown state to write to',
      method: 'PUT',
      path: '/workflow-states/wfstate_gone',
      body: { data: {} },
      status: 404,
      error: 'state_not_found',
    },
    {
      name: 'a version that has not been',
      method: 'GET',
      path: '/workflow-states/{one}?at_version=9',
      status: 404,
      error: 'version_not_found',
    },
    {
      name: 'a place that is not there',
      method: 'GET',
      path: '/workflow-states/{one}?pointer=/x',
      status: 404,
      error: 'pointer_not_found',
    },
    {
      name: 'a pointer that is none',
      method: 'GET',
      path: '/workflow-states/{one}?pointer=x',
      status: 422,
      error: 'invalid_request',
    },
    {
      name: 'an unknown schema',
      method: 'POST',
      path: '/workflow-states',
      body: { schema_name: 'gone', initial_data: {} },
      status: 404,
      error: 'schema_not_found',
    },
    {
      name: 'a second state for a tree',
      method: 'POST',
      path: '/workflow-states',
      body: { schema_name: 'plan', initial_data: { n: 1 }, root_session_name: 'one' },
      status: 409,
      error: 'state_exists',
    },
    {
      name: 'a first document that breaks the schema',
      method: 'POST',
      path: '/workflow-states',
      body: { schema_name: 'plan', initial_data: {} },
      status: 422,
      error: 'validation_failed',
    },
    {
      name: 'a schema that is none',
      method: 'POST',
      path: '/workflow-schemas',
      body: { name: 'bad', json_schema: { type: 'objekt' } },
      status: 422,
      error: 'invalid_schema',
    },
    {
      name: 'a schema for something else than an object',
      method: 'POST',
      path: '/workflow-schemas',
      body: { name: 'bad', json_schema: { type: 'array' } },
      status: 422,
      error: 'invalid_schema',
    },
    {
      name: 'a schema in use',
      method: 'DELETE',
      path: '/workflow-schemas/plan/versions/1',
      status: 409,
      error: 'schema_in_use',
    },
    {
      name: 'an unknown session',
      method: 'GET',
      path: '/sessions/nobody',
      status: 404,
      error: 'session_not_found',
    },
    {
      name: 'a caller that is nobody',
      method: 'GET',
      path: '/sessions',
      headers: { 'x-agent-session-name': 'nobody' },
      status: 404,
      error: 'session_not_found',
    },
    {
      name: 'a name that is taken',
      method: 'POST',
      path: '/sessions',
      body: { session_name: 'one' },
      status: 409,
      error: 'session_exists',
    },
    {
      name: 'an unknown parent',
      method: 'POST',
      path: '/sessions',
      body: { parent_session_name: 'nobody' },
      status: 404,
      error: 'session_not_found',
    },
    {
      name: 'a callback without a caller',
      method: 'POST',
      path: '/runs',
      body: { type: 'start_session', prompt: 'x', callback: true },
      status: 422,
      error: 'invalid_request',
      members: { errors: [expect.objectContaining({ pointer: '/callback' })] },
    },
    {
      name: 'a contract that is no schema',
      method: 'POST',
      path: '/sessions',
      body: { completion: { contract: { pointer: '/n', schema: { type: 7 } } } },
      status: 422,
      error: 'invalid_schema',
      members: {
        errors: expect.arrayContaining([
          expect.objectContaining({ pointer: '/completion/contract/schema/type' }),
        ]),
      },
    },
    {
      name: 'a contract of a run that is no schema',
      method: 'POST',
      path: '/runs',
      body: {
        type: 'start_session',
        prompt: 'p',
        completion: { contract: { pointer: '/n', schema: { $ref: '#/$defs/none' } } },
      },
      status: 422,
      error: 'invalid_schema',
      members: { errors: [expect.objectContaining({ pointer: '/completion/contract/schema/$ref' })] },
    },
    {
      name: 'a session with work, to be deleted',
      method: 'DELETE',
      path: '/sessions/one',
      status: 409,
      error: 'session_busy',
    },
    {
      name: 'a report on a session that is run',
      method: 'POST',
      path: '/sessions/one/events',
      body: { type: 'session_stop' },
      status: 409,
      error: 'session_not_external',
    },
    {
      name: 'a completion that is not open to retry',
      method: 'POST',
      path: '/sessions/one/completion/retry',
      body: {},
      status: 409,
      error: 'session_busy',
    },
    {
      name: 'a read from outside the tree',
      method: 'GET',
      path: '/workflow-states/{two}',
      headers: { 'x-agent-session-name': 'one' },
      status: 404,
      error: 'state_not_found',
    },
    {
      name: 'a write from outside the tree',
      method: 'PUT',
      path: '/workflow-states/{two}',
      headers: { 'x-agent-session-name': 'one' },
      body: { data: { n: 2 } },
      status: 404,
      error: 'state_not_found',
    },
    {
      name: 'a session from outside the tree',
      method: 'GET',
      path: '/sessions/two',
      headers: { 'x-agent-session-name': 'one' },
      status: 404,
      error: 'session_not_found',
    },
    {
      name: 'a child in another tree',
      method: 'POST',
      path: '/sessions',
      headers: { 'x-agent-session-name': 'one' },
      body: { parent_session_name: 'two' },
      status: 404,
      error: 'session_not_found',
    },
    {
      name: 'a session that plays runner',
      method: 'POST',
      path: '/runner/register',
      headers: { 'x-agent-session-name': 'one' },
      body: { hostname: 'h', executor_types: ['command'] },
      status: 403,
      error: 'forbidden',
    },
    { name: 'an unknown run', method: 'GET', path: '/runs/run_gone', status: 404, error: 'run_not_found' },
    {
      name: 'a foreign lease',
      method: 'POST',
      path: '/runner/runs/{run}/completed',
      body: { runner_id: '{runner}', attempt: 1, lease_token: 'foreign' },
      status: 409,
      error: 'lease_lost',
    },
    {
      name: 'an attempt that is over',
      method: 'POST',
      path: '/runner/runs/{run}/failed',
      body: { runner_id: '{runner}', attempt: 2, lease_token: '{token}', error: 'x' },
      status: 409,
      error: 'lease_lost',
    },
    {
      name: 'an unknown runner',
      method: 'POST',
      path: '/runner/heartbeat',
      body: { runner_id: 'rnr_gone', runs: [] },
      status: 404,
      error: 'runner_not_found',
    },
    {
      name: 'an unknown callback',
      method: 'POST',
      path: '/callbacks/cb_gone/ack',
      status: 404,
      error: 'callback_not_found',
    },
    {
      name: 'a cursor that is none',
      method: 'GET',
      path: '/runs?cursor=zzz',
      status: 422,
      error: 'invalid_request',
    },
    {
      name: 'a webhook without events',
      method: 'POST',
      path: '/webhooks',
      body: { url: 'https://ci.example/', events: [] },
      status: 422,
      error: 'invalid_request',
      members: { errors: [expect.objectContaining({ pointer: '/events' })] },
    },
    {
      name: 'a webhook on an event that there is not',
      method: 'POST',
      path: '/webhooks',
      body: { url: 'https://ci.example/', events: ['state_updated'] },
      status: 422,
      error: 'invalid_request',
      members: { errors: [expect.objectContaining({ pointer: '/events/0' })] },
    },
    {
      name: 'a webhook to a private address',
      method: 'POST',
      path: '/webhooks',
      body: { url: 'https://192.168.0.1/', events: ['run_updated'] },
      status: 422,
      error: 'webhook_url_refused',
      members: { errors: [expect.objectContaining({ pointer: '/url' })] },
    },
    {
      name: 'a webhook with a secret that is none',
      method: 'POST',
      path: '/webhooks',
      body: { url: 'https://ci.example/', events: ['run_updated'], secret: 'hunter2' },
      status: 422,
      error: 'invalid_request',
      members: { errors: [expect.objectContaining({ pointer: '/secret' })] },
    },
    {
      name: 'a webhook with a secret of the wrong length',
      method: 'POST',
      path: '/webhooks',
      body: { url: 'https://ci.example/', events: ['run_updated'], secret: `whsec_${'A'.repeat(33)}` },
      status: 422,
      error: 'invalid_request',
      members: { errors: [expect.objectContaining({ pointer: '/secret' })] },
    },
    {
      name: 'a webhook about two things',
      method: 'POST',
      path: '/webhooks',
      body: {
        url: 'https://ci.example/',
        events: ['workflow_state_updated'],
        state_id: '{one}',
        root_session: 'one',
      },
      status: 422,
      error: 'invalid_request',
      members: { errors: [expect.objectContaining({ pointer: '/root_session' })] },
    },
    {
      name: 'a webhook about an unknown state',
      method: 'POST',
      path: '/webhooks',
      body: { url: 'https://ci.example/', events: ['workflow_state_updated'], state_id: 'wst_gone' },
      status: 404,
      error: 'state_not_found',
    },
    {
      name: 'a webhook about an unknown tree',
      method: 'POST',
      path: '/webhooks',
      body: { url: 'https://ci.example/', events: ['run_updated'], root_session: 'nobody' },
      status: 404,
      error: 'session_not_found',
    },
    {
      name: 'runs of a schema',
      method: 'POST',
      path: '/webhooks',
      body: { url: 'https://ci.example/', events: ['run_updated'], schema_name: 'plan' },
      status: 422,
      error: 'invalid_request',
      members: { errors: [expect.objectContaining({ pointer: '/events/0' })] },
    },
    {
      name: 'a condition on runs',
      method: 'POST',
      path: '/webhooks',
      body: { url: 'https://ci.example/', events: ['workflow_state_updated', 'run_updated'], when: {} },
      status: 422,
      error: 'invalid_request',
      members: { errors: [expect.objectContaining({ pointer: '/events/1' })] },
    },
    {
      name: 'a condition that is no schema',
      method: 'POST',
      path: '/webhooks',
      body: { url: 'https://ci.example/', events: ['workflow_state_updated'], when: { type: 'plan' } },
      status: 422,
      error: 'invalid_schema',
      members: { errors: expect.arrayContaining([expect.objectContaining({ pointer: '/when/type' })]) },
    },
    {
      name: "a webhook on another tree's state",
      method: 'POST',
      path: '/webhooks',
      headers: { 'x-agent-session-name': 'one' },
      body: { url: 'https://ci.example/', events: ['workflow_state_updated'], state_id: '{two}' },
      status: 404,
      error: 'state_not_found',
    },
    {
      name: 'an unknown webhook',
      method: 'POST',
      path: '/webhooks/whk_gone/enable',
      status: 404,
      error: 'webhook_not_found',
    },
    {
      name: 'a delivery of an unknown webhook',
      method: 'POST',
      path: '/webhooks/whk_gone/deliveries/dlv_gone/redeliver',
      status: 404,
      error: 'webhook_not_found',
    },
    {
      name: 'a parent with a URL that it may not have',
      method: 'POST',
      path: '/sessions',
      body: { delivery: 'webhook', callback_url: 'https://localhost:1@10.0.0.1/' },
      status: 422,
      error: 'webhook_url_refused',
      members: { errors: [expect.objectContaining({ pointer: '/callback_url' })] },
    },
    ...[
      '/sessions?root_session=nobody',
      '/sessions?parent_session=nobody',
      '/completions?root_session=nobody',
      '/runs?session=nobody',
      '/runs?root_session=nobody',
      '/callbacks?root_session=nobody',
      '/callbacks?child_session=nobody',
      '/workflow-states?root_session=nobody',
      '/stream?root_session=nobody',
    ].map((path) => ({
      name: `a list for a session that does not exist, ${path}`,
      method: 'GET',
      path,
      status: 404,
      error: 'session_not_found',
    })),
    { name: 'an unknown path', method: 'GET', path: '/nowhere', status: 404, error: 'route_not_found' },
    {
      name: 'a method that is not taken',
      method: 'DELETE',
      path: '/runs',
      status: 405,
      error: 'method_not_allowed',
    },
    {
      name: 'a Host of somebody else',
      method: 'GET',
      path: '/sessions',
      headers: { host: 'evil.example' },
      status: 421,
      error: 'host_refused',
    },
    {
      name: 'an Origin of somebody else',
      method: 'GET',
      path: '/sessions',
      headers: { origin: 'https://evil.example' },
      status: 403,
      error: 'origin_refused',
    },
  ];

  const filled = (text: string) => text.replace(/\{(\w+)\}/g, (whole, name: string) => known[name] ?? whole);

  it.each(cases)('$name: $error', async (one) => {
    const before = harness.dump();
    const body = one.text ?? (one.body === undefined ? undefined : filled(JSON.stringify(one.body)));
    const response = await app.request(`http://127.0.0.1${filled(one.path)}`, {
      method: one.method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...one.headers },
      ...(body === undefined ? {} : { body }),
    });
    const problem = (await response.json()) as Record<string, unknown>;
    expect(problem).toMatchObject({ error: one.error, status: one.status, ...one.members });
    expect(response.status).toBe(one.status);
    expect(response.headers.get('content-type')).toContain('application/problem+json');
    expect(harness.dump()).toBe(before);
  });

  it('is still up, and well', async () => {
    expect((await app.request('http://127.0.0.1/healthz')).status).toBe(200);
    expect(must(await harness.operator.operations.doctor()).findings).toEqual([]);
  });
});
