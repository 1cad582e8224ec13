// Answers in one write: what a caller gets is what `ServerResponse` would have sent, on connections of every kind.
import {
  Agent,
  createServer,
  request,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { KEPT_IDLE_MS, sendWhole } from '../../../src/http/replies/send-whole.js';

interface Told {
  readonly status: number;
  readonly headers: readonly string[];
  readonly text: string;
}

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serverOf(
  handle: (incoming: IncomingMessage, outgoing: ServerResponse) => void,
): Promise<number> {
  const server = createServer({ keepAliveTimeout: KEPT_IDLE_MS }, handle);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  return (server.address() as AddressInfo).port;
}

/** As the door does it. Says whether it went out in one write. */
function answer(outgoing: ServerResponse, { status, headers, text }: Told, whole = true): boolean {
  const isAscii = Buffer.byteLength(text) === text.length;
  if (whole && sendWhole(outgoing, status, headers, text, isAscii)) return true;
  outgoing.writeHead(status, [...headers]).end(text === '' ? undefined : text);
  return false;
}

/** What a connection answers to raw text until it is closed, or holds so many bytes. */
function raw(port: number, text: string, bytes = Infinity): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      if (Buffer.concat(chunks).length >= bytes) socket.destroy();
    });
    socket.on('close', () => resolve(Buffer.concat(chunks)));
    socket.on('error', reject);
  });
}

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const LAST = 'GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
const told = (text: string, status = 200): Told => ({
  status,
  headers: [
    ...['content-type', 'application/json', 'etag', '"7"', 'x-request-id', 'req-1'],
    ...(text === '' ? [] : ['content-length', String(Buffer.byteLength(text))]),
  ],
  text,
});

describe('an answer in one write', () => {
  test.each([
    ['in ASCII', told('{"a":1}')],
    ['in UTF-8', told('{"a":"é€😀"}')],
    ['of an error', told('{"error":"state_not_found"}', 404)],
    ['without a body', told('', 304)],
    ['without anything', told('', 204)],
    ['of a status that nobody knows', told('{}', 299)],
  ])('%s has the bytes of one by ServerResponse', async (_, what) => {
    const sent: boolean[] = [];
    const port = await serverOf((incoming, outgoing) => {
      if (incoming.url === '/last') outgoing.end();
      else sent.push(answer(outgoing, what, sent.length === 0));
    });
    const ask = async () => (await raw(port, GET + LAST)).toString('latin1').replace(/\r\nDate: [^\r]+/g, '');
    expect(await ask()).toBe(await ask());
    expect(sent).toEqual([true, false]);
  });

  test('carries the time', async () => {
    const port = await serverOf((_, outgoing) => void answer(outgoing, told('{}')));
    const date = /\r\nDate: ([^\r]+)\r\n/.exec((await raw(port, GET, 150)).toString())?.[1] ?? '';
    expect(Math.abs(Date.parse(date) - Date.now())).toBeLessThan(3000);
  });

  test('leaves the connection to the next request', async () => {
    const ports = new Set<number | undefined>();
    const port = await serverOf((incoming, outgoing) => {
      ports.add(incoming.socket.remotePort);
      expect(answer(outgoing, told('{"a":1}'))).toBe(true);
    });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let i = 0; i < 20; i += 1) {
      const body = await new Promise<string>((resolve, reject) => {
        request({ port, agent, method: 'POST', headers: { 'content-length': 2 } }, (response) => {
          response.setEncoding('utf8').on('data', resolve);
        })
          .on('error', reject)
          .end('{}');
      });
      expect(body).toBe('{"a":1}');
    }
    agent.destroy();
    expect(ports.size).toBe(1);
  });

  test('keeps the order of requests that came together, whichever is ready first', async () => {
    const asked: ServerResponse[] = [];
    const port = await serverOf((_, outgoing) => {
      asked.push(outgoing);
      if (asked.length < 4) return;
      for (const [i, one] of [...asked.entries()].reverse()) answer(one, told(JSON.stringify({ n: i })));
    });
    const all = (await raw(port, GET + GET + GET + LAST)).toString();
    expect(all.match(/\{"n":\d\}/g)).toEqual(['{"n":0}', '{"n":1}', '{"n":2}', '{"n":3}']);
  });

  test('waits for a reader that takes its time', async () => {
    const text = JSON.stringify('x'.repeat(8 * 1024 * 1024));
    let closed = 0;
    let stalled: () => void = () => undefined;
    const port = await serverOf((_, outgoing) => {
      outgoing.once('close', () => (closed += 1));
      answer(outgoing, told(text));
      if (outgoing.socket?.writableNeedDrain === true) stalled();
    });
    const length = await new Promise<number>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(GET + LAST));
      let bytes = 0;
      socket.pause();
      stalled = () => void socket.resume();
      socket.on('data', (chunk) => (bytes += chunk.length));
      socket.on('close', () => resolve(bytes));
    });
    expect(length).toBeGreaterThan(2 * text.length);
    expect(closed).toBe(2);
  });

  test('ends with a caller that goes away', async () => {
    const text = JSON.stringify('x'.repeat(32 * 1024 * 1024));
    let port = 0;
    const closed = new Promise<void>((resolve) => {
      void serverOf((_, outgoing) => {
        outgoing.once('close', () => resolve());
        answer(outgoing, told(text));
      }).then((opened) => {
        port = opened;
        return raw(opened, GET, 1);
      });
    });
    await closed;
    // The server goes on.
    expect((await raw(port, GET, 60)).toString()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });

  test.each([
    ['the connection is to be closed', GET.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')],
    ['the caller speaks HTTP/1.0', GET.replace('HTTP/1.1', 'HTTP/1.0')],
  ])('is not sent where %s', async (_, ask) => {
    const sent: boolean[] = [];
    const port = await serverOf((_incoming, outgoing) => void sent.push(answer(outgoing, told('{"a":1}'))));
    expect((await raw(port, ask)).toString()).toMatch(/\r\nConnection: close\r\n[^]*\{"a":1\}$/);
    expect(sent).toEqual([false]);
  });

  test.each(['a\r\nb: c', 'a\nb', '\u0000', 'é'])('is not sent with a header of %j', async (value) => {
    const sent: boolean[] = [];
    const port = await serverOf((_, outgoing) => {
      sent.push(sendWhole(outgoing, 200, ['x-a', value, 'content-length', '2'], '{}', true));
      outgoing.end();
    });
    expect((await raw(port, LAST)).toString()).not.toContain('x-a');
    expect((await raw(port, GET, 20)).toString()).not.toContain('x-a');
    expect(sent).toEqual([false, false]);
  });
});
