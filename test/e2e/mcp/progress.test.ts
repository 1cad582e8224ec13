// Progress of calls that wait, with the official client on the real program: over HTTP and stdio, in either revision.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { McpClient, type Revision } from '../../support/mcp.js';
import { PlayedRunner } from '../../support/played-runner.js';
import { must, Stage } from '../../support/stage.js';

let stage: Stage;
let runner: PlayedRunner;

beforeAll(async () => {
  stage = await Stage.open({ runner: null });
  runner = await PlayedRunner.register(stage.operator);
  must(await stage.operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
  must(await stage.operator.sessions.create({ session_name: 'root', external: true }));
  must(
    await stage.operator.states.create({ schema_name: 'any', initial_data: {}, root_session_name: 'root' }),
  );
});
afterAll(() => stage.close());

interface Progress {
  readonly progress: number;
  readonly message?: string | undefined;
}

describe.each<[string, Revision]>([
  ['HTTP', 'modern'],
  ['HTTP', 'legacy'],
  ['stdio', 'modern'],
  ['stdio', 'legacy'],
])('over %s, %s', (transport, revision) => {
  let mcp: McpClient;
  beforeAll(async () => {
    mcp =
      transport === 'HTTP'
        ? await McpClient.http(stage.url, { 'x-agent-session-name': 'root' }, revision)
        : await McpClient.stdio({ AGENT_SESSION_NAME: 'root', COUNTERSIGN_URL: stage.url }, revision);
  });
  afterAll(() => mcp.close());

  const call = async (name: string, args: Record<string, unknown>) => {
    const progress: Progress[] = [];
    const { structuredContent } = await mcp.client.callTool(
      { name, arguments: args },
      { onprogress: (step) => progress.push(step) },
    );
    return { progress, value: structuredContent };
  };

  it('tells that it waits for the state, and answers as without', async () => {
    const { progress, value } = await call('wait_for_state', {
      until: { required: ['x'] },
      timeout_seconds: 0.3,
    });
    expect(value).toMatchObject({ matched: false });
    expect(progress).toMatchObject([
      { progress: 0, message: expect.stringContaining('Waiting for') as string },
    ]);
  });

  it('tells how the child stands that it waits for, and when it has ended', async () => {
    const name = `child-${transport}-${revision}`;
    const starting = call('start_agent_session', { prompt: 'x', session_name: name, wait_seconds: 20 });
    const run = await runner.take(name);
    must(await stage.operator.sessions.skip(name, {}));
    await runner.complete(run, 'done');
    const { progress, value } = await starting;
    expect(value).toMatchObject({ session_name: name, status: 'finished', ended: true });
    expect(progress[0]).toMatchObject({ message: expect.stringContaining(`Waiting for ${name}`) as string });
  });

  it('says nothing of the kind to a call that did not ask', async () => {
    const answer = await mcp.call('wait_for_state', { until: { required: ['x'] }, timeout_seconds: 0.1 });
    expect(answer).toMatchObject({ failed: false, value: { matched: false } });
  });
});
