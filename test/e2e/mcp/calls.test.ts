// A tool call that comes again with the id that its client gave it has its effect once, whatever way it comes: the real
// program, the official client.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { McpClient } from '../../support/mcp.js';
import { PlayedRunner } from '../../support/played-runner.js';
import { must, Stage } from '../../support/stage.js';

const WAYS = ['legacy over HTTP', 'modern over HTTP', 'legacy over stdio', 'modern over stdio'] as const;

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open({ runner: null });
});
afterAll(() => stage.close());

describe.each(WAYS)('a tool call that comes again (%s)', (way) => {
  const tree = way.replaceAll(' ', '-');
  const open: McpClient[] = [];
  let count = 0;
  /** As clients number them: once and for all. */
  const newId = () => ({ 'claudecode/toolUseId': `${tree}-toolu_${String((count += 1)).padStart(24, '0')}` });

  async function connect(session: string): Promise<McpClient> {
    const revision = way.startsWith('legacy') ? 'legacy' : 'modern';
    const client = await (way.endsWith('HTTP')
      ? McpClient.http(stage.url, { 'x-agent-session-name': session }, revision)
      : McpClient.stdio({ COUNTERSIGN_URL: stage.url, AGENT_SESSION_NAME: session }, revision));
    open.push(client);
    return client;
  }

  let root: McpClient;
  beforeAll(async () => {
    must(await stage.operator.sessions.create({ session_name: tree, external: true }));
    const helper = { session_name: `${tree}-helper`, parent_session_name: tree, external: true };
    must(await stage.operator.sessions.create(helper));
    root = await connect(tree);
  });
  afterAll(() => Promise.all(open.map((client) => client.close())));

  test('is answered as the first time, and changes nothing more', async () => {
    const creation = [
      'state_create',
      { schema_name: 'any', json_schema: { type: 'object' }, initial_data: { n: 0, list: [] } },
      newId(),
    ] as const;
    const created = await root.call(...creation);
    expect(created).toMatchObject({ failed: false, value: { version: 1 } });
    expect(await root.call(...creation)).toEqual(created);

    for (const [tool, args] of [
      ['state_patch', { operations: [{ op: 'add', path: '/list/-', value: 'patched' }] }],
      ['state_increment', { key: 'n', delta: 2 }],
      ['state_append', { key: 'list', items: ['appended'] }],
      ['state_set', { key: 'by', value: 'root' }],
      ['state_set', { key: 'gone', value: 1 }],
      ['state_delete', { key: 'gone' }],
      ['start_agent_session', { prompt: 'Look at it.' }],
    ] as const) {
      const id = newId();
      const first = await root.call(tool, args, id);
      expect(first, first.text).toMatchObject({ failed: false });
      expect(await root.call(tool, args, id)).toEqual(first);
    }
    const { value } = await root.must('state_read');
    expect(value).toEqual({ n: 2, list: ['patched', 'appended'], by: 'root' });
    const runs = must(await stage.operator.runs.list({})).items;
    const children = must(await stage.operator.sessions.list({ root_session: tree })).items;
    expect(runs.filter((run) => children.some((child) => child.session_id === run.session_id))).toHaveLength(
      1,
    );
  });

  test('while the first one is under way is answered as that one', async () => {
    const id = newId();
    const args = { key: 'at_once', value: way };
    const before = Number((await root.must('state_read'))['version']);
    const answers = await Promise.all([1, 2, 3, 4].map(() => root.call('state_set', args, id)));
    expect(answers[0]).toMatchObject({ failed: false });
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(Number((await root.must('state_read'))['version'])).toBe(before + 1);
  });

  test('waits, too, for the child that the first one has started and waits for', async () => {
    const id = newId();
    const session_name = `${tree}-waited`;
    const args = { prompt: 'Look at it.', session_name, wait_seconds: 40 };
    const first = root.call('start_agent_session', args, id);
    const runner = await PlayedRunner.register(stage.operator);
    const run = await runner.take(session_name);
    const again = root.call('start_agent_session', args, id);
    await runner.complete(run, 'It is fine.');
    must(await stage.operator.sessions.skip(session_name, { reason: 'It has nothing to record.' }));
    const answers = await Promise.all([first, again]);
    for (const { value } of answers) expect(value).toMatchObject({ run_id: run.run_id, session_name });
    expect(answers.map(({ value }) => value['ended'])).toEqual([true, true]);
    const { items } = must(await stage.operator.runs.list({ session: session_name }));
    expect(items.filter(({ purpose }) => purpose === 'work')).toHaveLength(1);
  });

  test('is named by the event of what it wrote, where it came over HTTP', async () => {
    const id = newId();
    const patch = { operations: [{ op: 'add', path: '/named', value: true }] };
    const { value: written } = await root.call('state_patch', patch, id);
    const unnamed = await root.must('state_set', { key: 'named', value: false });
    const { events } = must(await stage.operator.states.events(String(written['state_id']), {}));
    const callOf = (version: unknown) => events.find((one) => one.version === version)?.tool_call_id;
    const found = id['claudecode/toolUseId'];
    expect([callOf(written['version']), callOf(unnamed['global_version'])]).toEqual([found, undefined]);
  });

  test('is the same call over another connection, and another one of another session', async () => {
    const id = newId();
    const args = { operations: [{ op: 'add', path: '/list/-', value: 'again' }] };
    const first = await root.call('state_patch', args, id);
    expect(first.failed, first.text).toBe(false);
    const again = await connect(tree);
    expect((await again.call('state_patch', args, id)).value).toEqual(first.value);
    const helper = await connect(`${tree}-helper`);
    expect((await helper.call('state_patch', args, id)).value['version']).not.toBe(first.value['version']);
    const { value } = await helper.must('state_get', { key: 'list' });
    expect((value as string[]).filter((one) => one === 'again')).toHaveLength(2);
  });

  test('with other arguments under the same id is another call', async () => {
    const id = newId();
    const before = Number((await root.must('state_get', { key: 'n' }))['value']);
    await root.call('state_increment', { key: 'n', delta: 1 }, id);
    await root.call('state_increment', { key: 'n', delta: 10 }, id);
    expect(await root.must('state_get', { key: 'n' })).toMatchObject({ value: before + 11 });
  });

  test('after a refusal is looked at anew', async () => {
    const id = newId();
    const args = { operations: [{ op: 'replace', path: '/late', value: 1 }] };
    expect(await root.call('state_patch', args, id)).toMatchObject({ failed: true });
    await root.must('state_set', { key: 'late', value: 0 });
    await root.must('state_read');
    expect(await root.call('state_patch', args, id)).toMatchObject({ failed: false });
    expect(await root.must('state_get', { key: 'late' })).toMatchObject({ value: 1 });
  });
});
