// Every route against every kind of bad input: the code, the pointer, what would have been taken; and nothing was asked.
import { describe, expect, test } from 'vitest';
import { ROUTES } from '../../src/http/index.js';
import { Reason } from '../../src/ports/api/index.js';
import { fakeApp, limitsWith, type FakeApp } from './fake-host.js';

const PARAMS: Record<string, string> = {
  id: 'st_1',
  name: 'tasks',
  version: '1',
  key: 'phase',
  client: 'codex',
};
/** Path parameters of the wrong form, where the usual ones are not. A key is any name but these. */
const BAD: Record<string, readonly string[]> = {
  key: ['__proto__', 'constructor', 'prototype'],
};
const urlOf = (path: string, params = PARAMS) =>
  path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(params[name] ?? 'x'));
/** The least that makes the query valid, so that only the tested member is wrong. */
const QUERIES: Record<string, string> = {
  '/runner/runs': 'runner_id=rnr_1&',
  '/workflow-states/{id}/diff': 'from=1&',
};
/** The tag of a body of several forms, without which no form is told. */
const TAGS: Record<string, object> = {
  '/sessions/{id}/state/keys/{key}/ops': { operation: 'increment' },
  '/sessions/{id}/state/events': { type: 'full_replace' },
};
const queryOf = (path: string) => QUERIES[path] ?? '';

const called = ROUTES.filter((route) => route.access === 'caller');
const withBody = called.flatMap((route) =>
  route.bodies.map((body) => ({
    title: `${route.method} ${route.path} (${body.contentType})`,
    route,
    contentType: body.contentType,
    closed: JSON.stringify(body.schema).includes('"additionalProperties":false'),
    optional: body.optional,
  })),
);

/** Compiling the routes takes longer than a request, so apps are shared. */
const doorways = new Map<number, FakeApp>();
function doorwayWith(bodyBytesMax: number): FakeApp {
  const made = doorways.get(bodyBytesMax) ?? fakeApp({}, { limits: limitsWith({ bodyBytesMax }) });
  doorways.set(bodyBytesMax, made);
  return made;
}

async function ask(url: string, init: RequestInit, bodyBytesMax = 16_384) {
  const { app, host } = doorwayWith(bodyBytesMax);
  host.asked.length = 0;
  const response = await app.request(url, init);
  const problem: any = JSON.parse(await response.text());
  expect(host.asked).toEqual([]);
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  expect(problem.status).toBe(response.status);
  expect(problem.request_id).toBe(response.headers.get('x-request-id'));
  return { status: response.status, problem, response };
}

describe.each(withBody)('$title', ({ route, contentType, closed, optional }) => {
  const send = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}, max?: number) =>
    ask(
      urlOf(route.path),
      { method: route.method, headers: { 'content-type': contentType, ...headers }, body },
      max,
    );

  test('text that is no JSON is invalid_json with its place', async () => {
    const { status, problem } = await send('{"a": 1,\n "b": oops}');
    expect([status, problem.error, problem.line, problem.column, problem.position]).toEqual([
      400,
      'invalid_json',
      2,
      7,
      15,
    ]);
    expect(problem.errors).toEqual([
      {
        pointer: '',
        keyword: 'json',
        message: 'is not JSON at line 2, column 7',
        expected: 'value',
      },
    ]);
  });

  test('bytes that are no UTF-8 are invalid_json', async () => {
    const { status, problem } = await send(new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]));
    expect([status, problem.error, problem.errors[0].pointer]).toEqual([400, 'invalid_json', '']);
  });

  test('a byte order mark is passed over', async () => {
    const { problem } = await send('\ufeff{"a":1]');
    expect(problem).toMatchObject({ error: 'invalid_json', position: 6 });
  });

  if (!optional)
    test('an empty body is invalid_json', async () => {
      const { status, problem } = await send('');
      expect([status, problem.error]).toEqual([400, 'invalid_json']);
    });

  test('another content type is unsupported_media_type, and the accepted ones are named', async () => {
    for (const wrong of ['text/plain', 'application/json; charset=latin1', 'application/xml']) {
      const { status, problem, response } = await send('{}', { 'content-type': wrong });
      expect([status, problem.error]).toEqual([415, 'unsupported_media_type']);
      expect(problem.accepted).toContain(contentType);
      if (route.method === 'PATCH') expect(response.headers.get('accept-patch')).toContain(contentType);
    }
  });

  test('a body with a content encoding is unsupported_media_type', async () => {
    const { status } = await send('{}', { 'content-encoding': 'gzip' });
    expect(status).toBe(415);
  });

  test('a body over the limit is payload_too_large, with and without a length', async () => {
    const body = JSON.stringify({ a: 'x'.repeat(100) });
    for (const headers of [{}, { 'content-length': String(body.length) }]) {
      const { status, problem } = await send(body, headers, 64);
      expect([status, problem.error, problem.limit, problem.maximum]).toEqual([
        413,
        'payload_too_large',
        'bodyBytesMax',
        64,
      ]);
      expect(problem.actual).toBeGreaterThan(64);
    }
  });

  if (closed)
    test('an unknown member is invalid_request at its pointer', async () => {
      const { status, problem } = await send(JSON.stringify({ ...TAGS[route.path], 'no/such': 1 }));
      expect([status, problem.error]).toEqual([422, 'invalid_request']);
      const unknown = problem.errors.find((error: any) => error.keyword === 'additionalProperties');
      expect(unknown.pointer).toBe('/no~1such');
      expect(unknown.expected).toBeInstanceOf(Array);
    });

  test('a hundred thousand nested arrays are limit_exceeded', async () => {
    const bomb = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    for (const body of [bomb, `{"data":${bomb}}`]) {
      const { status, problem } = await send(body, {}, 1_000_000);
      expect([status, problem.error, problem.limit]).toEqual([422, 'limit_exceeded', 'documentDepthMax']);
      expect(problem.actual).toBeGreaterThan(problem.maximum);
    }
  });

  test('a number past the range of doubles is invalid_request at its pointer', async () => {
    for (const [body, pointer] of [
      ['{"a": [{}, {"b/c": 1e400}]}', '/a/1/b~1c'],
      ['[{"a": [0, -1e309]}]', '/0/a/1'],
      ['1e400', ''],
    ] as const) {
      const { status, problem } = await send(body);
      expect([status, problem.error, problem.errors[0].pointer]).toEqual([422, 'invalid_request', pointer]);
      expect(problem.errors[0].expected).toMatch(/a number between/);
    }
  });

  test.each(['__proto__', 'constructor', 'prototype'])('the member name %s is refused', async (name) => {
    for (const written of [name, name.replace('o', '\\u006f')]) {
      const { status, problem } = await send(`{"a": [{}, {"${written}": {"x": 1}}]}`);
      expect([status, problem.error]).toEqual([422, 'invalid_request']);
      expect(problem.errors[0].pointer).toBe(`/a/1/${name}`);
      expect(problem.errors[0].expected).toMatch(/any name but/);
    }
  });
});

const stranger = fakeApp();
stranger.host.identity = {
  ok: false,
  failure: { error: 'unauthorized', detail: 'No token', members: {} },
};

describe.each(called.map((route) => ({ title: `${route.method} ${route.path}`, route })))(
  '$title',
  ({ route }) => {
    test.each(['surprise', '__proto__', '?limit'])('the unknown query member %s is refused', async (name) => {
      const { status, problem } = await ask(`${urlOf(route.path)}?${queryOf(route.path)}${name}=1`, {
        method: route.method,
      });
      expect([status, problem.error]).toEqual([422, 'invalid_request']);
      expect(problem.errors[0]).toMatchObject({ pointer: `/query/${name}`, keyword: 'additionalProperties' });
      expect(problem.errors[0].expected).toBeInstanceOf(Array);
    });

    const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
    if (names.length > 0)
      test('a path parameter of the wrong form is refused', async () => {
        for (const name of names) {
          for (const bad of BAD[name] ?? ['-no', 'a b', '../x', '%zz', 'x'.repeat(200)]) {
            const { status, problem } = await ask(urlOf(route.path, { ...PARAMS, [name]: bad }), {
              method: route.method,
            });
            expect([status, problem.error]).toEqual([422, 'invalid_request']);
            expect(problem.errors[0].pointer).toBe(`/path/${name}`);
            expect(problem.errors[0].expected).toBeTypeOf('string');
          }
        }
      });

    if (route.method !== 'GET')
      test.each([
        ['If-Match', '"7"'],
        ['If-None-Match', '*'],
      ])('the condition %s is taken or refused', async (name, value) => {
        const isTaken = Object.keys(route.headers ?? {}).includes(name);
        if (isTaken) return;
        const { status, problem } = await ask(`${urlOf(route.path)}?${queryOf(route.path)}`, {
          method: route.method,
          headers: { [name]: value },
        });
        const pointer = `/headers/${name.toLowerCase()}`;
        expect([status, problem.error, problem.errors[0].pointer]).toEqual([422, 'invalid_request', pointer]);
        expect(problem.errors[0].expected).toBe(`no ${name.toLowerCase()}`);
      });

    test('a caller who is not known is told first', async () => {
      const { app, host } = stranger;
      const response = await app.request(`${urlOf(route.path)}?surprise=1`, { method: route.method });
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
      expect(host.asked).toEqual([]);
    });
  },
);

describe('query members', () => {
  test.each([
    ['/runs?limit=0', '/query/limit', 'minimum'],
    ['/runs?limit=1001', '/query/limit', 'maximum'],
    ['/runs?limit=ten', '/query/limit', 'type'],
    ['/runs?limit=1&limit=2', '/query/limit', 'type'],
    ['/runs?status=asleep', '/query/status', 'enum'],
    ['/runner/runs', '/query/runner_id', 'required'],
    ['/runner/runs?runner_id=r&wait=soon', '/query/wait', 'pattern'],
    ['/workflow-states?updated_since=yesterday', '/query/updated_since', 'format'],
    ['/workflow-states?include=all', '/query/include', 'enum'],
    ['/workflow-states/st_1?pointer=a', '/query/pointer', 'pattern'],
    ['/workflow-states/st_1?at_version=0', '/query/at_version', 'minimum'],
    ['/workflow-states/st_1?at_version=1e1', '/query/at_version', 'request'],
    ['/workflow-states/st_1?at_version=0x10', '/query/at_version', 'request'],
    ['/workflow-states/st_1?at_version=2.0', '/query/at_version', 'request'],
    ['/workflow-states/st_1?at_version=%201', '/query/at_version', 'request'],
    ['/workflow-states/st_1?at_version=', '/query/at_version', 'type'],
    ['/workflow-states/st_1?at_version=9007199254740992', '/query/at_version', 'maximum'],
    [`/workflow-states/st_1?at_version=${'9'.repeat(400)}`, '/query/at_version', 'maximum'],
    ['/workflow-schemas/plan?version=9223372036854775808', '/query/version', 'maximum'],
    ['/workflow-states/st_1/events?since=9223372036854775808', '/query/since', 'maximum'],
    ['/workflow-states/st_1/stream?since=9223372036854775808', '/query/since', 'maximum'],
    ['/workflow-states/st_1/events?since=-1', '/query/since', 'minimum'],
    ['/sessions/a/callbacks?wait=', '/query/wait', 'pattern'],
  ])('%s is refused at %s', async (url, pointer, keyword) => {
    const { status, problem } = await ask(url, {});
    expect([status, problem.error]).toEqual([422, 'invalid_request']);
    expect(problem.errors[0]).toMatchObject({ pointer, keyword });
    expect(problem.errors[0]).toHaveProperty('expected');
  });

  test.each([
    [
      '/workflow-states/st_1?pointer=a',
      '/query/pointer: is not of the form: JSON Pointer (RFC 6901): empty for the whole, else each name after a /, such as /tasks/0',
    ],
    ['/sessions/a/callbacks?wait=soon', '/query/wait: is not of the form: How long to wait, such as 30s'],
    [
      '/sessions/%20',
      '/path/id: is not of the form: Up to 128 letters, digits and . _ : @ -, a letter or digit first',
    ],
  ])('%s: a form is told in words', async (url, detail) => {
    const { problem } = await ask(url, {});
    expect(problem.detail).toBe(detail);
    expect(problem.errors[0]).toMatchObject({ keyword: 'pattern', expected: expect.stringMatching(/^\^/) });
  });

  test.each(['x', '0', '-1', 'true'])(
    'a base is none of %s, and all that is taken is named',
    async (base) => {
      const { problem } = await ask(`/workflow-states/st_1?base_version=${base}`, { method: 'PUT' });
      expect(problem.detail).toBe('/query/base_version: must be an integer >= 1 or "last_read"');
      expect(problem.errors[0].expected).toMatchObject([
        { const: 'last_read' },
        { type: 'integer', minimum: 1 },
      ]);
    },
  );

  test('a base is no odd number either', async () => {
    const { problem } = await ask('/workflow-states/st_1?base_version=1e1', { method: 'PUT' });
    expect(problem.errors).toMatchObject([{ pointer: '/query/base_version', expected: 'integer' }]);
  });

  test.each(['base_version=1', 'on_conflict=merge'])('a migration takes no %s', async (member) => {
    const { status, problem } = await ask(`/workflow-states/st_1/migrate?${member}`, { method: 'POST' });
    expect([status, problem.errors[0].keyword]).toEqual([422, 'additionalProperties']);
  });

  test('on_conflict in the query has no effect without a base', async () => {
    const { status, problem } = await ask('/workflow-states/st_1?on_conflict=merge', {
      method: 'PATCH',
      headers: { 'content-type': 'application/json-patch+json' },
      body: '[]',
    });
    expect([status, problem.errors[0].pointer]).toEqual([422, '/query/on_conflict']);
  });

  test('dry_run of a registration is a boolean', async () => {
    const { problem } = await ask('/workflow-schemas?dry_run=perhaps', { method: 'POST' });
    expect(problem.errors[0].pointer).toBe('/query/dry_run');
  });
});

const OPS = '/sessions/eng/state/keys/n/ops';
const EVENTS = '/sessions/eng/state/events';
const BATCH = '/sessions/eng/state/batch';

describe('bodies', () => {
  const body = async (url: string, value: unknown) =>
    (
      await ask(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(value),
      })
    ).problem.errors;

  test('all faults of a small body are listed', async () => {
    const errors = await body('/runs', { type: 'sleep', callback: 'yes', extra: 1 });
    expect(errors.map((error: any) => [error.pointer, error.keyword, error.expected])).toEqual(
      expect.arrayContaining([
        ['/prompt', 'required', { type: 'string', minLength: 1 }],
        ['/type', 'enum', ['start_session', 'resume_session']],
        ['/callback', 'type', 'boolean'],
        ['/extra', 'additionalProperties', expect.arrayContaining(['prompt', 'demands'])],
      ]),
    );
  });

  test('a JSON Patch that comes as plain JSON is told its content type', async () => {
    const { problem } = await ask('/workflow-states/st_1', {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: '[{"op": "remove", "path": "/a"}]',
    });
    expect([problem.error, problem.errors[0].expected]).toEqual([
      'invalid_request',
      { 'content-type': 'application/json-patch+json' },
    ]);
  });

  test('numbers in bodies are not taken from texts', async () => {
    const errors = await body('/workflow-states', {
      schema_name: 'a',
      initial_data: {},
      schema_version: '1',
    });
    expect(errors).toEqual([
      { pointer: '/schema_version', keyword: 'type', message: 'must be integer', expected: 'integer' },
    ]);
  });

  test('a member that may be null is described once', async () => {
    const errors = await body('/workflow-schemas', { name: 'a', json_schema: {}, description: 5 });
    expect(errors).toEqual([
      {
        pointer: '/description',
        keyword: 'type',
        message: 'must be a string or null',
        expected: ['string', 'null'],
      },
    ]);
  });

  test('a fault within a member that may be null is the one that is told', async () => {
    const errors = await body('/workflow-schemas', {
      name: 'a',
      json_schema: {},
      description: 'x'.repeat(4097),
    });
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatchObject({ pointer: '/description', keyword: 'maxLength', expected: 4096 });
  });

  const KEY_EVENT = '"set", "delete", "patch", "increment", "append", "full_replace"';
  test.each<[url: string, value: unknown, ...faults: string[]]>([
    [OPS, { operation: 'increment', delta: '1' }, '/delta: must be number'],
    [OPS, { operation: 'append', items: 1 }, '/items: must be array'],
    [OPS, { operation: 'merge', patch: [1] }, '/patch: must be object'],
    [
      OPS,
      { operation: 'append', item: 1 },
      '/items: the member "items" is missing',
      '/item: the member "item" is not allowed here; allowed are "operation", "items"',
    ],
    [OPS, { operation: 'pop' }, '/operation: must be one of "increment", "append", "merge"'],
    [OPS, { delta: 1 }, '/operation: must be one of "increment", "append", "merge"'],
    [OPS, { operation: null, delta: 1 }, '/operation: must be one of "increment", "append", "merge"'],
    [OPS, [1], ': must be an object'],
    [EVENTS, { type: 'full_replace', value: [1] }, '/value: must be object'],
    [EVENTS, { type: 'explode' }, `/type: must be one of ${KEY_EVENT}`],
    [
      EVENTS,
      { type: 'full_replace', value: {}, base_version: 'x', on_conflict: 'x' },
      '/base_version: must be an integer >= 1 or "last_read"',
      '/on_conflict: must be one of "merge", "reject", "overwrite"',
    ],
    [
      BATCH,
      { operations: [{ op: 'set', key: 'x', value: 1, if_match: '"1"' }] },
      '/operations/0/if_match: must be an integer >= 0 or "*"',
    ],
    [
      BATCH,
      { operations: [{ op: 'delete', key: 'x', if_match: -1 }, 7] },
      '/operations/0/if_match: must be an integer >= 0 or "*"',
      '/operations/1: must be an object',
    ],
    [BATCH, { operations: [{ op: 'incr', key: 'x' }] }, '/operations/0/op: must be one of "set", "delete"'],
    [
      BATCH,
      { operations: Array.from({ length: 11 }, () => ({ op: 'delete' })) },
      ...Array.from(
        { length: 11 },
        (_, index) => `/operations/${String(index)}/key: the member "key" is missing`,
      ),
    ],
  ])('to %s, %j is told by the form that was meant', async (url, value, ...faults) => {
    const errors = await body(url, value);
    expect(errors.map(({ pointer, message }: any) => `${pointer}: ${message}`).sort()).toEqual(faults.sort());
  });

  test('of a large body the fault of the form that was meant is told', async () => {
    const { problem } = await ask(
      OPS,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ delta: 'x'.repeat(70_000), operation: 'increment' }),
      },
      100_000,
    );
    expect(problem.detail).toBe('/delta: must be number');
  });

  test('of a large body the first fault is told', async () => {
    const wide = Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`m${String(index)}`, 1]));
    const { app } = fakeApp();
    const response = await app.request('/sessions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(wide),
    });
    const problem: any = await response.json();
    expect(problem.errors).toHaveLength(1);
    expect(problem.errors[0].pointer).toBe('/m0');
  });

  test.each([
    ['documentDepthMax', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['bodyValuesMax', JSON.stringify({ items: Array.from({ length: 25_000 }, () => ({ n: 1 })) })],
  ])('a large body past %s is refused before values are made of it', async (limit, text) => {
    const { app, host } = fakeApp({}, { limits: limitsWith({ bodyValuesMax: 70_000 }) });
    const response = await app.request('/sessions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: text,
    });
    const problem: any = await response.json();
    expect([problem.error, problem.limit]).toEqual(['limit_exceeded', limit]);
    expect(problem.actual).toBeGreaterThan(problem.maximum);
    expect(host.asked).toEqual([]);
  });

  test.each(
    called
      .filter(({ bodies }) => bodies.some(({ schema }) => schema === Reason))
      .flatMap(({ path }) => ['', ' ', '\t\n\u00a0'].map((reason) => [path, reason] as const)),
  )('to %s, the blank reason %j is refused', async (path, reason) => {
    expect(await body(urlOf(path), { reason })).toMatchObject([{ pointer: '/reason', keyword: 'pattern' }]);
  });

  test('the list of faults is bounded', async () => {
    const wide = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`m${String(index)}`, 1]));
    expect(await body('/sessions', wide)).toHaveLength(20);
  });
});
