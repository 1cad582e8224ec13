// Who may come in by MCP, what is told to whom, and how large an answer gets: the real program, the official client.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { McpClient, type Revision } from '../../support/mcp.js';
import { must, Stage } from '../../support/stage.js';

const REVISIONS: readonly Revision[] = ['legacy', 'modern'];

describe('the MCP endpoint', () => {
  let stage: Stage;
  let stateId: string;
  const as = (session: string, revision: Revision = 'modern') =>
    McpClient.http(stage.url, { 'x-agent-session-name': session }, revision);

  beforeAll(async () => {
    stage = await Stage.open({ runner: null });
    must(await stage.operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
    for (const name of ['root', 'stranger']) {
      must(await stage.operator.sessions.create({ session_name: name, external: true }));
    }
    const root = await as('root');
    stateId = String(
      (await root.must('state_create', { schema_name: 'any', initial_data: { n: 1 } }))['state_id'],
    );
    await root.close();
  });
  afterAll(() => stage.close());

  test.each(REVISIONS)('a callback to nobody is refused with how to be somebody (%s)', async (revision) => {
    const nobody = await McpClient.http(stage.url, {}, revision);
    const { failed, text } = await nobody.call('start_agent_session', { prompt: 'x', callback: true });
    expect(failed).toBe(true);
    expect(text).toMatch(/^invalid_request: at \/callback .*\nNext: .*AGENT_SESSION_NAME/);
    expect(must(await stage.operator.runs.list({})).items).toEqual([]);
    await nobody.close();
  });

  test.each(REVISIONS)('a client may come before its session, and has its tools (%s)', async (revision) => {
    const name = `late-${revision}`;
    const late = await as(name, revision);
    if (revision === 'legacy') await late.client.ping();
    expect((await late.client.listTools()).tools.map((tool) => tool.name)).toContain('state_read');
    const missing = new RegExp(`session_not_found.*${name}`);
    await expect(late.call('start_agent_session', { prompt: 'x' })).rejects.toThrow(missing);
    await expect(late.call('state_read', { state_id: stateId })).rejects.toThrow(missing);
    await expect(late.client.readResource({ uri: `countersign://states/${stateId}` })).rejects.toThrow(
      missing,
    );
    // A list that fails would cost it its tools in some clients.
    expect((await late.client.listResources()).resources).toEqual([]);
    expect(must(await stage.operator.runs.list({})).items).toEqual([]);

    must(
      await stage.operator.sessions.create({
        session_name: name,
        parent_session_name: 'root',
        external: true,
      }),
    );
    expect(await late.must('state_get', { key: 'n' })).toMatchObject({ value: 1 });
    await late.close();
  });

  test.each<[string, unknown, number]>([
    ['prompts/list', { jsonrpc: '2.0', id: 1, method: 'prompts/list' }, 200],
    [
      'logging/setLevel',
      { jsonrpc: '2.0', id: 1, method: 'logging/setLevel', params: { level: 'info' } },
      200,
    ],
    ['a cancellation', { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }, 202],
  ])('a client that comes before its session sends %s', async (_, message, status) => {
    const answer = await fetch(`${stage.url}/mcp`, {
      method: 'POST',
      headers: {
        'x-agent-session-name': 'not-yet',
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-06-18',
      },
      body: JSON.stringify(message),
    });
    expect(answer.status).toBe(status);
    await answer.text();
  });

  test.each([
    ['state_get', { key: 'n' }, undefined, 'application/json'],
    ['state_get', { key: 'n' }, { progressToken: 1 }, 'text/event-stream'],
    ['wait_for_state', { until: {} }, undefined, 'text/event-stream'],
    ['no_such_tool', {}, undefined, 'text/event-stream'],
  ])('a call of %s with %j and %j is answered as %s', async (name, args, meta, contentType) => {
    const answer = await fetch(`${stage.url}/mcp`, {
      method: 'POST',
      headers: {
        'x-agent-session-name': 'root',
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-06-18',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 'a',
        method: 'tools/call',
        params: { name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) },
      }),
    });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, contentType]);
    expect(await answer.text()).toContain('"id":"a"');
  });

  test('many messages in one, or none, do not come before their session', async () => {
    for (const body of [
      [{ jsonrpc: '2.0', id: 1, method: 'ping' }],
      'initialize',
      null,
      { method: 'tools/call' },
    ]) {
      const answer = await fetch(`${stage.url}/mcp`, {
        method: 'POST',
        headers: {
          'x-agent-session-name': 'nobody',
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify(body),
      });
      expect([answer.status, await answer.json()]).toMatchObject([404, { error: 'session_not_found' }]);
    }
  });

  test('the id of a state of another tree opens nothing', async () => {
    const stranger = await as('stranger');
    for (const tool of ['state_read', 'state_schema']) {
      const { failed, text } = await stranger.call(tool, { state_id: stateId });
      expect([failed, text.split(':')[0]]).toEqual([true, 'state_not_found']);
    }
    await expect(
      stranger.client.listen({ resourceSubscriptions: [`countersign://states/${stateId}`] }),
    ).rejects.toThrow(/no state to subscribe/);
    await stranger.close();
  });

  test('a protocol session that the server never heard of is taken', async () => {
    const root = await McpClient.http(
      stage.url,
      { 'x-agent-session-name': 'root', 'mcp-session-id': 'of-a-server-long-gone' },
      'legacy',
    );
    expect(await root.must('state_get', { key: 'n' })).toMatchObject({ value: 1, complete: true });
    await root.close();
  });

  test('an Idempotency-Key is not read: the same key may come with every call', async () => {
    const headers = { 'x-agent-session-name': 'root', 'idempotency-key': 'always-the-same' };
    const root = await McpClient.http(stage.url, headers);
    const before = await root.must('state_get', { key: 'n' });
    await root.must('state_increment', { key: 'n' });
    await root.must('state_increment', { key: 'n' });
    expect(await root.must('state_get', { key: 'n' })).toMatchObject({ value: Number(before['value']) + 2 });
    await root.close();
  });

  test('a large value comes as an outline with what to read next', async () => {
    const root = await as('root');
    await root.must('state_set', { key: 'log', value: Array.from({ length: 500 }, () => 'x'.repeat(50)) });
    const seen = await root.call('state_read');
    expect(seen.value).toMatchObject({ complete: false, read_next: ['/n', '/log'] });
    expect(seen.text.length).toBeLessThan(1000);
    expect(await root.must('state_read', { pointer: '/log/3' })).toMatchObject({ value: 'x'.repeat(50) });
    await root.close();
  });

  test('who subscribes to a state hears of its change', async () => {
    const root = await as('root');
    const uri = `countersign://states/${stateId}`;
    const heard = new Promise<string>((resolve) => {
      root.client.setNotificationHandler('notifications/resources/updated', ({ params }) =>
        resolve(params.uri),
      );
    });
    const subscription = await root.client.listen({ resourceSubscriptions: [uri] });
    let written = 0;
    const writing = setInterval(() => void root.call('state_set', { key: 'n', value: (written += 1) }), 200);
    expect(await heard).toBe(uri);
    clearInterval(writing);
    await subscription.close();
    await root.close();
  });
});
