// The server on a real socket: bodies that never end, callers that go away, stopping without cutting anyone off.
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { listen, ListenError, type Listening } from '../../src/http/index.js';
import { ok, fakeApp, ENVELOPE, json, limitsWith, type Script } from './fake-host.js';

const open: Listening[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((listening) => listening.close()));
});

async function start(script: Script = {}, drainMs = 2000) {
  const served = fakeApp(script, { limits: limitsWith({ bodyBytesMax: 100_000 }) });
  const listening = await listen(served.app, { host: '127.0.0.1', port: 0, drainMs });
  open.push(listening);
  return { ...served, listening, url: listening.url };
}

/** A promise and what settles it. */
function gate<T = void>() {
  let settle!: (value: T) => void;
  const promise = new Promise<T>((resolve) => (settle = resolve));
  return { promise, settle };
}

/** Everything that a socket answers to raw text. */
function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk.toString()));
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}

describe('a request over a socket', () => {
  test('is answered like in process', async () => {
    const { url, host } = await start({
      'states.get': () => ok(ENVELOPE),
      'states.replace': () => ok({ ...ENVELOPE, changed: true }),
    });
    const read = await fetch(`${url}/workflow-states/st_1`);
    expect([read.status, read.headers.get('etag'), await read.json()]).toEqual([200, '"7"', ENVELOPE]);
    const written = await fetch(`${url}/workflow-states/st_1`, json('PUT', { data: { a: 'é' } }));
    expect([written.status, await written.json()]).toEqual([200, { ...ENVELOPE, changed: true }]);
    expect(host.asked.at(-1)?.args[1]).toEqual({ a: 'é' });
  });

  test('has all its headers, however many', async () => {
    const { listening, host } = await start({ 'states.remove': () => ok(null) });
    const head = 'DELETE /workflow-states/st_1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n';
    const named = 'If-Match: "99"\r\nX-Agent-Session-Name: child\r\n\r\n';
    expect(await raw(listening.port, head + 'A:\r\n'.repeat(3000) + named)).toMatch(/^HTTP\/1\.1 204 /);
    expect(host.asked).toMatchObject([{ verb: 'states.remove', args: ['st_1', { ifMatch: 99 }] }]);
    expect(host.credentials).toMatchObject([{ sessionName: 'child' }]);
    expect(await raw(listening.port, head + 'A:\r\n'.repeat(20_000) + named)).toMatch(/^HTTP\/1\.1 431 /);
    expect(host.asked).toHaveLength(1);
  });

  test.each([
    ['ASCII', 'x'],
    ['Latin-1', 'é'],
    ['other characters', '漢😀'],
  ])('has the length of a long text of %s', async (_, characters) => {
    const envelope = { ...ENVELOPE, current_data: { long: characters.repeat(100_000) } };
    const { url } = await start({ 'states.get': () => ok(envelope) });
    const answer = await fetch(`${url}/workflow-states/st_1`);
    const text = await answer.text();
    expect(text).toBe(JSON.stringify(envelope));
    expect(Number(answer.headers.get('content-length'))).toBe(Buffer.byteLength(text));
  });

  test('is answered with those of all who connect at the same time, not one after the other', async () => {
    const together = { asked: 0 };
    const { listening, host } = await start({
      'states.get': () => {
        // The first one looks how many come with it.
        if (host.asked.length === 1) setImmediate(() => (together.asked = host.asked.length));
        return ok(ENVELOPE);
      },
    });
    const text = 'GET /workflow-states/st_1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
    const answers = await Promise.all(Array.from({ length: 12 }, () => raw(listening.port, text)));
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(together.asked).toBe(12);
  });

  test('for another host is refused, also in the absolute form', async () => {
    const { listening, host } = await start();
    const answers = await Promise.all([
      raw(listening.port, 'GET /runs HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n'),
      raw(
        listening.port,
        'GET http://evil.example/runs HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
      ),
    ]);
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 421 /);
    expect(host.asked).toEqual([]);
  });

  test.each([
    ['GET', ''],
    ['PUT', '{"data":{"a":1}}'],
  ])(
    '%s that would upgrade to another protocol is answered without it, and the connection stays',
    async (method, body) => {
      const { listening, host } = await start({
        'states.get': async () => {
          await new Promise((resolve) => setTimeout(resolve, 20));
          return ok(ENVELOPE);
        },
        'states.replace': () => ok({ ...ENVELOPE, changed: true }),
      });
      const request = (verb: string, connection: string, text: string) =>
        `${verb} /workflow-states/st_1 HTTP/1.1\r\nHost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${String(text.length)}\r\n${connection}\r\n\r\n${text}`;
      const upgrade = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk';
      let answers = '';
      const socket = connect(listening.port, '127.0.0.1');
      socket.on('data', (chunk) => (answers += chunk.toString()));
      const closed = new Promise((resolve) => socket.once('close', resolve));
      const answered = (count: number) =>
        vi.waitFor(() => expect(answers.match(/HTTP\/1\.1 200/g)).toHaveLength(count), 20_000);
      // Behind another request that has not been answered yet, and before others on the same connection.
      socket.write(request('GET', 'X-Nothing: 1', '') + request(method, upgrade, body));
      await answered(2);
      socket.write(request(method, upgrade, body));
      await answered(3);
      socket.write(request(method, 'Connection: close', body));
      await closed;
      await answered(4);
      expect(host.asked).toHaveLength(4);
      if (body !== '') expect(host.asked.at(-2)?.args[1]).toEqual({ a: 1 });
    },
  );

  test.each([
    'http://localhost//',
    'http://localhost//a:99999/',
    'http://evil.example//a:b',
    '//',
    '//[',
    '//x%00y/',
    '//u:p@c/',
  ])('for %s is answered, and ends nothing', async (target) => {
    const { listening, url } = await start();
    for (const method of ['GET', 'POST'])
      for (const host of ['localhost', 'localhost:', '']) {
        const text = `${method} ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
        expect(await raw(listening.port, text)).toMatch(/^HTTP\/1\.1 4\d\d /);
      }
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  const SECOND = {
    'a head that is too large': `GET /runs HTTP/1.1\r\nHost: localhost\r\nX: ${'a'.repeat(17_000)}\r\n\r\n`,
    'a length and chunks':
      'GET /runs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    CONNECT: 'CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n',
    'an upgrade elsewhere':
      'GET /runs HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    'an upgrade to h2c':
      'GET /runs HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, close\r\nUpgrade: h2c\r\n\r\n',
  };

  test.each(Object.entries(SECOND))('is answered before %s on the same connection', async (_, second) => {
    const { listening } = await start({
      'states.get': async () => {
        await new Promise((resolve) => setTimeout(resolve, 50));
        return ok(ENVELOPE);
      },
    });
    const first = 'GET /workflow-states/st_1 HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const answers = await raw(listening.port, first + second);
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', expect.stringMatching(/ [245]\d\d$/)]);
  });

  test.each(Object.entries(SECOND))('may be cut off with %s behind it', async (_, second) => {
    let answer: () => void = () => undefined;
    const { listening, url } = await start({
      'states.get': () => new Promise((resolve) => (answer = () => resolve(ok(ENVELOPE)))),
    });
    const socket = connect(listening.port, '127.0.0.1');
    socket.write(`GET /workflow-states/st_1 HTTP/1.1\r\nHost: localhost\r\n\r\n${second}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.resetAndDestroy();
    await closed;
    answer();
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  test.each(Object.entries(SECOND))('does not keep a stop waiting with %s behind it', async (_, second) => {
    const app = fakeApp({ 'states.get': () => new Promise(() => undefined) });
    const listening = await listen(app.app, { host: '127.0.0.1', port: 0, drainMs: 200 });
    const socket = connect(listening.port, '127.0.0.1').on('error', () => undefined);
    socket.write(`GET /workflow-states/st_1 HTTP/1.1\r\nHost: localhost\r\n\r\n${second}`);
    await vi.waitFor(() => expect(app.host.asked).toHaveLength(1));
    await listening.close();
    socket.destroy();
  });

  test('that waits behind another one learns that its client is gone', async () => {
    const signals: AbortSignal[] = [];
    const { listening } = await start({
      'runners.poll': (_query, signal: AbortSignal) => {
        signals.push(signal);
        return new Promise(() => undefined);
      },
    });
    const socket = connect(listening.port, '127.0.0.1').on('error', () => undefined);
    const wait = 'GET /runner/runs?runner_id=r&wait=20s HTTP/1.1\r\nHost: localhost\r\n\r\n';
    socket.write(wait.repeat(15));
    await vi.waitFor(() => expect(signals).toHaveLength(15));
    socket.resetAndDestroy();
    await vi.waitFor(() => expect(signals.filter(({ aborted }) => aborted)).toHaveLength(15));
  });

  test('that the fetch API cannot make is refused, in every form of its target', async () => {
    const { listening, url } = await start();
    for (const target of ['/runs', 'http://localhost/runs', 'HTTP://LOCALHOST/runs']) {
      const text = `TRACE ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
      expect(await raw(listening.port, text)).toMatch(/^HTTP\/1\.1 4\d\d /);
    }
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  test('whose Host is none is refused with a problem', async () => {
    const { listening } = await start();
    for (const head of [
      'GET /runs HTTP/1.0\r\n',
      'GET /runs HTTP/1.1\r\nHost: a b\r\n',
      'GET /a\\b HTTP/1.1\r\nHost: localhost\r\n',
    ]) {
      const answer = await raw(listening.port, `${head}Connection: close\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
      expect(answer).toContain('"error":"');
    }
  });
});

describe('a body', () => {
  const put = (port: number, parts: readonly string[]) =>
    new Promise<string>((resolve, reject) => {
      const length = parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
      const socket = connect(port, '127.0.0.1');
      let answer = '';
      socket.on('data', (chunk) => {
        answer += chunk.toString();
        socket.end();
      });
      socket.on('close', () => resolve(answer));
      socket.on('error', reject);
      socket.write(
        `PUT /workflow-states/st_1 HTTP/1.1\r\nHost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${String(length)}\r\n\r\n`,
      );
      let at = 0;
      // Each in a packet of its own.
      const next = () => {
        const part = parts[at];
        at += 1;
        if (part !== undefined) socket.write(part, () => setImmediate(next));
      };
      next();
    });

  const sized = (bytes: number) => `{"data":{"a":"${'x'.repeat(bytes - 16)}"}}`;

  test.each([
    ['in many pieces', '{"data":{"a":"é"}}'.split(/(?!^)/u)],
    ['in two pieces', ['{"data":', '{"a":1}}']],
    ['of 64 KiB', [sized(64 * 1024)]],
    ['of a byte more', [sized(64 * 1024 + 1)]],
    ['of 64 KiB in two pieces', [sized(64 * 1024).slice(0, 1000), sized(64 * 1024).slice(1000)]],
  ])('%s is read as it is', async (_name, parts) => {
    const { listening, host } = await start({
      'states.replace': () => ok({ ...ENVELOPE, changed: true }),
    });
    expect(await put(listening.port, parts)).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(host.asked.at(-1)?.args[1]).toEqual(JSON.parse(parts.join('')).data);
  });

  test('that never comes keeps nobody waiting who is refused for the head', async () => {
    const { listening } = await start();
    const head = (host: string, type: string) =>
      `PUT /workflow-states/st_1 HTTP/1.1\r\nHost: ${host}\r\ncontent-type: ${type}\r\ncontent-length: 100\r\nConnection: close\r\n\r\n`;
    expect(await raw(listening.port, head('evil.example', 'application/json'))).toMatch(/^HTTP\/1\.1 421 /);
    expect(await raw(listening.port, head('localhost', 'text/plain'))).toMatch(/^HTTP\/1\.1 415 /);
  });
});

describe('a body that is too large', () => {
  /** Streams until the server answers or breaks off; tells how much it had to send. */
  function flood(url: string, headers: Record<string, string>) {
    return new Promise<{ status: number; sent: number; problem: any }>((resolve, reject) => {
      let sent = 0;
      let answered = false;
      const request = httpRequest(`${url}/runs`, { method: 'POST', headers }, (response: IncomingMessage) => {
        answered = true;
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, sent, problem: JSON.parse(text) });
          request.destroy();
        });
      });
      request.on('error', (error) => (answered ? undefined : reject(error)));
      const chunk = Buffer.alloc(16 * 1024, 0x20);
      const pump = () => {
        if (answered || request.destroyed || sent > 50_000_000) return;
        sent += chunk.length;
        if (request.write(chunk)) setImmediate(pump);
        else request.once('drain', pump);
      };
      pump();
    });
  }

  test('in chunks is refused long before its end', async () => {
    const { url, host } = await start();
    const { status, sent, problem } = await flood(url, { 'content-type': 'application/json' });
    expect([status, problem.error, problem.limit, problem.maximum]).toEqual([
      413,
      'payload_too_large',
      'bodyBytesMax',
      100_000,
    ]);
    expect(sent).toBeLessThan(50_000_000);
    expect(host.asked).toEqual([]);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  test('in chunks does not cost the next request its connection', async () => {
    const { listening } = await start();
    const chunk = `${(256 * 1024).toString(16)}\r\n${' '.repeat(256 * 1024)}\r\n`;
    const answers = await raw(
      listening.port,
      `POST /runs HTTP/1.1\r\nHost: localhost\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n` +
        `${chunk.repeat(24)}0\r\n\r\n` +
        `GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
    );
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200']);
  });

  test('that says its length is refused at once', async () => {
    const { url } = await start();
    const { status, problem } = await flood(url, {
      'content-type': 'application/json',
      'content-length': '900000000',
    });
    expect([status, problem.actual]).toEqual([413, 900_000_000]);
  });
});

describe('a caller who goes away', () => {
  test('ends its wait', async () => {
    const waiting = gate();
    const ended = gate();
    const { url } = await start({
      'runners.poll': (_query, signal: AbortSignal) => {
        waiting.settle();
        return new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            ended.settle();
            resolve(ok({ runs: [], stop_runs: [] }));
          });
        });
      },
    });
    const leaving = new AbortController();
    const answer = fetch(`${url}/runner/runs?runner_id=r&wait=20s`, { signal: leaving.signal });
    await waiting.promise;
    leaving.abort();
    await expect(answer).rejects.toThrow();
    await ended.promise;
  });

  test('in the middle of a body harms nobody', async () => {
    const { listening, url, lines, host } = await start();
    await new Promise<void>((resolve) => {
      const socket = connect(listening.port, '127.0.0.1', () => {
        const head =
          'POST /runs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"a"';
        socket.write(head, () => setTimeout(() => socket.destroy(), 30));
      });
      socket.on('close', () => resolve());
    });
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect(host.asked).toEqual([]);
    expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

describe('close', () => {
  test('lets requests in flight finish, ends waits early, accepts no others', async () => {
    const inFlight = gate();
    const finish = gate<unknown>();
    const waiting = gate();
    const { url, listening } = await start({
      'runs.list': () => {
        inFlight.settle();
        return finish.promise;
      },
      'runners.poll': (_query, signal: AbortSignal) => {
        waiting.settle();
        return new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve(ok({ runs: [], stop_runs: [] })));
        });
      },
    });
    const slow = fetch(`${url}/runs`);
    const poll = fetch(`${url}/runner/runs?runner_id=r&wait=20s`);
    await Promise.all([inFlight.promise, waiting.promise]);
    const closed = listening.close();
    expect(listening.close()).toBe(closed);
    expect((await poll).status).toBe(204);
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
    finish.settle(ok({ items: [], next_cursor: null }));
    expect(await (await slow).json()).toEqual({ items: [], next_cursor: null });
    await closed;
  });

  test('waits for what a caller has asked for who is gone', async () => {
    const inFlight = gate();
    const finish = gate<unknown>();
    const { url, listening, lines } = await start({
      'runs.list': () => {
        inFlight.settle();
        return finish.promise;
      },
    });
    const leaving = new AbortController();
    const answer = fetch(`${url}/runs`, { signal: leaving.signal });
    await inFlight.promise;
    leaving.abort();
    await expect(answer).rejects.toThrow();
    let isClosed = false;
    const closed = listening.close().then(() => (isClosed = true));
    // The connection is closed, since the server takes no other one.
    await vi.waitFor(() => expect(fetch(`${url}/healthz`)).rejects.toThrow());
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(isClosed).toBe(false);
    finish.settle(ok({ items: [], next_cursor: null }));
    await closed;
    expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('does not wait for idle connections', async () => {
    const { listening } = await start({}, 60_000);
    const socket = connect(listening.port, '127.0.0.1');
    await new Promise((resolve) => socket.on('connect', resolve));
    socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await new Promise((resolve) => socket.once('data', resolve));
    const ended = new Promise((resolve) => socket.once('close', resolve));
    await Promise.all([listening.close(), ended]);
  });

  test('does not wait for connections over which nothing was sent', async () => {
    const { listening } = await start({}, 60_000);
    const socket = connect(listening.port, '127.0.0.1');
    await new Promise((resolve) => socket.on('connect', resolve));
    const ended = new Promise((resolve) => socket.once('close', resolve));
    await Promise.all([listening.close(), ended]);
  });

  test('cuts off what takes longer than drainMs', async () => {
    const inFlight = gate();
    const { url, listening } = await start(
      {
        'runs.list': () => {
          inFlight.settle();
          return new Promise(() => undefined);
        },
      },
      50,
    );
    const stuck = fetch(`${url}/runs`);
    stuck.catch(() => undefined);
    await inFlight.promise;
    await listening.close();
    await expect(stuck).rejects.toThrow();
  });
});

describe('a socket that cannot be opened', () => {
  const attempt = (host: string, port: number) =>
    listen(fakeApp().app, { host, port }).then(
      () => new Error('it was opened'),
      (error: unknown) => error,
    );

  test('because the port is taken is said so', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const error = await attempt('127.0.0.1', port);
    expect(error).toBeInstanceOf(ListenError);
    expect(error).toMatchObject({
      failure: 'port_taken',
      message: `Port ${String(port)} on 127.0.0.1 is taken by another program; choose another, or 0 for a free one.`,
    });
    await new Promise((resolve) => other.close(resolve));
  });

  test('because the address is another machine’s is said so', async () => {
    expect(await attempt('192.0.2.1', 0)).toMatchObject({
      failure: 'address_unknown',
      message: '192.0.2.1 is not an address of this machine.',
    });
  });
});

test('IPv6 addresses make a URL', async () => {
  const listening = await listen(fakeApp().app, { host: '::1', port: 0 }).catch(() => null);
  if (listening === null) return;
  open.push(listening);
  expect(listening.url).toBe(`http://[::1]:${String(listening.port)}`);
  expect((await fetch(`${listening.url}/healthz`)).status).toBe(200);
});
