// The sender against real sockets: where it connects to, how long, how much it reads.
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AddressPolicy } from '../../../src/service/webhooks/address-policy.js';
import { retryAfterMs } from '../../../src/domain/retry-after.js';
import { Sender, type Resolve } from '../../../src/service/webhooks/sender.js';
import { Receiver } from '../../support/receiver.js';

let receiver: Receiver;
beforeEach(async () => {
  receiver = await Receiver.open();
});
afterEach(() => receiver.close());

const never = new AbortController().signal;
const to =
  (...addresses: string[]): Resolve =>
  (_name, _options, done) =>
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
const sender = (allow: readonly string[], resolve?: Resolve, webhookTimeoutMs = 2000) =>
  new Sender({
    policy: new AddressPolicy(allow),
    limits: { webhookTimeoutMs, webhookResponseBytesMax: 16 },
    clock: { now: () => 0, wall: () => 0 },
    userAgent: 'test',
    resolve,
  });
const message = (url: string) => ({ url, headers: { 'webhook-id': 'm' }, body: '{}' });

describe('a message', () => {
  it('is a POST of JSON on a connection of its own', async () => {
    const result = await sender(['127.0.0.0/8']).send(message(receiver.url('/a?b=c')), never);
    expect(result).toMatchObject({ kind: 'answer', status: 204 });
    expect(receiver.received[0]).toMatchObject({
      path: '/a?b=c',
      body: '{}',
      headers: {
        'webhook-id': 'm',
        'content-type': 'application/json',
        'user-agent': 'test',
        connection: 'close',
      },
    });
  });

  it.each([
    ['a name that leads to a private address', 'http://ci.example', to('127.0.0.1')],
    ['a name that leads to several', 'http://ci.example', to('127.0.0.1', '::1')],
    ['a name that leads to an IPv4 address in disguise', 'http://ci.example', to('::ffff:127.0.0.1')],
    ['a name that leads nowhere', 'http://ci.example', to()],
    ['a literal address', 'http://127.0.0.1', undefined],
    ['a literal address in disguise', 'http://[::ffff:7f00:1]', undefined],
  ])('goes not to %s', async (_case, base, resolve) => {
    const url = `${base}:${String(receiver.port)}/`;
    const result = await sender(['10.0.0.0/8'], resolve).send(message(url), never);
    expect(result).toMatchObject({ kind: 'error', error: expect.stringContaining('address refused') });
    // Whoever reads the deliveries does not learn what a name leads to in here.
    expect(JSON.stringify(result)).not.toMatch(/127\.|10\.|7f00/);
    expect(receiver.received).toEqual([]);
  });

  it('goes to the address that was looked at, and to no other that the name gives later', async () => {
    let looks = 0;
    const rebinding: Resolve = (_name, _options, done) => {
      looks += 1;
      done(null, [{ address: looks === 1 ? '127.0.0.1' : '10.0.0.1', family: 4 }]);
    };
    const url = `http://ci.example:${String(receiver.port)}/`;
    expect(await sender(['127.0.0.0/8'], rebinding).send(message(url), never)).toMatchObject({ status: 204 });
    expect([looks, receiver.received.length]).toEqual([1, 1]);
  });

  it('passes over an address that is not allowed where the name gives another', async () => {
    const url = `http://ci.example:${String(receiver.port)}/`;
    const result = await sender(['127.0.0.0/8'], to('::1', '10.0.0.1', '127.0.0.1')).send(
      message(url),
      never,
    );
    expect(result).toMatchObject({ status: 204 });
  });

  it('is given up when there is no answer in time', async () => {
    receiver.script = () => 'hang';
    const result = await sender(['127.0.0.0/8'], undefined, 50).send(message(receiver.url()), never);
    expect(result).toMatchObject({ kind: 'error', error: 'there was no answer within 50 ms' });
  });

  it('is broken off when the service ends', async () => {
    receiver.script = () => 'hang';
    const closing = new AbortController();
    const sent = sender(['127.0.0.0/8']).send(message(receiver.url()), closing.signal);
    await receiver.got(1);
    closing.abort();
    expect(await sent).toMatchObject({ kind: 'error' });
  });

  it('has the beginning of its answer read, and no more', async () => {
    receiver.script = () => ({ status: 500, body: 'x'.repeat(1_000_000) });
    expect(await sender(['127.0.0.0/8']).send(message(receiver.url()), never)).toMatchObject({
      status: 500,
      response: 'x'.repeat(16),
    });
  });

  const UPGRADE = 'Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
  const UNSWITCHED = { kind: 'error', error: 'the receiver switched to another protocol' };
  const LATE = { kind: 'error', error: 'there was no answer within 200 ms' };
  it.each<[string, (socket: Socket) => void, object]>([
    ['what is no HTTP', (socket) => socket.end('hello\r\n\r\n'), { kind: 'error' }],
    ['nothing', (socket) => socket.end(), { kind: 'error' }],
    ['a reset', (socket) => socket.resetAndDestroy(), { kind: 'error' }],
    ['101', (socket) => socket.write(`HTTP/1.1 101 Switching Protocols\r\n${UPGRADE}`), UNSWITCHED],
    ['101 and an end', (socket) => socket.end(`HTTP/1.1 101 Switching Protocols\r\n${UPGRADE}`), UNSWITCHED],
    [
      '101 without a protocol',
      (socket) => socket.end('HTTP/1.1 101 X\r\n\r\n'),
      { kind: 'answer', status: 101 },
    ],
    ['100 and nothing more', (socket) => socket.write('HTTP/1.1 100 Continue\r\n\r\n'), LATE],
    ['103 and an end', (socket) => socket.end('HTTP/1.1 103 Early\r\n\r\n'), { kind: 'error' }],
    ['half a head and an end', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Le'), { kind: 'error' }],
    ['half a head', (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Le'), LATE],
    [
      'a body that never ends',
      (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc'),
      { kind: 'answer', status: 200, response: 'abc' },
    ],
    [
      'a body that is cut off',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc'),
      { kind: 'answer', status: 200, response: 'abc' },
    ],
    [
      'a body that is no chunk',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n'),
      { kind: 'error' },
    ],
    [
      '200 with an offer of another protocol',
      (socket) => socket.end(`HTTP/1.1 200 OK\r\n${UPGRADE}`),
      { kind: 'answer', status: 200 },
    ],
  ])('comes to an end when the answer is %s', async (_case, answer, expected) => {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('data', () => {
        answer(socket);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${String(port)}/`;
    const result = await sender(['127.0.0.0/8'], undefined, 200).send(message(url), never);
    expect(result).toMatchObject(expected);
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('Retry-After', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  it.each<[string | undefined, number | null]>([
    ['0', 0],
    ['120', 120_000],
    [' 5 ', 5_000],
    ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
    ['Thu, 01 Jan 2025 00:01:00 GMT', 0],
    ['-1', null],
    ['1.5', null],
    ['soon', null],
    ['2026', 2_026_000],
    ['99999999999', null],
    ['', null],
    [undefined, null],
  ])('%j is %s', (header, expected) => {
    expect(retryAfterMs(header, undefined, now)).toBe(expected);
  });

  it('counts a date from the clock of the receiver, which may be a day ahead', () => {
    const [sent, date] = ['Fri, 02 Jan 2026 00:00:00 GMT', 'Fri, 02 Jan 2026 00:01:00 GMT'];
    expect(retryAfterMs(date, sent, now)).toBe(60_000);
    expect(retryAfterMs(date, 'soon', now)).toBe(86_460_000);
  });
});
