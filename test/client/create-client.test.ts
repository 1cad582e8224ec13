import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { ConnectionError, createClient } from '../../src/client/index.js';
import { problem, startHttpDouble, type HttpDouble, type Reply } from './http-double.js';

const doubles: HttpDouble[] = [];
afterEach(async () => {
  await Promise.all(doubles.splice(0).map((double) => double.close()));
});

async function served(reply: Reply | null) {
  const double = await startHttpDouble(() => reply);
  doubles.push(double);
  return { double, client: createClient({ url: double.url, retry: false }) };
}

const at = '2026-01-01T00:00:00.000Z';
const envelope = {
  state_id: 'sta_1',
  schema_id: 'sch_1',
  schema_name: 'plan',
  schema_version: 1,
  root_session_id: 'ses_1',
  root_session_name: 'root',
  version: 7,
  current_data: { tasks: [] },
  created_at: at,
  updated_at: at,
  updated_by: null,
};
const run = {
  run_id: 'run_1',
  type: 'start_session',
  purpose: 'work',
  session_id: 'ses_1',
  session_name: 'root',
  prompt: 'Go',
  status: 'running',
  attempt: 1,
  runner_id: 'rnr_1',
  metadata: {},
  error: null,
  created_at: at,
  claimed_at: at,
  started_at: at,
  completed_at: null,
};

describe('the signal of a client', () => {
  it.each([undefined, false] as const)(
    'ends all calls, and has no listener then (retry: %s)',
    async (retry) => {
      const double = await startHttpDouble(() => null);
      doubles.push(double);
      const ended = new AbortController();
      const client = createClient({ url: double.url, signal: ended.signal, retry });
      const calls = Array.from({ length: 12 }, async () => client.states.get('sta_1'));
      ended.abort();
      for (const call of await Promise.allSettled(calls)) {
        expect(call).toMatchObject({
          status: 'rejected',
          reason: { name: 'ConnectionError', fault: 'aborted' },
        });
      }
      expect(getEventListeners(ended.signal, 'abort')).toEqual([]);
    },
  );
});

describe('requests', () => {
  it('go to the path, with query, headers and body of each call', async () => {
    const { double, client } = await served({ status: 200, body: { ...envelope, changed: true } });
    await client.states.get('sta_1', 5);
    await client.states.replace('sta_1', { a: 1 }, { expectedVersion: 6, dryRun: true });
    await client.states.replace('sta_1', { a: 1 }, { ifMatch: 6 });
    await client.states.patch('sta_1', [{ op: 'remove', path: '/a' }], { expectedVersion: 6 });
    await client.states.mergePatch('sta_1', { a: null }, { expectedVersion: 6 });
    await client.states.remove('sta_1');
    expect(
      double.asked.map(({ method, url, headers, body }) => [method, url, headers['if-match'], body]),
    ).toEqual([
      ['GET', '/workflow-states/sta_1?at_version=5', undefined, ''],
      ['PUT', '/workflow-states/sta_1?dry_run=true', undefined, '{"data":{"a":1},"expected_version":6}'],
      ['PUT', '/workflow-states/sta_1', '"6"', '{"data":{"a":1}}'],
      [
        'PATCH',
        '/workflow-states/sta_1',
        undefined,
        '{"operations":[{"op":"remove","path":"/a"}],"expected_version":6}',
      ],
      ['PATCH', '/workflow-states/sta_1', '"6"', '{"a":null}'],
      ['DELETE', '/workflow-states/sta_1', undefined, ''],
    ]);
    expect(double.asked.map(({ headers }) => headers['content-type'])).toEqual([
      undefined,
      'application/json',
      'application/json',
      'application/json',
      'application/merge-patch+json',
      undefined,
    ]);
  });

  it('encode names, and never let one step out of its place in the path', async () => {
    const { double, client } = await served({ status: 200, body: { ...envelope } });
    await client.sessions.state('a/b?c#d');
    expect(double.asked[0]?.url).toBe('/sessions/a%2Fb%3Fc%23d/workflow-state');
    for (const name of ['', '.', '..', '\ud800']) {
      expect(await client.sessions.get(name)).toMatchObject({ failure: { error: 'invalid_request' } });
    }
    expect(double.asked).toHaveLength(1);
  });

  it('keep a path that the service lies under', async () => {
    const { double } = await served({ status: 200, body: { items: [], next_cursor: null } });
    await createClient({ url: `${double.url}/under/here/` }).runs.list({ status: 'running', limit: 3 });
    expect(double.asked[0]?.url).toBe('/under/here/runs?status=running&limit=3');
  });

  it('show the token alone where there is one, else the session', async () => {
    const { double } = await served({ status: 200, body: { items: [], next_cursor: null } });
    await createClient({ url: double.url, token: 't0p', sessionName: 'child' }).runners.list();
    await createClient({ url: double.url, sessionId: 'ses_2', sessionName: 'child' }).runners.list();
    const [first, second] = double.asked;
    expect(first?.headers.authorization).toBe('Bearer t0p');
    expect(first?.headers['x-agent-session-name']).toBeUndefined();
    expect(second?.headers['x-agent-session-id']).toBe('ses_2');
    expect(second?.headers['x-agent-session-name']).toBe('child');
  });

  it('are refused before they are made where URL or identity cannot be used', () => {
    expect(() => createClient({ url: 'nowhere' })).toThrow(/Not the URL of a service: nowhere/);
    expect(() => createClient({ url: 'ftp://host' })).toThrow(TypeError);
    expect(() => createClient({ url: 'http://me:pw@host' })).toThrow(/use a token/);
    expect(() => createClient({ url: 'http://host', token: 'a\nb' })).toThrow(TypeError);
    expect(() => createClient({ url: 'http://host', idempotencyKey: '→' })).toThrow(/^The idempotency key /);
  });

  it.each([
    ['token', 'tökén', /^The token \(.*\) is not one: character 2 is U\+00F6, and only printable ASCII/],
    ['token', 'ab→', /character 3 is U\+2192/],
    ['token', 'a\u{1f600}', /character 2 is U\+1F600/],
    ['token', 'a\u0000b', /character 2 is U\+0000/],
    [
      'sessionName',
      'größe',
      /^The session name \(AGENT_SESSION_NAME, .*\) is not one: character 3 is U\+00F6/,
    ],
    ['sessionId', 'ses_→', /^The session id \(AGENT_SESSION_ID, .*\) is not one: character 5 is U\+2192/],
  ] as const)('are refused in words where the %s is %j', (member, given, sentence) => {
    const make = () => createClient({ url: 'http://host', [member]: given });
    expect(make).toThrow(sentence);
    expect(make).toThrow(TypeError);
    // It is a secret.
    expect(make).not.toThrow(given);
  });
});

describe('answers', () => {
  it('tell a new schema version from one that was there', async () => {
    const schema = {
      schema_id: 'sch_1',
      name: 'plan',
      version: 1,
      json_schema: {},
      description: null,
      compatibility: 'none',
      created_at: at,
      updated_at: at,
    };
    for (const [status, created] of [
      [201, true],
      [200, false],
    ] as const) {
      const { client } = await served({ status, body: schema });
      const result = await client.schemas.register({ name: 'plan', json_schema: {} });
      expect(result).toEqual({ ok: true, value: { schema, created } });
    }
  });

  it('of a poll without runs are empty lists', async () => {
    const { double, client } = await served({ status: 204 });
    expect(await client.runners.poll({ runnerId: 'rnr_1', waitMs: 100, capacity: 2 })).toEqual({
      ok: true,
      value: { runs: [], stop_runs: [] },
    });
    expect(double.asked[0]?.url).toBe('/runner/runs?runner_id=rnr_1&wait=100ms&capacity=2');
  });

  it('may carry members and values that this program does not know', async () => {
    const { client } = await served({ status: 200, body: { ...run, status: 'frozen', extra: 1 } });
    expect(await client.runs.get('run_1')).toMatchObject({ ok: true, value: { extra: 1 } });
  });

  it('that refuse come back as refusals with their members', async () => {
    const errors = [{ pointer: '/a', keyword: 'type', message: 'must be a string', expected: 'string' }];
    const { client } = await served(problem(422, 'validation_failed', 'It does not fit.', { errors }));
    expect(await client.states.replace('sta_1', {}, {})).toEqual({
      ok: false,
      failure: {
        status: 422,
        retryable: false,
        retryAfterMs: 0,
        error: 'validation_failed',
        detail: 'It does not fit.',
        members: { errors },
      },
    });
  });

  it('that refuse with a code from the future keep their words', async () => {
    const { client } = await served(problem(422, 'quota_spent', 'Too many.'));
    expect(await client.operations.doctor()).toEqual({
      ok: false,
      failure: {
        error: 'invalid_request',
        status: 422,
        retryable: false,
        retryAfterMs: 0,
        detail: 'Title: Too many.',
        members: { unknown_error: 'quota_spent' },
      },
    });
  });
});

describe('lost connections', () => {
  const fault = (promise: Promise<unknown>) =>
    promise.then(
      () => 'answered',
      (error: unknown) => (error instanceof ConnectionError ? error.fault : String(error)),
    );

  it('are told from refusals: nothing listens', async () => {
    const { double, client } = await served(null);
    await double.close();
    await expect(client.runs.get('run_1')).rejects.toThrow(/cannot be reached \(ECONNREFUSED\)/);
    expect(await fault(client.runs.get('run_1'))).toBe('unreachable');
  });

  it.each([
    ['a browser, which gives no cause', new TypeError('Failed to fetch')],
    ['a test environment, which has a TypeError of its own', { name: 'TypeError', message: 'fetch failed' }],
  ])('are told from refusals, and tried again: %s', async (_name, error) => {
    let times = 0;
    const fetch = () => {
      times += 1;
      // What another realm throws is no Error of this one.
      return Promise.reject(error);
    };
    const client = createClient({ url: 'http://host', fetch, retry: { triesMax: 2, firstPauseMs: 1 } });
    expect(await fault(client.runs.get('run_1'))).toBe('unreachable');
    expect(times).toBe(2);
  });

  it('are told from requests that cannot be made', async () => {
    const { double, client } = await served({ status: 200, body: {} });
    const since = await client.streams.state('sta_1', { after: '→' });
    const tag = await client.keys.set('ses_1', 'k', 1, { ifMatch: [{ version: 1, stateId: 'ü→' }] });
    for (const result of [since, tag]) {
      expect(result).toMatchObject({ ok: false, failure: { error: 'invalid_request' } });
    }
    await expect(client.states.wait('sta_1', { until: { const: 1n } } as never)).rejects.toThrow(/BigInt/);
    expect(double.asked).toEqual([]);
  });

  it('are told from refusals: no answer in time', async () => {
    const { double } = await served(null);
    const client = createClient({ url: double.url, timeoutMs: 20, retry: false });
    expect(await fault(client.runs.get('run_1'))).toBe('timeout');
    expect(await fault(client.sessions.pullCallbacks('ses_1', 20))).toBe('timeout');
  });

  it('are told from refusals: the caller gave up', async () => {
    const { double } = await served(null);
    const everything = new AbortController();
    const client = createClient({ url: double.url, signal: everything.signal });
    const one = new AbortController();
    const poll = fault(client.runners.poll({ runnerId: 'rnr_1', waitMs: 10_000 }, one.signal));
    one.abort();
    expect(await poll).toBe('aborted');
    const get = fault(client.runs.get('run_1'));
    everything.abort();
    expect(await get).toBe('aborted');
    expect(await fault(client.runs.get('run_1'))).toBe('aborted');
  });

  it.each([
    ['a page of another server', { status: 404, body: '<html>' }, 'not_understood'],
    ['JSON of another server', { status: 200, body: { hello: 'world' } }, 'not_understood'],
    ['a page instead of a document', { status: 200, body: '<html>' }, 'not_understood'],
    ['a gateway that limits requests', { status: 429, body: 'Slow down' }, 'unreachable'],
    ['a gateway without its service', { status: 502, body: 'Bad gateway' }, 'unreachable'],
    ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1:1/' } }, 'not_understood'],
  ] as const)('are told from refusals: %s', async (_name, reply, expected) => {
    const { client } = await served(reply);
    expect(await fault(client.runs.get('run_1'))).toBe(expected);
  });

  it('are none if a gateway finds the body too large: sending it again would not help', async () => {
    const { double, client } = await served({ status: 413, body: '<html>' });
    expect(await client.runners.stopped('run_1', LEASE)).toMatchObject({
      ok: false,
      failure: { error: 'payload_too_large', status: 413, retryable: false },
    });
    expect(double.asked).toHaveLength(1);
  });
});

const LEASE = { runner_id: 'rnr_1', attempt: 1, lease_token: 'x' };
