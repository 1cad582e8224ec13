// What the log says of requests that are no messages: anybody can send them, as many as they like.
import { expect, it } from 'vitest';
import { OPEN_LOOPBACK } from '../../src/domain/access/actor.js';
import type { JsonValue } from '../../src/domain/json/json.js';
import { DEFAULT_LIMITS } from '../../src/domain/limits.js';
import { createMcpTransport, type McpHttpOptions } from '../../src/mcp/index.js';
import type { Waiting } from '../../src/ports/mcp-transport.js';
import type { Logger } from '../../src/ports/runtime.js';
import { FakeHost } from '../http/fake-host.js';

const LEGACY = 'application/json, text/event-stream';
const MALFORMED: readonly JsonValue[] = ['x', [], { id: 1, method: 'ping' }, { jsonrpc: '2.0', id: {} }];

const lines: [string, object][] = [];
const line = (level: string) => (fields: object) => void lines.push([level, fields]);
const logger: Logger = {
  verbose: true,
  debug: line('debug'),
  info: line('info'),
  warn: line('warn'),
  error: line('error'),
};

async function statuses(bodies: readonly JsonValue[], serverFor?: McpHttpOptions['serverFor']) {
  lines.length = 0;
  const host = new FakeHost();
  const transport = createMcpTransport({ host, limits: DEFAULT_LIMITS, logger, version: '1', serverFor });
  const service = host.as(OPEN_LOOPBACK);
  const found: number[] = [];
  for (const body of bodies) {
    const headers = new Headers({ accept: LEGACY, 'content-type': 'application/json' });
    const request = new Request('http://localhost/mcp', { method: 'POST', headers });
    const message = { header: (name: string) => headers.get(name), body, actor: OPEN_LOOPBACK, service };
    const waiting: Waiting = (work) => work(request.signal);
    found.push((await transport.answer({ ...message, request, waiting, subscribes: false })).status);
  }
  await transport.close();
  return found;
}

it('a malformed message is answered, and leaves a line of debug without a stack', async () => {
  expect(await statuses(MALFORMED)).toEqual(MALFORMED.map(() => 400));
  expect(lines.length).toBeGreaterThan(0);
  for (const found of lines) expect(found).toEqual(['debug', { detail: expect.any(String) }]);
});

it('a fault of the server is an error, with its cause', async () => {
  const fault = new Error('a bug');
  const broken = () => {
    throw fault;
  };
  expect(await statuses([{ jsonrpc: '2.0', id: 1, method: 'ping' }], broken)).toEqual([500]);
  expect(lines).toContainEqual(['error', { status: 500, err: fault }]);
});

it.each<JsonValue>([
  { method: 'tools/list', params: null },
  { method: 'tools/list', params: { cursor: null } },
  { method: 'tools/call', params: { name: 'list_agent_blueprints', arguments: null } },
  { method: 'tools/call', params: { name: 'list_agent_blueprints', _meta: { progressToken: null } } },
])('optional members may be null: %j', async (request) => {
  const message = { jsonrpc: '2.0', id: 1, ...(request as object) };
  expect(await statuses([message, [message]])).toEqual([200, 200]);
});
