// What lasts (streams, WebSockets, MCP subscriptions, waits) ends with the token or the session that it was let in with.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { CliIo } from '../../src/cli/index.js';
import { createClient, watch, type CountersignService } from '../../src/client/index.js';
import type { Limits } from '../../src/domain/limits.js';
import type { Role } from '../../src/domain/records/records.js';
import { startCoordinator, type Coordinator } from '../../src/main/coordinator.js';
import { createToken, revokeToken } from '../../src/main/commands/tokens.js';
import { must, failure, silent } from '../service/harness.js';
import { eventually } from '../support/eventually.js';
import { McpClient } from '../support/mcp.js';

/** Far longer than a test lasts: whatever ends before was ended. */
const WAIT = '60s';
const WAIT_MS = 60_000;

let dir: string;
let db: string;
let coordinator: Coordinator;
let operator: CountersignService;
let stateId: string;

const said = { text: '' };
const io: CliIo = {
  stdout: { write: (text) => (said.text += text) },
  stderr: { write: () => undefined },
  stdin: Readable.from([]),
  env: {},
  isTTY: false,
  width: 80,
};
const tokenOf = async (role: Role) => {
  said.text = '';
  expect(await createToken({ db, name: role, role, json: true }, io)).toBe(0);
  return (JSON.parse(said.text) as { token: string }).token;
};
const revoke = async (role: Role) => expect(await revokeToken({ db, token: role, json: false }, io)).toBe(0);
const start = async (auth: boolean, limits: Partial<Limits> = {}) => {
  const admin = auth ? await tokenOf('admin') : null;
  coordinator = await startCoordinator({
    host: '127.0.0.1',
    port: 0,
    db,
    auth,
    allowHosts: [],
    allowOrigins: [],
    limits: { callerRecheckMs: 30, ...limits },
    logger: silent,
  });
  operator = createClient({ url: coordinator.url, ...(admin === null ? {} : { token: admin }) });
  must(await operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
  must(await operator.sessions.create({ session_name: 'root', external: true }));
  const body = { schema_name: 'any', initial_data: { n: 1 }, root_session_name: 'root' };
  stateId = must(await operator.states.create(body)).state_id;
};

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'countersign-callers-'));
  db = join(dir, 'test.db');
});
afterEach(async () => {
  await coordinator.close();
  rmSync(dir, { recursive: true });
});

/** All that a stream sends until the service ends it; `begun` once it is there. */
async function streamed(path: string, headers: Record<string, string>) {
  const response = await fetch(coordinator.url + path, { headers });
  expect(response.status).toBe(200);
  return { text: response.text() };
}

async function socketOf(headers: Record<string, string>) {
  const socket = new WebSocket(`${coordinator.url.replace('http', 'ws')}/ws`, { headers });
  const got: string[] = [];
  socket.on('message', (data: Buffer) => got.push(data.toString()));
  const closed = new Promise<number>((resolve) => socket.on('close', resolve));
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return { socket, got, closed };
}

const get = (path: string, headers: Record<string, string>) =>
  fetch(coordinator.url + path, { headers }).then(async (response) => ({
    status: response.status,
    error: ((await response.json()) as { error?: string }).error,
  }));

const OVER = { status: 401, error: 'unauthorized' };

describe('a token that is revoked', () => {
  beforeEach(() => start(true));
  const headersOf = (token: string) => ({ authorization: `Bearer ${token}` });

  it('ends streams, with the reason as the last event', async () => {
    const headers = headersOf(await tokenOf('reader'));
    const streams = [
      await streamed(`/workflow-states/${stateId}/stream`, headers),
      await streamed('/stream', headers),
    ];
    await revoke('reader');
    for (const { text } of streams) {
      expect(await text).toMatch(/event: dropped\ndata: {"reason":"refused","error":"unauthorized".*\n\n$/);
    }
    // Others go on.
    must(await operator.states.mergePatch(stateId, { n: 2 }, {}));
  });

  it('ends what the client watches as a refusal', async () => {
    const client = createClient({ url: coordinator.url, token: await tokenOf('reader') });
    const heard: string[] = [];
    for await (const event of watch(client, stateId)) {
      heard.push(event.ok ? event.value.event : event.failure.error);
      if (event.ok) await revoke('reader');
    }
    expect(heard).toEqual(['bookmark', 'unauthorized']);
  });

  it('closes WebSockets, subscribed or not, after having said why', async () => {
    const headers = headersOf(await tokenOf('reader'));
    const [idle, subscribed] = [await socketOf(headers), await socketOf(headers)];
    subscribed.socket.send(JSON.stringify({ type: 'subscribe', state_id: stateId }));
    await eventually('it is subscribed', () => subscribed.got.some((text) => text.includes('bookmark')));
    await revoke('reader');
    for (const { closed, got } of [idle, subscribed]) {
      expect(await closed).toBe(1008);
      expect(got.at(-1)).toContain('"error":"unauthorized"');
    }
  });

  it('ends waits, which are refused', async () => {
    const headers = headersOf(await tokenOf('reader'));
    const waits = [
      get(`/workflow-states/${stateId}?after_version=1&wait=${WAIT}`, headers),
      fetch(`${coordinator.url}/workflow-states/${stateId}/wait`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ until: { required: ['done'] }, timeout_ms: WAIT_MS }),
      }).then(async (response) => ({
        status: response.status,
        error: ((await response.json()) as { error?: string }).error,
      })),
    ];
    await new Promise((resolve) => setTimeout(resolve, 50));
    await revoke('reader');
    for (const wait of waits) expect(await wait).toEqual(OVER);
  });

  it('ends the poll of a runner, which takes no run any more', async () => {
    const headers = headersOf(await tokenOf('runner'));
    const body = JSON.stringify({ hostname: 'host', executor_types: ['command'] });
    const registered = await fetch(`${coordinator.url}/runner/register`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
    });
    const { runner_id: id } = (await registered.json()) as { runner_id: string };
    const poll = get(`/runner/runs?runner_id=${id}&wait=25s`, headers);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await revoke('runner');
    expect(await poll).toEqual(OVER);
    must(await operator.runs.create({ type: 'start_session', session_name: 'work', prompt: 'go' }));
    expect(must(await operator.runs.list({})).items.map(({ status }) => status)).toEqual(['pending']);
  });

  it('ends MCP subscriptions and tools that wait', async () => {
    const reader = await McpClient.http(coordinator.url, headersOf(await tokenOf('reader')));
    const uri = `countersign://states/${stateId}`;
    const subscription = await reader.client.listen({ resourceSubscriptions: [uri] });
    const until = { required: ['done'] };
    const waited = reader
      .call('wait_for_state', { state_id: stateId, until, timeout_seconds: 45 })
      .then(({ text }) => text, String);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await revoke('reader');
    await subscription.closed;
    expect(await waited).toMatch(/unauthorized|401|revoked/);
    await reader.close();
  });
});

describe('a WebSocket', () => {
  it('looks at each subscription again, however long the next look would take', async () => {
    await start(true, { callerRecheckMs: WAIT_MS });
    const { socket, got, closed } = await socketOf({ authorization: `Bearer ${await tokenOf('reader')}` });
    await revoke('reader');
    socket.send(JSON.stringify({ type: 'subscribe', state_id: stateId }));
    expect(await closed).toBe(1008);
    expect(got).toHaveLength(1);
    expect(got[0]).toContain('"error":"unauthorized"');
  });
});

describe('a session that is deleted, without tokens', () => {
  it('ends what it follows and waits for; a caller who showed nothing goes on', async () => {
    await start(false);
    must(
      await operator.sessions.create({ session_name: 'child', parent_session_name: 'root', external: true }),
    );
    const headers = { 'x-agent-session-name': 'child' };
    const { text } = await streamed(`/workflow-states/${stateId}/stream`, headers);
    const { closed } = await socketOf(headers);
    const pull = get(`/sessions/child/callbacks?wait=${WAIT}`, headers);
    const nobody = operator.states.wait(stateId, { until: { required: ['done'] }, timeout_ms: WAIT_MS });
    await new Promise((resolve) => setTimeout(resolve, 50));
    must(await operator.sessions.remove('child'));
    expect(await text).toContain('"error":"session_not_found"');
    expect(await closed).toBe(1008);
    expect(await pull).toEqual({ status: 404, error: 'session_not_found' });
    must(await operator.states.mergePatch(stateId, { done: true }, {}));
    expect(must(await nobody)).toMatchObject({ matched: true });
  });
});

describe('runners, as a session sees them', () => {
  it('have neither a host nor a folder; operators see both', async () => {
    await start(false);
    const body = { hostname: 'build-7', project_dir: '/home/someone/work', executor_types: ['command'] };
    must(await operator.runners.register(body));
    const session = createClient({ url: coordinator.url, sessionName: 'root' });
    expect(must(await operator.runners.list()).items).toMatchObject([
      { hostname: 'build-7', project_dir: '/home/someone/work' },
    ]);
    const seen = must(await session.runners.list()).items;
    expect(seen).toMatchObject([{ hostname: null, project_dir: null, executor_types: ['command'] }]);
    expect(JSON.stringify(seen)).not.toMatch(/build-7|someone/);
    expect(failure(await session.runners.register(body)).error).toBe('forbidden');
  });
});
