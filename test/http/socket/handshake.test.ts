// The answers to handshakes of WebSockets, and to subscriptions that cannot be opened.
import { request, type IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { WebSocket } from 'ws';
import { listen, type Listening } from '../../../src/http/index.js';
import { ok } from '../../../src/domain/errors.js';
import { StorageError } from '../../../src/ports/storage/storage.js';
import { fakeApp, type FakeApp } from '../fake-host.js';

const HANDSHAKE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  'sec-websocket-version': '13',
};

let inside: FakeApp;
let outside: Listening;
const script: Record<string, () => unknown> = {};
beforeEach(async () => {
  inside = fakeApp(script);
  outside = await listen(inside.app, { host: '127.0.0.1', port: 0, drainMs: 100 });
});
afterEach(() => outside.close());

/** Sends a handshake, and gives what is answered instead of a WebSocket, or with it. */
function shake(method: string, path: string, headers: Readonly<Record<string, string>> = {}) {
  return new Promise<{ incoming: IncomingMessage; text: string }>((resolve, reject) => {
    const asked = request(outside.url + path, { method, headers: { ...HANDSHAKE, ...headers } });
    asked.once('upgrade', (incoming, socket) => {
      socket.destroy();
      resolve({ incoming, text: '' });
    });
    asked.once('response', (incoming) => {
      let text = '';
      incoming.on('data', (chunk: Buffer) => (text += chunk.toString()));
      incoming.once('end', () => resolve({ incoming, text }));
    });
    asked.once('error', reject).end();
  });
}

describe('a handshake', () => {
  it('that is accepted has the headers of every answer', async () => {
    const { incoming } = await shake('GET', '/ws', { 'x-request-id': 'mine' });
    expect(incoming.statusCode).toBe(101);
    expect(incoming.headers).toMatchObject({
      'x-request-id': 'mine',
      'cache-control': 'no-store',
      vary: 'Origin',
    });
    expect((await shake('GET', '/ws')).incoming.headers['x-request-id']).toMatch(/^req_/);
  });

  it('with another method is told which there are', async () => {
    const { incoming, text } = await shake('POST', '/ws');
    expect(incoming.statusCode).toBe(405);
    expect(incoming.headers.allow).toBe('GET, HEAD, OPTIONS');
    expect(JSON.parse(text)).toMatchObject({ allowed: ['GET', 'HEAD', 'OPTIONS'] });
  });

  it.each(['HEAD', 'OPTIONS'])('with %s, which the path takes otherwise, is malformed', async (method) => {
    const { incoming } = await shake(method, '/ws');
    expect(incoming.statusCode).toBe(400);
    expect(incoming.headers.allow).toBeUndefined();
  });

  it('with a query is refused there', async () => {
    const { incoming, text } = await shake('GET', '/ws?token=t');
    expect(incoming.statusCode).toBe(422);
    expect(JSON.parse(text)).toMatchObject({ error: 'invalid_request', errors: [{ pointer: '/query' }] });
  });

  it('in another version says so once', async () => {
    const { incoming } = await shake('GET', '/ws', { 'sec-websocket-version': '8' });
    expect(incoming.statusCode).toBe(426);
    expect(incoming.headers.connection).toBe('Upgrade, close');
  });
});

test('the name of a subscription that could not be opened is free again', async () => {
  let tries = 0;
  script['streams.state'] = () => {
    tries += 1;
    if (tries === 1) throw new StorageError('storage_failed', 'The database cannot be read');
    return ok(
      (async function* none() {
        yield await Promise.resolve([]);
      })(),
    );
  };
  const socket = new WebSocket(`${outside.url.replace('http', 'ws')}/ws`);
  await new Promise((resolve) => socket.once('open', resolve));
  const answer = async () => {
    const heard = new Promise<string>((resolve) =>
      socket.once('message', (data: Buffer) => resolve(data.toString('utf8'))),
    );
    socket.send('{"type":"subscribe","subscription":"mine","state_id":"st_1"}');
    return JSON.parse(await heard) as unknown;
  };
  expect(await answer()).toMatchObject({
    type: 'error',
    subscription: 'mine',
    problem: { error: 'storage_failed' },
  });
  expect(await answer()).toEqual({ type: 'subscribed', subscription: 'mine' });
  socket.terminate();
});
