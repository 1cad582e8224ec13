// Who is let in by MCP where every caller has to show a token: the real program with --auth.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ClaimedRun } from '../../../src/ports/api/index.js';
import { McpClient } from '../../support/mcp.js';
import { PlayedRunner } from '../../support/played-runner.js';
import { must, Stage } from '../../support/stage.js';

describe('MCP with --auth', { timeout: 60_000 }, () => {
  let stage: Stage;
  const tokens: Record<string, string> = {};
  const runs: Record<string, ClaimedRun> = {};
  let stateId: string;
  const open: McpClient[] = [];

  const kept = async (client: Promise<McpClient>) => {
    open.push(await client);
    return client;
  };
  const overHttp = (token: string | undefined, headers: Record<string, string> = {}) =>
    kept(McpClient.http(stage.url, { authorization: `Bearer ${token ?? ''}`, ...headers }));
  const overStdio = (env: Record<string, string>) =>
    kept(McpClient.stdio({ COUNTERSIGN_URL: stage.url, ...env }));
  const tokenOf = (name: string) => runs[name]?.environment['COUNTERSIGN_TOKEN'] ?? '';

  beforeAll(async () => {
    stage = await Stage.open({ serve: ['--auth'], runner: null });
    const make = async (role: string) => {
      const made = await stage.command('token', 'create', '--name', role, '--role', role, '--json');
      tokens[role] = (JSON.parse(made.stdout) as { token: string }).token;
    };
    await Promise.all(['admin', 'runner', 'reader'].map(make));
    const admin = stage.client({ token: tokens['admin'] });
    const runner = await PlayedRunner.register(stage.client({ token: tokens['runner'] }));
    for (const name of ['root', 'stranger']) {
      must(await admin.runs.create({ type: 'start_session', session_name: name, prompt: 'plan' }));
      runs[name] = await runner.take(name);
    }
    const root = await overHttp(tokenOf('root'));
    const created = await root.must('state_create', {
      schema_name: 'any',
      json_schema: { type: 'object' },
      initial_data: { n: 1 },
    });
    stateId = String(created['state_id']);
    expect(created['root_session_name']).toBe('root');
  });
  afterAll(async () => {
    await Promise.all(open.map((client) => client.close()));
    await stage.close();
  });

  test.each([
    ['no token', {}],
    ['a name alone', { 'x-agent-session-name': 'root' }],
    ['the id of a state alone', { 'x-workflow-state-id': 'STATE' }],
    ['a token that is none', { authorization: 'Bearer cs_admin_0000' }],
  ])('lets nobody in with %s, and says so plainly', async (_, headers) => {
    const answer = await fetch(`${stage.url}/mcp`, {
      method: 'POST',
      headers: {
        ...Object.fromEntries(
          Object.entries(headers).map(([name, value]) => [name, value.replace('STATE', stateId)]),
        ),
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
    });
    expect(answer.status).toBe(401);
    expect(await answer.json()).toMatchObject({
      error: 'unauthorized',
      detail: expect.stringMatching(/bearer token/) as string,
    });
    await expect(McpClient.http(stage.url, headers)).rejects.toThrow(/401|token/);
  });

  test('over stdio without a token each call says what is missing', async () => {
    const nobody = await overStdio({ AGENT_SESSION_NAME: 'root', WORKFLOW_STATE_ID: stateId });
    const { failed, text } = await nobody.call('state_read');
    expect(failed).toBe(true);
    expect(text).toMatch(/^unauthorized: .*\nNext: set COUNTERSIGN_TOKEN/);
  });

  test('the token of a run is who is asking: its own state is meant, and written as it', async () => {
    for (const root of [await overHttp(tokenOf('root')), await overStdio(runs['root']?.environment ?? {})]) {
      const { version } = await root.must('state_increment', { key: 'n' });
      const { events } = must(
        await stage.client({ token: tokens['admin'] }).states.events(stateId, { since: Number(version) - 1 }),
      );
      expect(events).toMatchObject([{ session_id: runs['root']?.session_id, run_id: runs['root']?.run_id }]);
    }
  });

  test('the id of a state opens nothing to who is not of its tree, and nothing is written', async () => {
    const version = async () =>
      must(await stage.client({ token: tokens['admin'] }).states.get(stateId)).version;
    const before = await version();
    const env = { COUNTERSIGN_TOKEN: tokenOf('stranger'), WORKFLOW_STATE_ID: stateId };
    for (const stranger of [
      await overHttp(tokenOf('stranger'), { 'x-workflow-state-id': stateId }),
      await overStdio(env),
    ]) {
      for (const [tool, args] of [
        ['state_read', {}],
        ['state_get', { key: 'n' }],
        ['state_schema', {}],
        ['state_update', { data: {} }],
        ['state_patch', { operations: [{ op: 'remove', path: '/n' }] }],
        ['state_set', { key: 'n', value: 0 }],
        ['state_increment', { key: 'n' }],
        ['wait_for_state', { until: {}, timeout_seconds: 0 }],
      ] as const) {
        const { failed, text } = await stranger.call(tool, { ...args, state_id: stateId });
        expect([tool, failed, text.split(':')[0]]).toEqual([tool, true, 'state_not_found']);
      }
      await expect(
        stranger.client.readResource({ uri: `countersign://states/${stateId}` }),
      ).rejects.toThrow();
      expect((await stranger.client.listResources()).resources).toEqual([]);
    }
    expect(await version()).toBe(before);
  });

  test('a token alone says over stdio which session calls, and so which state is meant', async () => {
    const root = await overStdio({ COUNTERSIGN_TOKEN: tokenOf('root') });
    expect(await root.must('state_read')).toMatchObject({ state_id: stateId });
    expect(await root.must('state_get', { key: 'n' })).toMatchObject({ key: 'n' });
    const operator = await overStdio({ COUNTERSIGN_TOKEN: tokens['admin'] ?? '' });
    expect((await operator.call('state_read')).text).toMatch(/^invalid_request: at \/state_id is needed/);
    const nobody = await overStdio({ COUNTERSIGN_TOKEN: 'none' });
    expect((await nobody.call('state_read')).text).toMatch(/^unauthorized: /);
  });

  test('a token with the role of a reader reads and writes nothing', async () => {
    const reader = await overHttp(tokens['reader']);
    expect(await reader.must('state_read', { state_id: stateId })).toMatchObject({ complete: true });
    const { text } = await reader.call('state_set', { state_id: stateId, key: 'n', value: 0 });
    expect(text).toMatch(/^forbidden: /);
  });
});
