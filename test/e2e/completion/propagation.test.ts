// Root, child and grandchild with a callback through each level, by every interface through which an agent can ask for one.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ClaimedRun } from '../../../src/ports/api/index.js';
import { STORY_MS_MAX } from '../../support/eventually.js';
import { McpClient } from '../../support/mcp.js';
import { PlayedRunner } from '../../support/played-runner.js';
import { runProgram } from '../../support/program.js';
import { must, Stage } from '../../support/stage.js';

describe('a chain of sessions', { timeout: STORY_MS_MAX }, () => {
  let stage: Stage;
  let runner: PlayedRunner;
  beforeAll(async () => {
    stage = await Stage.open({ runner: null });
    runner = await PlayedRunner.register(stage.operator);
  });
  afterAll(async () => {
    const doctor = await stage.command('doctor');
    await stage.close();
    expect(doctor).toMatchObject({ code: 0, stdout: 'All is well.\n' });
  });

  const token = ({ environment }: ClaimedRun) => environment['COUNTERSIGN_TOKEN'] ?? '';
  const name = ({ session_name }: ClaimedRun) => ({ AGENT_SESSION_NAME: session_name });
  const ids = ({ environment }: ClaimedRun) =>
    Object.fromEntries(Object.entries(environment).filter(([key]) => key.startsWith('AGENT_SESSION_')));

  const http = async (headers: Record<string, string>, child: string) => {
    const body = { type: 'start_session', session_name: child, prompt: 'go', callback: true };
    const response = await fetch(`${stage.url}/runs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    return { done: response.status === 201, said: await response.text() };
  };
  const cli = async (env: Record<string, string>, child: string, ...more: string[]) => {
    const args = ['session', 'start', '--name', child, '--prompt', 'go', '--callback', ...more];
    const ended = await runProgram(args, { env: { COUNTERSIGN_URL: stage.url, ...env } });
    return { done: ended.code === 0, said: ended.stderr };
  };
  const mcp = async (connecting: Promise<McpClient>, child: string) => {
    const client = await connecting;
    const args = { session_name: child, prompt: 'go', callback: true };
    const answer = await client.call('start_agent_session', args);
    await client.close();
    return { done: !answer.failed, said: answer.text };
  };
  const client = async (options: { token: string } | { sessionName: string }, child: string) => {
    const body = { type: 'start_session', session_name: child, prompt: 'go', callback: true } as const;
    const result = await stage.client(options).runs.create(body);
    return { done: result.ok, said: result.ok ? '' : result.failure.detail };
  };
  const stdio = (env: Record<string, string>) => McpClient.stdio({ COUNTERSIGN_URL: stage.url, ...env });

  type StartChild = (run: ClaimedRun, child: string) => Promise<{ done: boolean; said: string }>;
  const interfaces: [string, StartChild][] = [
    ['http-token', (run, child) => http({ authorization: `Bearer ${token(run)}` }, child)],
    ['http-header', (run, child) => http({ 'x-agent-session-name': run.session_name }, child)],
    ['http-id', (run, child) => http({ 'x-agent-session-id': run.session_id }, child)],
    ['cli-run', (run, child) => cli(run.environment, child)],
    ['cli-names', (run, child) => cli(ids(run), child)],
    ['cli-flag', (run, child) => cli({}, child, '--parent', run.session_name)],
    [
      'mcp-token',
      (run, child) => mcp(McpClient.http(stage.url, { authorization: `Bearer ${token(run)}` }), child),
    ],
    [
      'mcp-header',
      (run, child) =>
        mcp(McpClient.http(stage.url, { 'x-agent-session-name': run.session_name }, 'legacy'), child),
    ],
    ['mcp-stdio-run', (run, child) => mcp(stdio(run.environment), child)],
    ['mcp-stdio-name', (run, child) => mcp(stdio(name(run)), child)],
    ['client-token', (run, child) => client({ token: token(run) }, child)],
    ['client-name', (run, child) => client({ sessionName: run.session_name }, child)],
  ];

  test.each(interfaces)('by %s calls back through each level', async (name, start) => {
    const [root, child, grandchild] = [`${name}-root`, `${name}-child`, `${name}-grandchild`];
    const body = { type: 'start_session', session_name: root, prompt: 'plan' } as const;
    const begun = must(await stage.operator.runs.create(body));
    const rootRun = await runner.take(root);
    expect(await start(rootRun, child)).toEqual({ done: true, said: expect.any(String) as string });
    const childRun = await runner.take(child);
    expect(await start(childRun, grandchild)).toEqual({ done: true, said: expect.any(String) as string });
    await runner.complete(rootRun, 'I sleep');
    await runner.complete(childRun, 'I sleep too');
    await runner.complete(await runner.take(grandchild), 'from the deep');

    const first = await runner.take(child);
    expect(first).toMatchObject({ purpose: 'callback', type: 'resume_session' });
    expect(first.prompt).toMatch(new RegExp(`<agent-callback child="${grandchild}"[^]*from the deep`));
    await runner.complete(first, 'passed on');
    const second = await runner.take(root);
    expect(second.prompt).toMatch(new RegExp(`<agent-callback child="${child}"`));
    await runner.complete(second, 'all is well');

    const tree = must(await stage.operator.sessions.tree(root));
    expect(tree).toMatchObject({
      session_id: begun.session_id,
      parent_session_name: null,
      children: [
        {
          session_name: child,
          parent_session_name: root,
          callback: true,
          children: [{ session_name: grandchild, parent_session_name: child, callback: true, depth: 2 }],
        },
      ],
    });
    const { items } = must(await stage.operator.callbacks.list({ root_session: root }));
    expect(items.map((one) => one.status)).toEqual(['delivered', 'delivered']);
  });

  const nobody: [string, () => Promise<{ done: boolean; said: string }>, RegExp][] = [
    ['http', () => http({}, 'lost-1'), /parent_session_id.*X-Agent-Session-Name/],
    [
      'http, by a variable that nobody filled in',
      () => http({ 'x-agent-session-name': '${AGENT_SESSION_NAME}' }, 'lost-2'),
      /was a variable not set/,
    ],
    ['the command line', () => cli({}, 'lost-3'), /hint: name the parent \(--parent\).*COUNTERSIGN_TOKEN/],
    [
      'the command line, by empty variables',
      () => cli({ AGENT_SESSION_ID: '', AGENT_SESSION_NAME: '', COUNTERSIGN_TOKEN: '' }, 'lost-4'),
      /hint: name the parent/,
    ],
    ['MCP over HTTP', () => mcp(McpClient.http(stage.url), 'lost-5'), /Next: .*X-Agent-Session-Name/],
    ['MCP on stdio', () => mcp(stdio({}), 'lost-6'), /Next: .*COUNTERSIGN_TOKEN or AGENT_SESSION_NAME/],
    ['the command line, for nobody', () => cli({}, 'lost-7', '--parent', 'nobody'), /session_not_found/],
    ['the client, as nobody', () => client({ sessionName: 'nobody' }, 'lost-8'), /no such session/],
  ];

  test.each(nobody)('does not begin by %s without somebody to call back', async (_, start, expected) => {
    const { done, said } = await start();
    expect(done).toBe(false);
    expect(said).toMatch(expected);
  });

  test('has no session that was asked for by nobody', async () => {
    const { items } = must(await stage.operator.sessions.list({ limit: 1000 }));
    expect(items.filter((one) => one.session_name.startsWith('lost-'))).toEqual([]);
  });
});
