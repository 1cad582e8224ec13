// Rows whose places and numbers were edited by hand: nothing follows them for ever, and the others are served.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { failure, must, openHarness, type Harness } from '../../service/harness.js';

let harness: Harness;

beforeEach(async () => {
  harness = await openHarness();
});
afterEach(async () => {
  await harness.close();
});

describe('sessions whose parents form a circle', () => {
  beforeEach(async () => {
    const { sessions } = harness.operator;
    must(await sessions.create({ session_name: 'root', external: true }));
    must(await sessions.create({ session_name: 'upper', parent_session_name: 'root', external: true }));
    must(await sessions.create({ session_name: 'lower', parent_session_name: 'upper', external: true }));
  });

  it.each([
    ['upper', ['lower']],
    ['lower', ['upper']],
  ])('are shown once each in the tree of %s', async (top, below) => {
    harness.tamper(
      `update sessions set parent_session_id = (select session_id from sessions where session_name = 'lower')
        where session_name = 'upper'`,
    );
    await harness.restart();
    const { session_name, children } = must(await harness.operator.sessions.tree(top));
    expect([session_name, children.map((one) => one.session_name)]).toEqual([top, below]);
    expect(children.flatMap((one) => one.children)).toEqual([]);
  });

  it('are shown once where a session is its own parent', async () => {
    harness.tamper("update sessions set parent_session_id = session_id where session_name = 'lower'");
    await harness.restart();
    expect(must(await harness.operator.sessions.tree('lower'))).toMatchObject({
      session_name: 'lower',
      children: [],
    });
  });

  it('are named by doctor', async () => {
    harness.tamper("update sessions set parent_session_id = session_id where session_name = 'lower'");
    await harness.restart();
    const { findings } = must(await harness.operator.operations.doctor());
    expect(findings.map(({ check }) => check)).toContain('copy_agrees');
  });
});

describe('a callback that was handed on before its child was released', () => {
  it.each(['queued', 'delivered', 'acknowledged'])('tells the parent all the same: %s', async (status) => {
    const { operator } = harness;
    must(await operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
    must(await operator.sessions.create({ session_name: 'root', external: true }));
    const root = await harness.as('root');
    const { state_id } = must(await root.states.create({ schema_name: 'any', initial_data: {} }));
    must(await root.sessions.create({ session_name: 'kid', external: true, callback: true }));
    harness.tamper(`update callbacks set status = '${status}', queued_at = created_at`);
    expect(must(await operator.operations.doctor()).findings.map(({ check }) => check)).toContain(
      'callback_has_text',
    );
    await harness.restart();
    await vi.waitFor(async () =>
      expect(must(await harness.operator.operations.doctor()).findings).toEqual([]),
    );
    const kid = await harness.as('kid');
    must(await kid.sessions.report('kid', { type: 'session_stop', result_text: 'done' }));
    must(await kid.states.patch(state_id, [{ op: 'add', path: '/n', value: 1 }], {}));
    must(await kid.sessions.report('kid', { type: 'session_stop', result_text: 'done' }));
    const { items } = must(await (await harness.as('root')).sessions.pullCallbacks('root', 0));
    expect(items).toMatchObject([
      { outcome: 'completed', message: expect.stringContaining('done') as string },
    ]);
  });
});

describe('a callback that became a dead letter before its child was released', () => {
  const redelivered = async (sql: string) => {
    const { operator } = harness;
    must(await operator.sessions.create({ session_name: 'root', external: true }));
    const root = await harness.as('root');
    must(await root.sessions.create({ session_name: 'kid', external: true, callback: true }));
    harness.tamper(sql);
    await harness.restart();
    const { items } = must(await harness.operator.callbacks.list({ child_session: 'kid' }));
    return harness.operator.callbacks.redeliver(items[0]!.callback_id, {});
  };

  it('waits for the release again when it is sent again', async () => {
    expect(must(await redelivered("update callbacks set status = 'dead', reason = 'r'")).status).toBe('held');
    must(
      await (await harness.as('kid')).sessions.report('kid', { type: 'session_stop', result_text: 'done' }),
    );
    const { items } = must(await (await harness.as('root')).sessions.pullCallbacks('root', 0));
    expect(items).toMatchObject([
      { outcome: 'completed', message: expect.stringContaining('done') as string },
    ]);
  });

  it('is not sent empty when its child was released meanwhile', async () => {
    const refused = await redelivered(
      "update callbacks set status = 'dead', reason = 'r'; update completions set released_at = 1, status = 'skipped', work_outcome = 'completed'",
    );
    expect(failure(refused)).toMatchObject({ error: 'callback_not_deliverable' });
  });
});

describe('a row with a number that the service never gives', () => {
  it.each(['9007199254740993', '9223372036854775807', '-7'])(
    'is named by doctor where it is %s',
    async (seq) => {
      const { operator } = harness;
      must(await operator.sessions.create({ session_name: 'root', external: true }));
      must(await operator.sessions.create({ session_name: 'other', external: true }));
      for (const name of ['one', 'two'])
        must(await operator.schemas.register({ name, json_schema: { type: 'object' } }));
      must(await (await harness.as('root')).states.create({ schema_name: 'one', initial_data: {} }));
      const tables = ['sessions', 'trees', 'workflow_schemas', 'workflow_states', 'notices'];
      for (const table of tables)
        harness.tamper(`update ${table} set seq = ${seq} where seq = (select max(seq) from ${table})`);
      const { findings } = must(await operator.operations.doctor());
      for (const table of tables)
        expect(findings).toContainEqual({
          check: 'value_readable',
          subject: table,
          detail: `A row of ${table} has the number ${seq}, which the service never gives.`,
        });
    },
  );
});
