// The state engine over HTTP with its bad inputs: each is refused by its name, and nothing is written.
//
// What the engine promises, and where it is shown with the real program:
//   merging                          naive-agents, concurrency; refusals here
//   operators, keys                  concurrency; refusals here
//   rules of change                  schemas
//   compatibility, migration         schemas
//   history, differences, reverts    here; cut histories here and in streams
//   hearing                          streams, concurrency; refusals here
//   Idempotency-Key                  concurrency; refusals here
//   write scopes                     here
//   contracts                        contracts, completion
//   command line, client             streams, schemas, naive-agents
//   webhooks                         webhooks
import fastJsonPatch from 'fast-json-patch';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { eventually, STORY_MS_MAX } from '../../support/eventually.js';
import { must, Stage } from '../../support/stage.js';
import {
  FIRST,
  get,
  keys,
  KEYS,
  KID,
  MERGING,
  NOW,
  OPERATORS,
  ops,
  patch,
  post,
  put,
  SCHEMA,
  SCOPE,
  type Row,
  type Sent,
} from './refused-writes.js';

const HISTORY: readonly Row[] = [
  ['a version that is yet to come', get('?at_version=9'), 404, 'version_not_found'],
  ['version 0', get('?at_version=0'), 422, 'invalid_request'],
  ['a version in words', get('?at_version=first'), 422, 'invalid_request'],
  ['a difference from nowhere', get('/diff'), 422, 'invalid_request'],
  ['a difference to what is yet to come', get('/diff?from=1&to=9'), 404, 'version_not_found'],
  ['a revert to what is yet to come', post('/revert', { to_version: 9 }), 404, 'version_not_found'],
  ['a revert to nothing', post('/revert', { to_version: 0 }), 422, 'invalid_request'],
  ['a revert that breaks a rule of change', post('/revert', { to_version: 1 }), 422, 'transition_refused'],
  [
    'a revert of another version',
    post('/revert', { to_version: 2, expected_version: 2 }),
    409,
    'version_conflict',
  ],
  ['events in too large pages', get('/events?limit=1001'), 422, 'invalid_request'],
  ['events from before the beginning', get('/events?since=-1'), 422, 'invalid_request'],
  ['nothing at a pointer', get('?pointer=/tasks/7'), 404, 'pointer_not_found'],
  [
    'a migration to a version that is not there',
    post('/migrate', { schema_version: 7 }),
    404,
    'schema_not_found',
  ],
];

const HEARING: readonly Row[] = [
  ['a wait in words', get('?after_version=3&wait=soon'), 422, 'invalid_request'],
  ['a wait for nothing', get('?wait=1s'), 422, 'invalid_request'],
  ['a wait for the past', get('?after_version=1&at_version=1&wait=1s'), 422, 'invalid_request'],
  ['a wait of less than no time', post('/wait', { until: {}, timeout_ms: -1 }), 422, 'invalid_request'],
  ['a wait until nothing', post('/wait', { timeout_ms: 1 }), 422, 'invalid_request'],
  ['a condition that is no schema', post('/wait', { until: { type: 'thing' } }), 422, 'invalid_schema'],
  ['a condition with a broken pattern', post('/wait', { until: { pattern: '(' } }), 422, 'invalid_schema'],
  [
    'a condition that is too large',
    post('/wait', { until: { enum: ['x'.repeat(300_000)] } }),
    413,
    'limit_exceeded',
  ],
  [
    'a way to fail that is no schema',
    post('/wait', { until: {}, fail_on: 7 }),
    422,
    'invalid_schema',
    { errors: [{ pointer: '/fail_on' }] },
  ],
  ['a stream of nothing', get('//workflow-states/wfstate_none/stream'), 404, 'state_not_found'],
  ['a stream after what is yet to come', get('/stream?since=99'), 404, 'version_not_found'],
  ['a last event that is none', get('/stream', { 'last-event-id': 'x' }), 422, 'invalid_request'],
  ['a place in everything that is none', get('//stream?since=7'), 422, 'invalid_request'],
  [
    'a place in everything that is yet to come',
    get('//stream', { 'last-event-id': '9999999999-0' }),
    404,
    'version_not_found',
  ],
  ['a tree that is not there', get('//stream?root_session=nobody'), 404, 'session_not_found'],
];

describe('the state engine', { timeout: STORY_MS_MAX }, () => {
  let stage: Stage;
  let id: string;
  beforeAll(async () => {
    stage = await Stage.open({ runner: null });
    const { schemas, sessions, states } = stage.operator;
    must(await schemas.register({ name: 'engine', json_schema: SCHEMA }));
    for (const session_name of ['eng', 'bare']) must(await sessions.create({ session_name, external: true }));
    const state = { schema_name: 'engine', initial_data: FIRST, root_session_name: 'eng' };
    id = must(await states.create(state)).state_id;
    const completion = { write_scope: ['/tasks/1'] };
    must(await stage.as('eng').sessions.create({ session_name: 'kid', external: true, completion }));
    must(await states.mergePatch(id, { n: 2 }, {}));
    must(await states.mergePatch(id, { phase: 'work' }, {}));
  });
  afterAll(async () => {
    const doctor = await stage.command('doctor');
    await stage.close();
    expect(doctor).toMatchObject({ code: 0, stdout: 'All is well.\n' });
  });

  const send = async ({ method, to, body, headers }: Sent) => {
    const path = to.startsWith('//') ? to.slice(1) : `/workflow-states/${id}${to}`;
    const response = await fetch(stage.url + path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? null : JSON.parse(text),
    };
  };
  const now = async () => {
    const { version, current_data: data } = must(await stage.operator.states.get(id));
    return { version, data };
  };

  describe.each<[string, readonly Row[]]>([
    ['as a merge', MERGING],
    ['as an operator', OPERATORS],
    ['in the key view', KEYS],
    ['of the past', HISTORY],
    ['to hear', HEARING],
    ['outside of a write scope', SCOPE],
  ])('does not take %s', (_, rows) => {
    for (const [what, sent, status, error, members = {}] of rows) {
      it(what, async () => {
        const answer = await send(sent);
        expect([answer.status, answer.body.error]).toEqual([status, error]);
        expect(answer.body).toMatchObject(members);
        expect(answer.body.detail.length).toBeGreaterThan(10);
        expect(await now()).toEqual({ version: 3, data: NOW });
      });
    }
  });

  it('takes a key for one request of one caller, once', async () => {
    const key = { 'idempotency-key': 'engine-1' };
    const once = ops({ op: 'append', pointer: '/tasks', items: [{ id: 'c' }] }, key);
    const refused = async (sent: Sent) => {
      const { status, body } = await send(sent);
      return [status, body.error];
    };
    const misfits: Sent[] = [
      ops({ op: 'append', pointer: '/tasks', items: [{ id: 'd' }] }, key),
      { ...once, to: '/ops?dry_run=true' },
      { ...once, headers: { ...once.headers, 'if-match': '"3"' } },
      put({ data: NOW }, key),
    ];
    const first = await send(once);
    expect([first.status, first.body.version, first.headers.get('idempotency-replayed')]).toEqual([
      200,
      4,
      null,
    ]);
    for (const misfit of misfits) expect(await refused(misfit)).toEqual([422, 'idempotency_mismatch']);
    const again = await send(once);
    expect([again.status, again.body, again.headers.get('idempotency-replayed')]).toEqual([
      200,
      first.body,
      'true',
    ]);
    expect((await send(ops({ op: 'delete', pointer: '/tasks/2' }))).body.version).toBe(5);

    const empty = { 'idempotency-key': '' };
    const long = { 'idempotency-key': 'x'.repeat(256) };
    for (const bad of [empty, long]) expect(await refused(patch([], bad))).toEqual([422, 'invalid_request']);
    const slow = post(
      '/wait',
      { until: { minProperties: 900 }, timeout_ms: 700 },
      { 'idempotency-key': 'engine-2' },
    );
    const both = await Promise.all([send(slow), send(slow)]);
    expect(both.map(({ body }) => body.error ?? body.matched).sort()).toEqual([
      false,
      'idempotency_in_flight',
    ]);
    expect((await now()).version).toBe(5);
  });

  it('lets a scope be written in every form', async () => {
    const data = { ...NOW, tasks: [{ id: 'a' }, { id: 'b', by: 'kid' }] };
    const answers = [
      await send(patch([{ op: 'copy', from: '/n', path: '/tasks/1/n' }], KID)),
      await send(patch([{ op: 'move', from: '/tasks/1/n', path: '/tasks/1/m' }], KID)),
      await send(ops({ op: 'increment', pointer: '/tasks/1/m', delta: 1 }, KID)),
      await send(put({ data, base_version: 5 }, KID)),
      await send(keys('PUT', '/keys/tasks', { value: [{ id: 'a' }, { id: 'b' }] }, KID)),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(await now()).toEqual({ version: 10, data: NOW });
  });

  it('goes back and forth in its history', async () => {
    for (const [from, to] of [
      [1, 3],
      [9, 2],
    ]) {
      const { body } = await send(get(`/diff?from=${String(from)}&to=${String(to)}`));
      expect(body).toMatchObject({ from, to });
      const before = (await send(get(`?at_version=${String(from)}`))).body.current_data;
      const after = (await send(get(`?at_version=${String(to)}`))).body.current_data;
      expect(fastJsonPatch.applyPatch(before, body.patch).newDocument).toEqual(after);
    }
    const tried = await send(post('/revert?dry_run=true', { to_version: 9 }));
    expect([tried.status, tried.body.changed, tried.headers.get('etag')]).toEqual([200, true, null]);
    const back = await send(post('/revert', { to_version: 9, expected_version: 10 }));
    expect([back.body.version, back.body.current_data.tasks[1].by]).toEqual([11, 'kid']);
    expect((await send(post('/revert', { to_version: 9 }))).body).toMatchObject({
      version: 11,
      changed: false,
    });
    const { events } = (await send(get('/events?since=10'))).body;
    expect(events).toMatchObject([{ version: 11, kind: 'revert' }]);
  });

  it('says over a socket what cannot be subscribed to, and goes on', async () => {
    const socket = new WebSocket(`${stage.url.replace('http', 'ws')}/ws`);
    const received: any[] = [];
    socket.on('message', (message: Buffer) => received.push(JSON.parse(message.toString())));
    await new Promise((resolve) => socket.once('open', resolve));
    for (const message of [
      'what',
      '{"type": "explode"}',
      '{"type": "subscribe", "state_id": "wfstate_none"}',
      '{"type": "subscribe", "root_session": "nobody"}',
      JSON.stringify({ type: 'subscribe', state_id: id, since_version: 99 }),
      '{"type": "unsubscribe", "subscription": "none"}',
      JSON.stringify({ type: 'subscribe', state_id: id, since_version: 10 }),
    ]) {
      socket.send(message);
    }
    await eventually('the last message is answered', () =>
      received.some(({ type }) => type === 'workflow_state_updated'),
    );
    const errors = received.filter(({ type }) => type === 'error').map(({ problem }) => problem.error);
    expect(errors).toEqual([
      'invalid_json',
      'invalid_request',
      'state_not_found',
      'session_not_found',
      'version_not_found',
      'invalid_request',
    ]);
    socket.terminate();
  });

  it('names the oldest version that there is where the asked-for past was cut away', async () => {
    for (let n = 0; n < 40; n += 1) await send(ops({ op: 'increment', pointer: '/n', delta: 1 }));
    const before = await now();
    await stage.coordinator.end();
    await stage.startCoordinator(['--history-keep', '5']);
    const first = await eventually('the past is cut away', async () => {
      const answer = await send(get('?at_version=1'));
      return answer.status === 410 && answer;
    });
    const oldest = first.body.oldest_version;
    expect(oldest).toBeGreaterThan(1);
    for (const sent of [
      get('?at_version=1'),
      get('?at_version=1&pointer=/n'),
      get('/events?since=0'),
      get('/diff?from=1'),
      get('/stream?since=1'),
      get('/stream', { 'last-event-id': '1' }),
      post('/revert', { to_version: 1 }),
      put({ data: NOW, base_version: 1 }),
      patch([], {}, '?base_version=1'),
    ]) {
      const { status, body } = await send(sent);
      expect([status, body.error, body.oldest_version]).toEqual([410, 'version_compacted', oldest]);
    }
    expect((await send(get(`?at_version=${String(oldest)}`))).status).toBe(200);
    expect((await send(get(`/events?since=${String(oldest)}`))).status).toBe(200);
    expect(await now()).toEqual(before);
  });
});
