import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { EXIT } from '../../src/cli/index.js';
import { freePort } from '../support/free-port.js';
import { cli } from './io-double.js';

const opened: Server[] = [];
afterEach(() => {
  for (const server of opened.splice(0)) server.close().closeAllConnections();
});

function listen(statuses: readonly number[], port = 0, body = '{"status":"ok"}'): Promise<string[]> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const at = asked.push(`${request.method} ${request.url}`) - 1;
    response.writeHead(statuses[Math.min(at, statuses.length - 1)] ?? 200).end(body);
  });
  opened.push(server);
  return new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve(asked)));
}
const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

test('waits until a service listens', async () => {
  const port = await freePort();
  const waiting = cli(['ready', '--url', `http://127.0.0.1:${port}`]);
  setTimeout(() => void listen([200], port), 150);
  expect(await waiting).toMatchObject({ code: EXIT.ok, out: '', err: '' });
});

test('waits until the service that listens is ready, below the path of its URL', async () => {
  const asked = await listen([503, 404, 200]);
  const url = `${urlOf(opened[0]!)}/below/`;
  expect(await cli(['ready'], { env: { COUNTERSIGN_URL: url } })).toMatchObject({ code: EXIT.ok });
  expect(asked).toEqual(Array.from({ length: 3 }, () => 'GET /below/readyz'));
});

test('gives up when the time is over, and says why', async () => {
  const port = await freePort();
  const nobody = await cli(['ready', '--url', `http://127.0.0.1:${port}`, '--timeout', '150ms']);
  expect(nobody).toMatchObject({ code: EXIT.timedOut, out: '' });
  expect(nobody.err).toMatch(/is not ready: .*ECONNREFUSED/);
  await listen([503]);
  const stopping = await cli(['ready', '--url', urlOf(opened[0]!), '--timeout', '50ms']);
  expect(stopping).toMatchObject({ code: EXIT.timedOut, err: expect.stringContaining('answers with 503') });
});

test.each(['<html>hello', '{}', '[]'])('does not take another program for the service: %s', async (body) => {
  await listen([200], 0, body);
  const other = await cli(['ready', '--url', urlOf(opened[0]!), '--timeout', '50ms']);
  expect(other).toMatchObject({ code: EXIT.timedOut, err: expect.stringContaining('is not Countersign') });
});

test('says at once that nothing can reach a port that the Fetch standard blocks', async () => {
  const blocked = await cli(['ready', '--url', 'http://127.0.0.1:5060']);
  expect(blocked).toMatchObject({ code: EXIT.usage, err: expect.stringContaining('serve on another one') });
});

test('takes no URL that is none', async () => {
  expect(await cli(['ready', '--url', 'nowhere'])).toMatchObject({
    code: EXIT.usage,
    err: expect.stringContaining('Not the URL of a service'),
  });
});
