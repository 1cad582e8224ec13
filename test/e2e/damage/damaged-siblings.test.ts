// A stored record of a tree is damaged that nothing is due for: of a child whose callback waits, of the parent, or of the
// tree. The other children end, and their parent is told of them.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { must, openHarness, PlayedRunner, type Harness } from '../../service/harness.js';

const of = (name: string) => `session_id = (select session_id from sessions where session_name = '${name}')`;

/** With whether the parent is told of the first child too. */
const DAMAGED: readonly [sql: string, first: boolean][] = [
  ["delete from sessions where session_name = 'first'", false],
  ["update sessions set settings = '' where session_name = 'first'", true],
  [`delete from completions where ${of('first')}`, true],
  [`update completions set attempts = 'null' where ${of('first')}`, true],
  [`update completions set status = 'maybe' where ${of('first')}`, true],
  ["update callbacks set created_at = 'today' where child_session_name = 'first'", false],
  ["update callbacks set status = 'lost' where child_session_name = 'first'", false],
  ["update sessions set settings = '' where session_name = 'root'", true],
  [`delete from completions where ${of('root')}`, true],
  [`update completions set attempts = 'null' where ${of('root')}`, true],
  [`update completions set status = 'maybe' where ${of('root')}`, true],
  ["update trees set revision = 'x'", true],
];

describe.each(DAMAGED)('beside what was edited (%s)', (sql, first) => {
  let harness: Harness;
  beforeEach(async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    harness = await openHarness();
  });
  afterEach(async () => {
    await harness.close();
    vi.restoreAllMocks();
  });

  const stop = async (name: string) =>
    must(await (await harness.as(name)).sessions.report(name, { type: 'session_stop', result_text: name }));
  async function growChildren(): Promise<void> {
    const { sessions } = await harness.as('root');
    for (const session_name of ['first', 'second', 'third'])
      must(await sessions.create({ session_name, external: true, callback: true }));
    await stop('first');
    harness.tamper(sql);
    await harness.restart();
  }
  const found = first ? ['first', 'second', 'third'] : ['second', 'third'];

  it('the other children end, and their parent pulls their callbacks', async () => {
    must(await harness.operator.sessions.create({ session_name: 'root', external: true }));
    await growChildren();
    const results: (string | null)[] = [];
    for (const name of ['second', 'third']) {
      await stop(name);
      const { sessions, callbacks } = await harness.as('root');
      const { items } = must(await sessions.pullCallbacks('root', 0));
      results.push(...items.map((one) => one.message));
      for (const { callback_id } of items) must(await callbacks.acknowledge(callback_id));
    }
    expect(results.map((text) => found.find((name) => text?.includes(name)))).toEqual(found);
  });

  it('the parent begins further work, and writes', async () => {
    const { sessions, schemas } = harness.operator;
    must(await sessions.create({ session_name: 'root', external: true }));
    must(await schemas.register({ name: 'any', json_schema: { type: 'object' } }));
    const { state_id } = must(
      await (await harness.as('root')).states.create({ schema_name: 'any', initial_data: {} }),
    );
    await growChildren();
    const root = await harness.as('root');
    const write = root.states.patch(state_id, [{ op: 'add', path: '/n', value: 1 }], {});
    expect(must(await write).version).toBe(2);
    must(await root.sessions.create({ session_name: 'fourth', external: true, callback: true }));
  });

  it('the parent ends its run, and is resumed with their callbacks', async () => {
    const runner = await PlayedRunner.register(harness);
    must(await harness.operator.runs.create({ type: 'start_session', session_name: 'root', prompt: 'go' }));
    const own = await runner.take('root');
    await growChildren();
    for (const name of ['second', 'third']) await stop(name);
    await runner.complete(own);
    const { prompt } = await runner.take('root');
    expect(found.filter((name) => prompt.includes(name))).toEqual(found);
  });
});
