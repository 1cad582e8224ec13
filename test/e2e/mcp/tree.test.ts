// The story of a tree over MCP, with the official client on the real program: a root and three children, over HTTP and
// over stdio, each in another revision.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ClaimedRun } from '../../../src/ports/api/index.js';
import { McpClient, type Revision } from '../../support/mcp.js';
import { PlayedRunner } from '../../support/played-runner.js';
import { must, Stage } from '../../support/stage.js';

const review = {
  type: 'object',
  required: ['score'],
  additionalProperties: false,
  properties: { score: { type: 'integer', minimum: 1, maximum: 5 }, note: { type: 'string' } },
};
const schema = {
  type: 'object',
  additionalProperties: false,
  properties: { goal: { type: 'string' }, a: review, b: review, c: review },
};

describe.each(['HTTP', 'stdio'])('a tree of agents over MCP by %s', (transport) => {
  let stage: Stage;
  let runner: PlayedRunner;
  const open = new Set<McpClient>();

  beforeAll(async () => {
    stage = await Stage.open({
      runner: null,
      serve: ['--update-attempts', '2', '--update-retry-delay-ms', '0'],
    });
    runner = await PlayedRunner.register(stage.operator);
  });
  afterAll(async () => {
    await Promise.all([...open].map((client) => client.close()));
    const doctor = await stage.command('doctor');
    await stage.close();
    expect(doctor).toMatchObject({ code: 0, stdout: 'All is well.\n' });
  });

  const kept = async (client: Promise<McpClient>) => {
    open.add(await client);
    return client;
  };
  /** The agent of a run has said its last word. */
  const end = async (run: ClaimedRun, client: McpClient, said: string) => {
    open.delete(client);
    await client.close();
    await runner.complete(run, said);
  };
  const bearer = ({ environment }: ClaimedRun) => ({
    authorization: `Bearer ${environment['COUNTERSIGN_TOKEN'] ?? ''}`,
  });
  /** As the agent of a run, with what the run's environment has. */
  const connect = (run: ClaimedRun, revision: Revision) =>
    kept(
      transport === 'HTTP'
        ? McpClient.http(stage.url, bearer(run), revision)
        : McpClient.stdio({ ...run.environment, COUNTERSIGN_URL: stage.url }, revision),
    );

  test('the parent gets what it should of each child', { timeout: 120_000 }, async () => {
    must(await stage.operator.runs.create({ type: 'start_session', session_name: 'root', prompt: 'plan' }));
    const rootRun = await runner.take('root');
    const root = await connect(rootRun, 'modern');
    const created = await root.must('state_create', {
      schema_name: 'reviews',
      json_schema: schema,
      initial_data: { goal: 'three reviews' },
    });
    expect(created).toMatchObject({ version: 1, root_session_name: 'root' });
    for (const name of ['a', 'b', 'c']) {
      await root.must('start_agent_session', {
        session_name: `child-${name}`,
        prompt: `review ${name}`,
        callback: true,
        contract: { pointer: `/${name}`, schema: review },
        write_scope: [`/${name}`],
      });
    }
    await end(rootRun, root, 'I sleep now.');

    // b reads, and thinks for long; a finds out from the refusal alone how to write.
    const workB = await runner.take('child-b');
    const b = await connect(workB, 'legacy');
    const readByB = (await b.must('state_read'))['value'] as Record<string, unknown>;
    const workA = await runner.take('child-a');
    const a = await connect(workA, 'modern');
    const nonsense = await a.call('state_patch', { operations: [{ op: 'add', path: '/a', value: 'good!' }] });
    expect(nonsense).toMatchObject({ failed: true, value: {} });
    expect(nonsense.text.split('\n')).toHaveLength(2);
    expect(nonsense.text).toMatch(/^validation_failed: at \/a .*object/);
    await a.must('state_read');
    await a.must('state_patch', { operations: [{ op: 'add', path: '/a', value: { score: 4 } }] });
    await end(workA, a, 'a is fine');

    const updateA = await runner.take('child-a');
    expect(updateA).toMatchObject({ purpose: 'state_update' });
    const second = await connect(updateA, 'legacy');
    const wrong = await second.call('state_set', { key: 'a', value: { score: 9, stars: 2 } });
    expect(wrong.failed).toBe(true);
    const missing = await second.call('state_set', { key: 'a', value: {} });
    const [, place, valid] = /Valid there: (\S+) = (\S+)\.$/.exec(missing.text) ?? [];
    expect(place).toBe('/a/score');
    await second.must('state_set', {
      key: 'a',
      value: { score: JSON.parse(valid ?? ''), note: 'from the error' },
    });
    await end(updateA, second, 'recorded');

    // b replaces the whole document as it read it: a's part was not in it, and stays.
    const replaced = await b.must('state_update', { data: { ...readByB, b: { score: 2 } } });
    expect(replaced).toMatchObject({ changed: true, merged: true });
    await end(workB, b, 'b is so-so');
    const updateB = await runner.take('child-b');
    const late = await connect(updateB, 'legacy');
    // Its patches are made on what it read itself: that was before its siblings wrote.
    await late.must('state_read', {});
    const wide = await late.call('state_patch', { operations: [{ op: 'remove', path: '/a' }] });
    expect(wide.text).toMatch(/^write_scope_violation: .*\nNext: .* Valid: state_patch .*"path":"\/b"/);
    await late.must('state_patch', { operations: [{ op: 'add', path: '/b/note', value: 'so-so' }] });
    await end(updateB, late, 'recorded');

    // c never writes.
    const workC = await runner.take('child-c');
    await runner.complete(workC, 'c is lovely, believe me');
    for (const attempt of ['1', '2']) {
      const update = await runner.take('child-c');
      expect(update.prompt).toContain(`attempt="${attempt}" of="2"`);
      await runner.complete(update, 'I did tell you');
    }

    const received: string[] = [];
    while (['child-a', 'child-b', 'child-c'].some((name) => !received.join('\n').includes(name))) {
      const run = await runner.take('root');
      received.push(run.prompt);
      const again = await connect(run, 'modern');
      for (const name of ['a', 'b'].filter((one) => run.prompt.includes(`child-${one}`))) {
        const { value } = await again.must('state_read', { pointer: `/${name}` });
        expect(value).toMatchObject({ score: expect.any(Number) as number });
      }
      if (run.prompt.includes('child-c')) {
        const status = await again.must('get_agent_session_status', { session: 'child-c' });
        expect(status).toMatchObject({ status: 'finished', state_update_status: 'failed', attempt: 2 });
        const result = await again.must('get_agent_session_result', { session: 'child-c' });
        expect(result).toMatchObject({ result_text: 'c is lovely, believe me', complete: true });
      }
      await end(run, again, 'seen');
    }
    const { value } = await (
      await kept(McpClient.http(stage.url, { 'x-agent-session-name': 'root' }))
    ).must('state_read');
    expect(value).toEqual({
      goal: 'three reviews',
      a: { score: expect.any(Number) as number, note: 'from the error' },
      b: { score: 2, note: 'so-so' },
    });
  });
});
