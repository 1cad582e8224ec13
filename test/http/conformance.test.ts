// What RFC 9110, RFC 9112 and RFC 6455 ask of any server, over a real socket: targets, methods, headers of every answer,
// and what is no request at all.
import { connect, createServer, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EXPOSED_HEADERS } from '../../src/http/replies/reply-headers.js';
import { listen, ROUTES, type Listening } from '../../src/http/index.js';
import { ok, fakeApp, ENVELOPE, json, fail, type FakeApp } from './fake-host.js';

const LISTED = 'https://tools.example';
const endless = () =>
  ok({
    async *[Symbol.asyncIterator]() {
      await new Promise(() => undefined);
      yield [];
    },
  });

let served: FakeApp;
let listening: Listening;
beforeAll(async () => {
  served = fakeApp(
    {
      'states.get': () => ok(ENVELOPE),
      'runs.get': () => fail('run_not_found', 'No'),
      'streams.all': endless,
    },
    { allowedOrigins: [LISTED] },
  );
  listening = await listen(served.app, { host: '127.0.0.1', port: 0, drainMs: 200 });
});
afterAll(() => listening.close());

interface Parsed {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** The first answer to raw text, as it stands on the socket. */
function raw(text: string, after = '', port = listening.port): Promise<Parsed> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    let answer = '';
    const done = () => {
      const at = answer.indexOf('\r\n\r\n');
      if (at < 0) return;
      const [line = '', ...lines] = answer.slice(0, at).split('\r\n');
      const headers = Object.fromEntries(
        lines.map((one) => [one.slice(0, one.indexOf(':')).toLowerCase(), one.slice(one.indexOf(':') + 2)]),
      );
      resolve({ status: Number(line.split(' ')[1]), headers, text: answer.slice(at + 4) });
    };
    socket.on('data', (chunk) => {
      answer += chunk.toString();
      if (answer.startsWith('HTTP/1.1 100')) {
        answer = answer.slice(answer.indexOf('\r\n\r\n') + 4);
        socket.write(after);
      }
    });
    socket.on('close', () => {
      done();
      reject(new Error(`the connection was closed after ${JSON.stringify(answer)}`));
    });
    socket.on('error', reject);
  });
}
const head = (line: string, ...headers: readonly string[]) =>
  `${line}\r\n${[...headers, 'Connection: close'].map((one) => `${one}\r\n`).join('')}\r\n`;
const HOST = 'Host: localhost';

async function failure(text: string) {
  served.host.asked.length = 0;
  const answer = await raw(text);
  expect(served.host.asked).toEqual([]);
  expect(answer.headers['content-type']).toBe('application/problem+json');
  expect(answer.headers).toMatchObject({ vary: 'Origin', 'cache-control': 'no-store' });
  expect(answer.headers['date']).toMatch(/ GMT$/);
  expect(Number(answer.headers['content-length'])).toBe(Buffer.byteLength(answer.text));
  const problem: any = JSON.parse(answer.text);
  expect(problem.status).toBe(answer.status);
  expect(problem.request_id).toBe(answer.headers['x-request-id']);
  return { status: answer.status, error: problem.error, headers: answer.headers };
}

describe('the host that a request is for', () => {
  test.each([
    ['two Host headers', head('GET /runs HTTP/1.1', HOST, 'Host: evil.example')],
    ['two equal Host headers', head('GET /runs HTTP/1.1', HOST, HOST)],
    ['two Host headers on a path with escapes', head('GET /runs/%61 HTTP/1.1', HOST, HOST)],
    ['no Host header', head('GET /runs HTTP/1.1')],
    ['no Host header in HTTP/1.0', head('GET /runs HTTP/1.0')],
    ['an empty Host header', head('GET /runs HTTP/1.1', 'Host:')],
    ['a user in it', head('GET /runs HTTP/1.1', 'Host: me@localhost')],
    ['a path in it', head('GET /runs HTTP/1.1', 'Host: localhost/runs')],
    ['a space in it', head('GET /runs HTTP/1.1', 'Host: local host')],
    ['an impossible port', head('GET /runs HTTP/1.1', 'Host: localhost:70000')],
    ['two of them in one', head('GET /runs HTTP/1.1', 'Host: localhost,evil.example')],
    ['no Host header beside an absolute target', head('GET http://localhost/runs HTTP/1.1')],
    ['a user in an absolute target', head('GET http://me@localhost/runs HTTP/1.1', HOST)],
    ['no host in an absolute target', head('GET http:///runs HTTP/1.1', HOST)],
  ])('cannot be told from %s: 400', async (_what, text) => {
    expect(await failure(text)).toMatchObject({ status: 400, error: 'malformed_request' });
  });

  test.each([
    ['http://evil.example/runs', HOST],
    ['http://evil.example/runs/%61', HOST],
    ['https://evil.example:4717/runs', HOST],
    ['/runs', 'Host: evil.example'],
    ['/runs/%61', 'Host: evil.example'],
    ['/nothing', 'Host: evil.example'],
    ['*', 'Host: evil.example'],
  ])('is looked at: %s with %s is refused', async (target, host) => {
    const method = target === '*' ? 'OPTIONS' : 'GET';
    const answer = await failure(head(`${method} ${target} HTTP/1.1`, host));
    expect(answer).toMatchObject({ status: 421, error: 'host_refused' });
  });

  test.each([
    ['http://localhost/runs', 'Host: evil.example'],
    ['HTTP://LOCALHOST:80/runs?limit=1', HOST],
    ['http://127.0.0.1/workflow-states/%61', 'Host: evil.example'],
    ['/runs', 'Host: [::1]:4717'],
    ['/runs', 'Host: localhost:'],
  ])('counts: %s with %s is served', async (target, host) => {
    expect((await raw(head(`GET ${target} HTTP/1.1`, host))).status).toBe(200);
  });

  test('is that of the target for WebSockets too', async () => {
    const upgrade = (target: string, host: string) =>
      failure(
        `GET ${target} HTTP/1.1\r\n${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${'A'.repeat(22)}==\r\n\r\n`,
      );
    expect(await upgrade('http://evil.example/ws', HOST)).toMatchObject({ status: 421 });
    expect(await upgrade('/ws', `${HOST}\r\n${HOST}`)).toMatchObject({ status: 400 });
    expect(await upgrade('/ws', 'Host: evil.example')).toMatchObject({ status: 421 });
  });
});

describe('a request target', () => {
  test.each(['/runs#top', '/runs?a=b#top', '/runs\\x', '/r\u00e9', 'ftp://localhost/runs', '*'])(
    '%s is 400',
    async (target) => {
      const answer = await failure(head(`GET ${target} HTTP/1.1`, HOST));
      expect(answer).toMatchObject({ status: 400, error: 'malformed_request' });
    },
  );

  test.each(['/runs?status=%zz', '/runs?session=%ff', '/runs/%61?x=%'])(
    '%s has a query that nobody can read',
    async (target) => {
      const answer = await failure(head(`GET ${target} HTTP/1.1`, HOST));
      expect(answer).toMatchObject({ status: 422, error: 'invalid_request' });
    },
  );

  test('with a parameter twice is refused', async () => {
    expect(await failure(head('GET /runs?limit=1&limit=2 HTTP/1.1', HOST))).toMatchObject({ status: 422 });
  });

  test('longer than all headers may be is 431', async () => {
    const answer = await failure(head(`GET /runs?session=${'x'.repeat(20_000)} HTTP/1.1`, HOST));
    expect(answer).toMatchObject({ status: 431, error: 'headers_too_large' });
  });
});

describe('what is no request', () => {
  test.each([
    ['a length twice', head('POST /runs HTTP/1.1', HOST, 'Content-Length: 1', 'Content-Length: 2')],
    [
      'a length beside chunks',
      head('POST /runs HTTP/1.1', HOST, 'Content-Length: 1', 'Transfer-Encoding: chunked'),
    ],
    ['an unknown first coding', head('POST /runs HTTP/1.1', HOST, 'Transfer-Encoding: gzip, chunked')],
    ['another version', head('GET /runs HTTP/2.0', HOST)],
    ['an unknown last coding', head('POST /runs HTTP/1.1', HOST, 'Transfer-Encoding: gzip')],
    ['a length below zero', head('POST /runs HTTP/1.1', HOST, 'Content-Length: -1')],
    ['a space before the colon', head('GET /runs HTTP/1.1', HOST, 'Accept : x')],
    ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n\r\n'],
  ])('%s is 400', async (_what, text) => {
    expect(await failure(text)).toMatchObject({ status: 400, error: 'malformed_request' });
  });

  test('closes the connection, and others go on', async () => {
    expect((await failure('nonsense\r\n\r\n')).headers['connection']).toBe('close');
    expect((await raw(head('GET /healthz HTTP/1.1', HOST))).status).toBe(200);
  });

  test('does not end up in an answer that is under way', async () => {
    const socket = connect(listening.port, '127.0.0.1');
    let answers = '';
    socket.on('data', (chunk) => (answers += chunk.toString()));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(`GET /stream HTTP/1.1\r\n${HOST}\r\n\r\n`);
    await expect.poll(() => answers).toContain('retry: ');
    socket.write('nonsense\r\n\r\n');
    await closed;
    expect(answers.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });
});

test('a request that does not come in time is 408, and the connection ends', async () => {
  const server = createServer((socket) => {
    const error = Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    served.app.unparsed.failed(error, socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const answer = await raw('', '', port);
  expect(answer.status).toBe(408);
  expect(JSON.parse(answer.text)).toMatchObject({ error: 'request_timeout', retryable: true });
  server.close();
});

describe('methods', () => {
  test.each(['BREW', 'CONNECT'])('%s is one that nobody knows: 501', async (method) => {
    const target = method === 'CONNECT' ? 'localhost:80' : '/runs';
    const answer = await failure(head(`${method} ${target} HTTP/1.1`, HOST));
    expect(answer).toMatchObject({ status: 501, error: 'method_unknown' });
  });

  test.each(['TRACE', 'PROPFIND', 'PUT'])('%s is 405 with Allow', async (method) => {
    const answer = await failure(head(`${method} /runs HTTP/1.1`, HOST));
    expect(answer).toMatchObject({ status: 405, error: 'method_not_allowed' });
    expect(answer.headers['allow']).toBe('POST, GET, HEAD, OPTIONS');
  });

  test('OPTIONS * names all methods', async () => {
    const answer = await raw(head('OPTIONS * HTTP/1.1', HOST));
    expect(answer).toMatchObject({ status: 204, text: '', headers: { vary: 'Origin' } });
    expect(answer.headers['allow']?.split(', ').sort()).toEqual(
      ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'].sort(),
    );
  });

  const paths = [...new Set([...ROUTES.map(({ path }) => path), '/ws'])];
  test.each(paths)('OPTIONS %s is 204 with Allow', async (path) => {
    const answer = await served.app.request(path.replaceAll(/\{\w+\}/g, 'x'), { method: 'OPTIONS' });
    const own = ROUTES.filter((route) => route.path === path).map(({ method }) => method);
    const allowed = answer.headers.get('allow')?.split(', ') ?? [];
    expect(answer.status).toBe(204);
    for (const method of path === '/ws' ? ['GET'] : own) expect(allowed).toContain(method);
    const handsOver = ['/runner/runs', '/sessions/{id}/callbacks'].includes(path);
    expect(allowed.includes('HEAD')).toBe(allowed.includes('GET') && !handsOver);
  });

  test('HEAD has the headers of GET, with the length, and ends at once where GET goes on', async () => {
    const path = '/workflow-states/st_1';
    const [got, asked] = [
      await raw(head(`GET ${path} HTTP/1.1`, HOST)),
      await raw(head(`HEAD ${path} HTTP/1.1`, HOST)),
    ];
    expect(asked).toMatchObject({ status: 200, text: '' });
    for (const name of ['etag', 'content-type', 'content-length', 'vary', 'cache-control']) {
      expect([name, asked.headers[name]]).toEqual([name, got.headers[name]]);
    }
    expect(await raw(head('HEAD /stream HTTP/1.1', HOST))).toMatchObject({ status: 200, text: '' });
  });

  test.each(['/runner/runs?runner_id=r', '/sessions/s/callbacks'])(
    'HEAD %s is 405, since GET removes what it returns',
    async (path) => {
      const answer = await raw(head(`HEAD ${path} HTTP/1.1`, HOST));
      expect([answer.status, answer.headers['allow']]).toEqual([405, 'GET, OPTIONS']);
      expect(served.host.asked.filter(({ verb }) => /poll|pull/.test(verb))).toEqual([]);
    },
  );

  test('HEAD is no request that happens once', async () => {
    served.host.asked.length = 0;
    const answer = await raw(head('HEAD /runs HTTP/1.1', HOST, 'Idempotency-Key: k'));
    expect(answer.status).toBe(200);
  });

  test('only 100-continue can be expected', async () => {
    const answer = await failure(head('GET /runs HTTP/1.1', HOST, 'Expect: tea'));
    expect(answer).toMatchObject({ status: 417, error: 'expectation_failed' });
    const body = '{"data":{}}';
    const put = head(
      'PUT /workflow-states/st_1 HTTP/1.1',
      HOST,
      'Expect: 100-continue',
      'Content-Type: application/json',
      `Content-Length: ${String(body.length)}`,
    );
    expect((await raw(put, body)).status).toBe(200);
  });
});

describe('/ws', () => {
  const opening = (...headers: readonly string[]) =>
    `GET /ws HTTP/1.1\r\n${[HOST, 'Connection: Upgrade', 'Upgrade: websocket', ...headers].join('\r\n')}\r\n\r\n`;
  const KEY = `Sec-WebSocket-Key: ${'A'.repeat(22)}==`;

  test.each([
    ['a plain GET', head('GET /ws HTTP/1.1', HOST)],
    ['a version of a draft', opening(KEY, 'Sec-WebSocket-Version: 8')],
    ['a version to come', opening(KEY, 'Sec-WebSocket-Version: 14')],
    ['no version', opening(KEY)],
  ])('answers %s with 426, and says what to upgrade to', async (_what, text) => {
    const answer = await failure(text);
    expect(answer).toMatchObject({ status: 426, error: 'upgrade_required' });
    expect(answer.headers).toMatchObject({ upgrade: 'websocket', 'sec-websocket-version': '13' });
    expect(answer.headers['connection']).toMatch(/^Upgrade, close(, close)?$/);
  });

  test.each([
    ['no key', opening('Sec-WebSocket-Version: 13')],
    ['a short key', opening('Sec-WebSocket-Key: AAAA', 'Sec-WebSocket-Version: 13')],
    ['an impossible protocol', opening(KEY, 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Protocol: a,,b')],
  ])('answers %s with 400', async (_what, text) => {
    expect(await failure(text)).toMatchObject({ status: 400, error: 'malformed_request' });
  });

  test('takes nothing but GET', async () => {
    const text = opening(KEY, 'Sec-WebSocket-Version: 13').replace('GET', 'POST');
    expect(await failure(text)).toMatchObject({ status: 405 });
    expect(await failure(head('POST /ws HTTP/1.1', HOST))).toMatchObject({ status: 405 });
  });
});

describe('every answer', () => {
  const cases: readonly (readonly [string, string, RequestInit])[] = [
    ...ROUTES.map(
      ({ method, path }) => [`${method} ${path}`, path.replaceAll(/\{\w+\}/g, 'x'), { method }] as const,
    ),
    ['an unknown path', '/nothing', {}],
    ['304', '/workflow-states/st_1', { headers: { 'if-none-match': '"7"' } }],
    ['a refusal', '/runs/r', {}],
    ['a write', '/workflow-states/st_1', json('PUT', { data: {} })],
    ['another host', '/runs', { headers: { host: 'evil.example' } }],
    ['another origin', '/runs', { headers: { host: 'localhost', origin: 'https://evil.example' } }],
    [
      'a preflight',
      '/runs',
      { method: 'OPTIONS', headers: { origin: LISTED, 'access-control-request-method': 'POST' } },
    ],
  ];

  test.each(cases)('has Vary, and is not stored: %s', async (_title, path, init) => {
    const answer = await served.app.request(path, init);
    await answer.body?.cancel();
    expect(answer.headers.get('vary')).toBe('Origin');
    expect(answer.headers.get('cache-control')).toBe(path === '/docs' ? 'max-age=300' : 'no-store');
  });

  test('lets a page of a listed origin read every header that it has', async () => {
    // Always readable (Fetch, "CORS-safelisted response-header name"), or of no use to a script.
    const open = ['cache-control', 'content-length', 'content-type', 'vary', 'x-accel-buffering'];
    const readable = new Set([...open, ...EXPOSED_HEADERS.map((name) => name.toLowerCase())]);
    for (const [, path, init] of cases) {
      const headers = new Headers(init.headers);
      headers.set('origin', LISTED);
      const answer = await served.app.request(path, { ...init, headers });
      await answer.body?.cancel();
      if (answer.headers.get('access-control-allow-origin') === null) continue;
      expect(answer.headers.get('access-control-expose-headers')).toBe(EXPOSED_HEADERS.join(', '));
      for (const name of answer.headers.keys()) {
        const known = name.startsWith('access-control-') || name.startsWith('content-security');
        if (!known && name !== 'x-content-type-options') expect(readable).toContain(name);
      }
    }
  });
});

test('a body with two content types is 415', async () => {
  const answer = await failure(
    head(
      'PUT /workflow-states/st_1 HTTP/1.1',
      HOST,
      'Content-Type: application/json; charset=utf-8',
      'Content-Type: text/plain',
      'Content-Length: 0',
    ),
  );
  expect(answer).toMatchObject({ status: 415, error: 'unsupported_media_type' });
});

describe('a coded body', () => {
  test('is 415 with the codings that are taken', async () => {
    const init = json('PUT', { data: {} }, { 'content-encoding': 'gzip' });
    const answer = await served.app.request('/workflow-states/st_1', init);
    expect([answer.status, answer.headers.get('accept-encoding')]).toEqual([415, 'identity']);
    const type = json('PUT', { data: {} }, { 'content-type': 'text/plain' });
    const other = await served.app.request('/workflow-states/st_1', type);
    expect([other.status, other.headers.get('accept-encoding')]).toEqual([415, null]);
    const plain = json('PUT', { data: {} }, { 'content-encoding': 'Identity' });
    expect((await served.app.request('/workflow-states/st_1', plain)).status).toBe(200);
  });
});
