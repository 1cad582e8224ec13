// Host, Origin, identity, request ids and the log: what happens around every route.
import { describe, expect, test } from 'vitest';
import { ROUTES } from '../../src/http/index.js';
import { fakeApp, json, fail } from './fake-host.js';

describe('Host', () => {
  const { app, host } = fakeApp(
    {},
    { allowedHosts: ['tools.example', '192.168.1.5', 'fe80::1', 'ported.example:8080'] },
  );
  const ask = (header: string, path = '/runs') => app.request(path, { headers: { host: header } });

  test.each([
    'localhost',
    'LOCALHOST:4717',
    '127.0.0.1',
    '127.0.0.1:80',
    '127.8.9.10:1',
    '[::1]',
    '[::1]:4717',
    'tools.example',
    'Tools.Example:8443',
    '192.168.1.5:4717',
    '[fe80::1]:4717',
    'ported.example:8080',
    'ported.example',
  ])('%s is served', async (header) => {
    expect((await ask(header)).status).toBe(200);
  });

  test.each([
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'evil.example:4717',
    'xlocalhost',
    'sub.tools.example',
    '[::2]:4717',
    '0.0.0.0',
  ])('%s is refused', async (header) => {
    host.asked.length = 0;
    const response = await ask(header);
    expect(response.status).toBe(421);
    expect(await response.json()).toMatchObject({ error: 'host_refused', host: header });
    expect(host.asked).toEqual([]);
  });

  test.each([...ROUTES.map((route) => [route.method, route.path]), ['GET', '/nothing']])(
    'is checked on %s %s',
    async (method, path) => {
      const response = await app.request(path, { method: method, headers: { host: 'evil.example' } });
      expect(response.status).toBe(421);
    },
  );
});

describe('Origin', () => {
  const { app } = fakeApp({}, { allowedOrigins: ['https://tools.example/'] });
  const ask = (origin: string, init: RequestInit = {}) =>
    app.request('/runs', { ...init, headers: { host: 'localhost:4717', origin } });

  test('the page that the service serves itself may call, without CORS headers', async () => {
    const response = await ask('http://localhost:4717');
    expect(response.status).toBe(200);
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });

  test.each([
    'http://localhost:3000',
    'http://127.0.0.1:4717',
    'https://evil.example',
    'null',
    'file://',
    'x',
  ])('%s is refused', async (origin) => {
    const response = await ask(origin);
    expect(response.status).toBe(403);
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
    expect(await response.json()).toMatchObject({ error: 'origin_refused', origin });
  });

  test('a listed origin may call and gets CORS headers', async () => {
    const response = await ask('https://tools.example');
    expect(response.status).toBe(200);
    expect(response.headers.get('access-control-allow-origin')).toBe('https://tools.example');
    expect(response.headers.get('vary')).toBe('Origin');
  });

  test('a preflight is answered for listed origins only', async () => {
    const preflight = (origin: string) =>
      app.request('/runs', {
        method: 'OPTIONS',
        headers: {
          host: 'localhost',
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'content-type',
        },
      });
    const listed = await preflight('https://tools.example');
    expect(listed.status).toBe(204);
    expect(listed.headers.get('access-control-allow-methods')).toBe('POST, GET, HEAD');
    expect(listed.headers.get('access-control-allow-headers')).toBe('content-type');
    expect((await preflight('https://evil.example')).status).toBe(403);
  });
});

describe('the page that sends a request', () => {
  const { app, host } = fakeApp({}, { allowedOrigins: ['https://tools.example'] });
  const changing = ROUTES.filter(({ method, head }) => method !== 'GET' || head === false);
  const rows = changing.map(({ method, path }) => [method, path] as const);
  const ask = (method: string, path: string, headers: Record<string, string>) => {
    host.asked.length = 0;
    return app.request(path, { method, headers: { host: 'localhost:4717', ...headers } });
  };

  test('what GET hands over counts among what changes something', () => {
    const got = changing.filter(({ method }) => method === 'GET').map(({ path }) => path);
    expect(got).toEqual(['/sessions/{id}/callbacks', '/runner/runs']);
  });

  test.each(rows)('may not be of another site: %s %s', async (method, path) => {
    for (const site of ['cross-site', 'same-site', 'Cross-Site', 'elsewhere']) {
      const response = await ask(method, path, { 'sec-fetch-site': site });
      expect(response.status).toBe(403);
      expect(await response.json()).toMatchObject({ error: 'origin_refused', site });
    }
    // A form or a script in a sandbox: no body, and an origin that says nothing.
    for (const origin of ['null', 'https://evil.example', 'http://localhost:3000']) {
      expect((await ask(method, path, { origin })).status).toBe(403);
    }
    expect(host.asked).toEqual([]);
  });

  test.each(['same-origin', 'none'])('may be the service’s own, or none: %s', async (site) => {
    const headers = { 'sec-fetch-site': site };
    expect((await ask('GET', '/sessions/s/callbacks', headers)).status).toBe(200);
    expect((await ask('POST', '/sessions/s/stop', headers)).status).toBe(202);
  });

  test('may be listed, and may be any where it only reads', async () => {
    const listed = { origin: 'https://tools.example', 'sec-fetch-site': 'cross-site' };
    expect((await ask('GET', '/sessions/s/callbacks', listed)).status).toBe(200);
    expect((await ask('GET', '/runs', { 'sec-fetch-site': 'cross-site' })).status).toBe(200);
  });

  describe('of a browser that says neither Origin nor Sec-Fetch-Site', () => {
    const browser = { 'user-agent': 'Mozilla/5.0 (Macintosh) AppleWebKit/605 Version/15.6 Safari/605' };

    test.each(rows)('is refused where it may be of another site: %s %s', async (method, path) => {
      const elsewhere: Record<string, string>[] = [
        {},
        { referer: 'https://evil.example/localhost:4717' },
        { referer: 'http://localhost:4717.evil.example/' },
        { referer: 'nonsense' },
        { accept: 'application/json', 'content-type': 'text/plain; application/json' },
      ];
      for (const headers of elsewhere) {
        const response = await ask(method, path, { ...browser, ...headers });
        expect(response.status).toBe(403);
        expect(await response.json()).toMatchObject({ error: 'origin_refused' });
      }
      expect(host.asked).toEqual([]);
    });

    test.each([
      ['the page is the service’s own', { referer: 'http://localhost:4717/docs' }],
      ['the page is listed', { referer: 'https://tools.example/board' }],
      ['it names a session', { 'x-agent-session-name': 's' }],
      ['it shows a token', { authorization: 'Bearer t' }],
      ['it has an id', { 'x-request-id': 'r' }],
    ])('is served where %s', async (_why, headers) => {
      const asked = { ...browser, ...headers };
      expect((await ask('GET', '/sessions/s/callbacks', asked)).status).toBe(200);
      expect((await ask('POST', '/sessions/s/stop', asked)).status).toBe(202);
    });

    test('is served where it only reads, and where JSON is sent', async () => {
      expect((await ask('GET', '/runs', browser)).status).toBe(200);
      const headers = { ...browser, host: 'localhost:4717', 'content-type': 'application/json' };
      const body = JSON.stringify({ session_name: 's' });
      expect((await app.request('/sessions', { method: 'POST', body, headers })).status).toBe(201);
    });

    test.each(['node', 'undici', 'curl/8.5.0', 'Python-urllib/3.12', 'countersign'])(
      'is not taken for one: %s',
      async (agent) => {
        expect((await ask('GET', '/sessions/s/callbacks', { 'user-agent': agent })).status).toBe(200);
      },
    );
  });

  test('cannot send what a form sends', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
    ]) {
      const init = { method: 'POST', body: '{}', headers: { host: 'localhost', 'content-type': type } };
      host.asked.length = 0;
      for (const path of ['/runs', '/sessions', '/sessions/s/events', '/workflow-states']) {
        expect((await app.request(path, init)).status).toBe(415);
      }
      expect(host.asked).toEqual([]);
    }
  });
});

describe('identity', () => {
  test('token and session headers are handed to the service, which decides', async () => {
    const { app, host } = fakeApp();
    await app.request('/runs', {
      headers: {
        authorization: 'bearer abc.def',
        'x-agent-session-id': 'ses_1',
        'x-agent-session-name': 'n',
      },
    });
    await app.request('/runs', { headers: { authorization: 'Basic abc' } });
    expect(host.credentials).toEqual([
      { bearer: 'abc.def', sessionId: 'ses_1', sessionName: 'n' },
      { bearer: null, sessionId: null, sessionName: null },
    ]);
  });

  test.each([
    ['Bearer a b', 'a b'],
    ['Bearer\ta', 'a'],
    ['Bearer', ''],
    ['Bearer: a', ': a'],
    ['Bearerless a', null],
    ['Bearer-Proxy a', null],
  ])(
    'the header "%s" shows the token %j, so that none is taken for nobody',
    async (authorization, bearer) => {
      const { app, host } = fakeApp();
      await app.request('/runs', { headers: { authorization } });
      expect(host.credentials).toEqual([{ bearer, sessionId: null, sessionName: null }]);
    },
  );

  test('a session that does not exist is session_not_found', async () => {
    const { app, host } = fakeApp();
    host.identity = fail('session_not_found', 'No such session');
    expect((await app.request('/runs')).status).toBe(404);
  });

  test('health, document and reference ask nobody who they are', async () => {
    const { app, host } = fakeApp({}, { auth: true });
    for (const path of ['/healthz', '/readyz', '/openapi.json', '/docs']) {
      expect((await app.request(path)).status).toBe(200);
    }
    expect(host.credentials).toEqual([]);
  });
});

describe('request ids', () => {
  const { app } = fakeApp();
  const idFor = async (given?: string) =>
    (
      await app.request('/healthz', { headers: given === undefined ? {} : { 'x-request-id': given } })
    ).headers.get('x-request-id');

  test('a sane one is taken over', async () => {
    expect(await idFor('trace-1.a:b/c')).toBe('trace-1.a:b/c');
  });

  test.each(['', ' ', 'a b', '<script>', '-x', 'x'.repeat(129), '{"a":1}'])(
    '%j is replaced',
    async (given) => {
      expect(await idFor(given)).toMatch(/^req_/);
    },
  );

  test('made ones differ', async () => {
    expect(await idFor()).not.toBe(await idFor());
  });
});

describe('the log', () => {
  test('has one line per request, debug for all but failures, without secrets and bodies', async () => {
    const { app, lines, host } = fakeApp({ 'runs.get': () => fail('run_not_found', 'No') });
    host.isReady = () => Promise.resolve('lost');
    await app.request('/runs', { ...json('POST', { type: 'start_session', prompt: 'PRIVATE' }) });
    await app.request('/runs/r1?x=PRIVATE', { headers: { authorization: 'Bearer PRIVATE' } });
    await app.request('/runs/r1');
    await app.request('/readyz');
    await app.request('/nothing');
    expect(
      lines.map(({ level, fields }) => [
        level,
        fields['method'],
        fields['route'],
        fields['status'],
        fields['error'],
      ]),
    ).toEqual([
      ['debug', 'POST', '/runs', 201, undefined],
      ['debug', 'GET', '/runs/{id}', 422, 'invalid_request'],
      ['debug', 'GET', '/runs/{id}', 404, 'run_not_found'],
      ['debug', 'GET', '/readyz', 503, undefined],
      ['debug', 'GET', 'none', 404, 'route_not_found'],
    ]);
    expect(JSON.stringify(lines)).not.toContain('PRIVATE');
    expect(lines[0]?.fields['duration_ms']).toBe(1);
  });

  test('failures are errors', async () => {
    const { app, lines } = fakeApp({ 'runs.list': () => fail('overloaded', 'Later') });
    await app.request('/runs');
    expect(lines.map(({ level }) => level)).toEqual(['error']);
  });
});
