// Streams over a real socket in front of the real service.
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClient, watch } from '../../src/client/index.js';
import { DEFAULT_LIMITS } from '../../src/domain/limits.js';
import { createHttpApp, listen, type Listening } from '../../src/http/index.js';
import { must, openHarness, failure, silent, type Harness } from '../service/harness.js';

const LIMITS = { streamBookmarkMs: 50, streamStallMs: 150, waitMsMax: 500, streamsMax: 3 };

describe('streams over HTTP', () => {
  let harness: Harness;
  let served: Listening;
  let id: string;
  const open = async (port = 0) => {
    const limits = { ...DEFAULT_LIMITS, ...LIMITS };
    const app = createHttpApp({
      host: harness.service,
      limits,
      logger: silent,
      clock: { now: () => Date.now(), wall: () => Date.now() },
      auth: false,
      allowedHosts: [],
      allowedOrigins: [],
      version: '1',
      draining: () => false,
    });
    served = await listen(app, { host: '127.0.0.1', port, drainMs: 500 });
  };
  beforeEach(async () => {
    harness = await openHarness(LIMITS);
    must(await harness.operator.schemas.register({ name: 'plan', json_schema: { type: 'object' } }));
    const created = await harness.operator.states.create({ schema_name: 'plan', initial_data: { n: 1 } });
    id = must(created).state_id;
    await open();
  });
  afterEach(async () => {
    const closed = served.close();
    await harness.close();
    await closed;
  });
  const write = async (data: object) => must(await harness.operator.states.mergePatch(id, data as never, {}));

  /** Reads until the text holds something. */
  const read = async (path: string, until: string | RegExp, headers: Record<string, string> = {}) => {
    const stop = new AbortController();
    const response = await fetch(served.url + path, { headers, signal: stop.signal });
    let text = '';
    if (response.body !== null) {
      for await (const chunk of response.body) {
        text += Buffer.from(chunk as Uint8Array).toString();
        if (text.search(until) >= 0) break;
      }
    }
    stop.abort();
    return { response, text };
  };

  it('are Server-Sent Events with ids, and begin with how to come back', async () => {
    await write({ n: 2 });
    const { response, text } = await read(`/workflow-states/${id}/stream?since=1`, /updated[^]*\n\n/);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(text).toMatch(
      /^retry: 1000\n\nid: 1\nevent: bookmark\ndata: \{\}\n\nid: 2\nevent: workflow_state_updated\ndata: \{"event_id":"[^\n]*\}\n\n$/,
    );
  });

  it('go on after Last-Event-ID, which wins over the query, whatever form the path has', async () => {
    await write({ n: 2 });
    await write({ n: 'three\nlines\r\n\u2028' });
    for (const path of [
      `/workflow-states/${id}/stream`,
      `/workflow-states/%${id.charCodeAt(0).toString(16)}${id.slice(1)}/stream`,
    ]) {
      const { text } = await read(`${path}?since=0&snapshot=true`, /id: 3[^]*\n\n/, { 'last-event-id': '2' });
      expect(text.match(/^id: .*$/gm)).toEqual(['id: 2', 'id: 3']);
    }
    const { text } = await read('/stream', /three[^]*\n\n/, { 'last-event-id': '1-0' });
    expect(text.match(/^id: [0-9]+/gm)?.filter((one, i, all) => one !== all[i - 1])).toEqual([
      'id: 1',
      'id: 2',
      'id: 3',
    ]);
  });

  it.each([
    ['/workflow-states/none/stream', {}, 404, 'state_not_found'],
    ['/workflow-states/ID/stream', { 'last-event-id': '7-1' }, 422, 'invalid_request'],
    ['/workflow-states/ID/stream?since=9', {}, 404, 'version_not_found'],
    ['/stream', { 'last-event-id': '7' }, 422, 'invalid_request'],
    ['/stream?since=99-0', {}, 404, 'version_not_found'],
    ['/stream?state_id=none', {}, 404, 'state_not_found'],
    ['/stream?root_session=none', {}, 404, 'session_not_found'],
    ['/stream', { host: 'elsewhere.example' }, 421, 'host_refused'],
    ['/stream', { origin: 'https://elsewhere.example' }, 403, 'origin_refused'],
  ])('%s with %j is refused with %i', async (path, headers, status, error) => {
    const { request } = await import('node:http');
    const answer = await new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      const asked = request(served.url + path.replace('ID', id), { headers }, (incoming) => {
        let text = '';
        incoming.on('data', (chunk: Buffer) => (text += chunk.toString()));
        incoming.on('end', () => resolve({ status: incoming.statusCode, text }));
      });
      asked.on('error', reject).end();
    });
    expect([answer.status, JSON.parse(answer.text).error]).toEqual([status, error]);
  });

  it.each(['/stream', '/workflow-states/ID/stream'])('take no place for HEAD of %s', async (path) => {
    const url = served.url + path.replace('ID', id);
    for (let n = 0; n <= LIMITS.streamsMax; n += 1) {
      expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
    }
    expect((await read(path.replace('ID', id), 'bookmark')).response.status).toBe(200);
  });

  it('end with the last words when the service stops, so that it can', async () => {
    const response = await fetch(`${served.url}/workflow-states/${id}/stream`);
    const reading = response.text();
    await harness.restart();
    expect(await reading).toMatch(/event: dropped\ndata: \{"reason":"stopping"\}\n\n$/);
  });

  it('drop a reader that takes nothing, while writers go on', async () => {
    const socket = connect(served.port, '127.0.0.1');
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.pause();
    socket.write(`GET /workflow-states/${id}/stream HTTP/1.1\r\nhost: localhost\r\n\r\n`);
    for (let n = 0; n < 80; n += 1) await write({ text: String(n).repeat(150_000) });
    await new Promise((resolve) => setTimeout(resolve, 700));
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => undefined).resume();
    await closed;
    const last = Number(/.*\nid: (\d+)\n/s.exec(text)?.[1]);
    expect(last).toBeGreaterThan(1);
    expect(last).toBeLessThan(81);
    const rest: unknown[] = [];
    for await (const item of watch(createClient({ url: served.url }), id, { since: last })) {
      const { event, data } = must(item);
      if (event === 'workflow_state_updated') rest.push(data.version);
      if (rest.at(-1) === 81) break;
    }
    expect(rest).toEqual(Array.from({ length: 81 - last }, (_, k) => last + 1 + k));
  });

  it('are followed by the client over lost connections, without a gap and without anything twice', async () => {
    const client = createClient({ url: served.url });
    const versions: number[] = [];
    const { port } = served;
    for await (const item of watch(client, id, { since: 0 })) {
      const { event, data } = must(item);
      if (event !== 'workflow_state_updated') continue;
      versions.push(data.version);
      if (versions.length === 12) break;
      if (versions.length === 4) {
        const closed = served.close();
        await harness.restart();
        await closed;
        await open(port);
      }
      await write({ n: versions.length * 100 });
    }
    expect(versions).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
  });

  it('end at the client with the refusal that ended them', async () => {
    const client = createClient({ url: served.url });
    const all: unknown[] = [];
    for await (const item of watch(client, id, { snapshot: true })) {
      all.push(item.ok ? item.value.event : failure(item).error);
      if (all.length === 1) must(await harness.operator.states.remove(id));
    }
    expect(all).toEqual(['snapshot', 'state_not_found']);
    const refused: unknown[] = [];
    for await (const item of watch(client, 'none')) refused.push(failure(item).error);
    expect(refused).toEqual(['state_not_found']);
  });

  it('give a wait to a request as well', async () => {
    const client = createClient({ url: served.url });
    const waiting = client.states.get(id, undefined, { afterVersion: 1, waitMs: 400 });
    await write({ n: 2 });
    expect(must(await waiting)).toMatchObject({ version: 2 });
  });
});
