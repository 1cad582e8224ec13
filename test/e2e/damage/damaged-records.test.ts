// The database file is edited as a faulty disk or a curious hand would: the service starts and serves all the same, what is
// damaged is set aside with the reason, and whoever waited for it is told.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { must, openHarness, PlayedRunner, failure, type Harness } from '../../service/harness.js';

const HOUR_MS = 60 * 60_000;
const WHEN = { schema: { type: 'object', required: ['phase'] }, schemaHash: 'a'.repeat(64) };

let harness: Harness;
let stateId: string;
/** Ids of the children, by name. */
let ids: ReadonlyMap<string, string>;

/** A tree with everything in it: a child that runs, one that owes its result, and a webhook with a condition. */
async function growTree(): Promise<void> {
  const { operator } = harness;
  must(await operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
  must(await operator.sessions.create({ session_name: 'root', external: true }));
  const root = await harness.as('root');
  stateId = must(await root.states.create({ schema_name: 'any', initial_data: {} })).state_id;
  must(
    await operator.webhooks.create({
      url: 'https://receiver.test/hook',
      events: ['workflow_state_updated'],
      when: { type: 'object', required: ['phase'] },
    }),
  );
  must(await operator.webhooks.create({ url: 'https://receiver.test/runs', events: ['run_updated'] }));
  const runner = await PlayedRunner.register(harness);
  must(await root.runs.create({ type: 'start_session', session_name: 'busy', prompt: 'go', callback: true }));
  await runner.take('busy');
  must(await root.runs.create({ type: 'start_session', session_name: 'line', prompt: 'go', callback: true }));
  const contract = { pointer: '/owes', schema: { type: 'integer' } };
  must(
    await root.sessions.create({
      session_name: 'owes',
      external: true,
      callback: true,
      completion: { contract },
    }),
  );
  must(await (await harness.as('owes')).sessions.report('owes', { type: 'session_stop' }));
  must(await root.states.patch(stateId, [{ op: 'add', path: '/phase', value: 1 }], {}));
  const { items } = must(await operator.sessions.list({}));
  ids = new Map(items.map((one) => [one.session_name, one.session_id]));
}

/** Another tree goes through both phases, with a runner. */
async function wholeLifecycle(name: string): Promise<void> {
  const { operator } = harness;
  must(await operator.schemas.register({ name: `${name}-schema`, json_schema: { type: 'object' } }));
  must(await operator.sessions.create({ session_name: name, external: true }));
  const root = await harness.as(name);
  const state = must(await root.states.create({ schema_name: `${name}-schema`, initial_data: {} })).state_id;
  const runner = await PlayedRunner.register(harness);
  must(
    await root.runs.create({
      type: 'start_session',
      session_name: `${name}-kid`,
      prompt: 'go',
      callback: true,
    }),
  );
  await runner.complete(await runner.take(`${name}-kid`));
  const update = await runner.take(`${name}-kid`);
  const kid = await harness.as(`${name}-kid`);
  must(await kid.states.patch(state, [{ op: 'add', path: '/kid', value: 1 }], {}));
  await runner.complete(update);
  await harness.pass(1);
  const { items } = must(await root.sessions.pullCallbacks(name, 0));
  expect(items).toMatchObject([{ metadata: { state_update_status: 'completed' } }]);
}

const callbackOf = async (child: string) => {
  const { items } = must(await harness.operator.callbacks.list({ limit: 100 }));
  return items.find((one) => one.child_session_id === ids.get(child));
};

/** The parent has been told, or can be: nobody waits for the child any more. */
async function isTold(child: string): Promise<void> {
  for (let hours = 0; hours < 8; hours += 1) {
    const callback = await callbackOf(child);
    if (callback !== undefined && callback.status !== 'held') return;
    await harness.pass(HOUR_MS);
  }
  throw new Error(`nobody is told of ${child}: ${JSON.stringify(await callbackOf(child))}`);
}

const where = (table: string, name: string) =>
  `update ${table} set %s where session_id = (select session_id from sessions where session_name = '${name}')`;
const set = (table: string, name: string, change: string) => where(table, name).replace('%s', change);

const DAMAGED: readonly [what: string, sql: string, child: string][] = [
  ['metadata of a run under way', set('runs', 'busy', "metadata = '{broken'"), 'busy'],
  ['metadata of a run in line', set('runs', 'line', "metadata = '[]'"), 'line'],
  ['demands of a run in line', set('runs', 'line', "demands = 'x'"), 'line'],
  ['demands of another form', set('runs', 'line', `demands = '{"tags":"a"}'`), 'line'],
  ['status of a run', set('runs', 'busy', "status = 'asleep'"), 'busy'],
  ['status of a run and its demands', set('runs', 'busy', "status = 'asleep', demands = 'x'"), 'busy'],
  ['purpose of a run', set('runs', 'busy', "purpose = 'leisure'"), 'busy'],
  ['settings of a completion', set('completions', 'owes', 'settings = \'{"contract":1\''), 'owes'],
  [
    'contract of another form',
    set('completions', 'owes', `settings = '{"mode":"always","contract":7}'`),
    'owes',
  ],
  [
    'time-out of a completion',
    set('completions', 'owes', "settings = json_set(settings, '$.timeoutMs', 1e300), due_at = 1"),
    'owes',
  ],
  [
    'time-out after the last time',
    set('completions', 'owes', "settings = json_set(settings, '$.timeoutMs', 8640000000000000), due_at = 1"),
    'owes',
  ],
  ['attempts of a completion', set('completions', 'owes', "attempts = 'null'"), 'owes'],
  ['status of a completion', set('completions', 'owes', "status = 'maybe'"), 'owes'],
  ['request of a completion', set('completions', 'owes', "request = '[1'"), 'owes'],
  ['changes of a completion', set('completions', 'owes', "changes = '{'"), 'owes'],
  ['last errors', set('completions', 'owes', "last_errors = '['"), 'owes'],
  ['settings of a session', set('sessions', 'owes', "settings = ''"), 'owes'],
  ['demands of a session', set('sessions', 'busy', "demands = 'no'"), 'busy'],
  ['status of a session', set('sessions', 'busy', "status = 'zombie'"), 'busy'],
  [
    'a contract that cannot be compiled',
    set(
      'completions',
      'owes',
      `settings = json_set(settings, '$.contract.schema', json('{"type":"nonsense"}'), '$.contract.schemaHash', 'x')`,
    ),
    'owes',
  ],
  ['a snapshot', `update state_snapshots set text = '{"a":'`, 'owes'],
  ['a snapshot that is gone', 'delete from state_snapshots', 'owes'],
  [
    'a patch',
    `update state_events set patch = 'nonsense' where version = 2; delete from state_snapshots where version = 2`,
    'owes',
  ],
  [
    'a patch that does not apply',
    `update state_events set patch = '[{"op":"remove","path":"/none"}]' where version = 2`,
    'owes',
  ],
  [
    'the schema of a state',
    `update workflow_schemas set json_schema = '{"type":' where name = 'any'`,
    'owes',
  ],
  ['a schema that is gone', `delete from workflow_schemas where name = 'any'`, 'owes'],
  [
    'a completion that is gone',
    `delete from completions where session_id in (select session_id from sessions where session_name = 'busy')`,
    'busy',
  ],
  ['a tree that is gone', 'delete from trees', 'busy'],
  ['creation of a session', set('sessions', 'busy', 'created_at = 9e15'), 'busy'],
  ['generation of a session', set('sessions', 'owes', "generation = 'first'"), 'owes'],
  ['name of an agent', set('sessions', 'busy', "agent_name = x'ff00'"), 'busy'],
  ['attempt of a run', set('runs', 'busy', 'attempt = -1'), 'busy'],
  ['lease of a run', set('runs', 'busy', "lease_expires_at = 'soon'"), 'busy'],
  ['deadline of a run', set('runs', 'line', "due_at = 'never'"), 'line'],
  ['start of a run', set('runs', 'busy', "started_at = x'00'"), 'busy'],
  ['end of a run under way', set('runs', 'busy', "completed_at = 'today'"), 'busy'],
  ['end of a run in line', set('runs', 'line', "completed_at = x'00'"), 'line'],
  ['availability of a run', set('runs', 'line', "available_at = 'x'"), 'line'],
  ['prompt of a run', set('runs', 'line', "prompt = x'ff00'"), 'line'],
  ['deadline of a completion', set('completions', 'owes', "due_at = 'never'"), 'owes'],
  ['attempt of a completion', set('completions', 'owes', 'attempt = 1.5'), 'owes'],
  ['cause of a completion', set('completions', 'owes', "work_cause = 'bad luck'"), 'owes'],
  ['revision of a session, which is none,', set('sessions', 'owes', 'revision = 0'), 'owes'],
  ['revision of a completion, which is none,', set('completions', 'owes', 'revision = 0'), 'owes'],
  ['revision of a run, which is none,', set('runs', 'busy', 'revision = 0'), 'busy'],
  ['revision of a callback, which is none,', 'update callbacks set revision = 0', 'busy'],
  ['revision of a completion', set('completions', 'owes', "revision = 'x'"), 'owes'],
  ['failure count of a tree', "update trees set failures_in_a_row = 'many'", 'owes'],
];

describe('a database that was edited', () => {
  beforeEach(async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    harness = await openHarness({ environmentRetriesMax: 1 });
    await growTree();
  });
  afterEach(async () => {
    await harness.close();
    vi.restoreAllMocks();
  });

  it.each(DAMAGED)('with a damaged %s serves others, and puts it aside', async (_what, sql, child) => {
    harness.tamper(sql);
    await harness.restart();
    expect(await harness.service.ready()).toBe('ok');
    await wholeLifecycle('other');
    await isTold(child);
    await wholeLifecycle('later');
  });

  it.each([
    ['callback', "update callbacks set delivery = 'pigeon'", 'busy'],
    ['callback', "update callbacks set status = 'lost'", 'busy'],
    ['callback', "update callbacks set created_at = 'today'", 'busy'],
    ['callback', 'update callbacks set queued_at = 9e15', 'busy'],
    ['callback', "update callbacks set reason = x'ff00'", 'busy'],
    ['runner', "update runners set last_seen_at = 'x'", 'busy'],
  ])('with a damaged %s serves others (%s)', async (_what, sql) => {
    harness.tamper(sql);
    await harness.restart();
    await wholeLifecycle('other');
    await harness.pass(HOUR_MS);
    await wholeLifecycle('later');
  });

  it.each([
    ["update notices set facts = '{'"],
    ["update notices set kind = 'gossip'"],
    ["update state_events set kind = 'gossip' where version = 2"],
    ["update state_events set patch = '{' where version = 2"],
  ])('%s: followers of everything go past it', async (sql) => {
    harness.tamper(sql);
    await harness.restart();
    const stream = must(
      await harness.operator.streams.all({}, { after: '0-0', signal: AbortSignal.timeout(30_000) }),
    );
    const seen: string[] = [];
    await wholeLifecycle('other');
    for await (const events of stream) {
      seen.push(...events.map((one) => one.event));
      if (seen.filter((one) => one === 'workflow_state_updated').length >= 1) break;
      expect(seen).not.toContain('dropped');
    }
    expect(seen).toContain('workflow_state_updated');
  });

  it('knows no runner whose record is damaged, so that it registers anew', async () => {
    const { runners } = harness.operator;
    const of = { hostname: 'here', executor_types: ['command'] };
    const { runner_id } = must(await runners.register(of));
    harness.tamper("update runners set created_at = 'x'");
    await harness.restart();
    const poll = await harness.operator.runners.poll({ runnerId: runner_id, waitMs: 0 });
    expect(failure(poll).error).toBe('runner_not_found');
  });

  it('answers who asks for a damaged record with what and where', async () => {
    harness.tamper(set('runs', 'line', "metadata = '{broken'"));
    harness.tamper(set('sessions', 'owes', "settings = '7'"));
    harness.tamper(`update state_snapshots set text = '{' where version = 2`);
    await harness.restart();
    const { operator } = harness;
    const before = harness.dump();
    expect(failure(await caught(operator.sessions.get('owes')))).toMatchObject({
      error: 'record_damaged',
      members: { record: 'session', column: 'settings' },
    });
    expect(failure(await caught(operator.states.get(stateId)))).toMatchObject({
      error: 'state_tampered',
      members: { state_id: stateId, version: 2 },
    });
    const write = operator.states.patch(stateId, [{ op: 'add', path: '/x', value: 1 }], {});
    expect(failure(await caught(write)).error).toBe('state_tampered');
    expect(must(await operator.sessions.list({})).items.map((one) => one.session_name)).not.toContain('owes');
    expect(harness.dump()).toBe(before);
  });

  it.each([
    ['callbacks', "update callbacks set delivered_at = 9e15, status = 'delivered'"],
    ['callbacks', "update callbacks set created_at = 'today'"],
    ['runs', "update runs set started_at = 'x'"],
    ['sessions', 'update sessions set last_resumed_at = -1'],
    ['sessions', "update sessions set hostname = x'ff00'"],
    ['states', "update workflow_states set created_at = 'x'"],
    ['states', "update workflow_states set schema_id = 'x'"],
    ['schemas', 'update workflow_schemas set created_at = 9e15'],
    ['sessions', set('completions', 'busy', 'attempt = -1')],
    ['sessions', set('completions', 'owes', "settings = ''")],
    ['sessions', set('completions', 'owes', `attempts = json_set(attempts, '$[0].startedAt', 9e15)`)],
    ['sessions', "update trees set failures_in_a_row = 'x'"],
  ] as const)('lists %s without those that are damaged: %s', async (what, sql) => {
    const { operator } = harness;
    const before = must<{ items: readonly unknown[] }>(await operator[what].list({})).items.length;
    harness.tamper(sql);
    await harness.restart();
    const { items } = must<{ items: readonly unknown[] }>(await harness.operator[what].list({}));
    expect(items.length).toBeLessThan(before);
  });

  it.each([
    ['completion', set('completions', 'owes', "attempts = '{'")],
    ['completion', set('completions', 'owes', 'attempt = -1')],
    ['session', set('sessions', 'owes', "settings = ''")],
    ['reference to a state', "update trees set state_id = 'none'"],
    ['id of a state', "update workflow_states set state_id = 'none'"],
    ['state', "update workflow_states set created_at = 'x', version = 2"],
  ])('lets another child of the tree finish beside a damaged %s (%s)', async (_what, sql) => {
    const runner = await PlayedRunner.register(harness);
    const root = await harness.as('root');
    const ordered = { type: 'start_session', session_name: 'mate', prompt: 'go', callback: true } as const;
    must(await root.runs.create({ ...ordered, completion: { mode: 'never' } }));
    const run = await runner.take('mate');
    harness.tamper(sql);
    await harness.restart();
    await runner.complete(run);
    const { items } = must(await (await harness.as('root')).sessions.pullCallbacks('root', 0));
    expect(items.map((one) => one.metadata.callback_source)).toEqual(['mate']);
  });

  it('releases a child whose contract another session broke by an event that is damaged', async () => {
    const write = async (who: string, value: string) => {
      const { states } = await harness.as(who);
      must(await states.patch(stateId, [{ op: 'add', path: '/owes', value }], {}));
    };
    await write('owes', 'no integer');
    await write('root', 'none either');
    await harness.restart(undefined, () =>
      harness.tamper("update state_events set patch = '[]' where version = 4"),
    );
    await isTold('owes');
    await wholeLifecycle('later');
  });

  const ofSession = (table: string, name: string) =>
    `${table} where session_id = (select session_id from sessions where session_name = '${name}')`;

  it.each([
    ['the completion of an external child', `delete from ${ofSession('completions', 'owes')}`, 'owes'],
    ['a session', `delete from ${ofSession('sessions', 'owes')}`, 'owes'],
  ])('tells the parent where %s was removed, and nothing is due', async (_what, sql, child) => {
    harness.tamper(sql);
    await harness.restart();
    await isTold(child);
    await wholeLifecycle('later');
  });

  it.each(['owes', 'busy'])('tells the parent where %s was released without its callback', async (child) => {
    harness.tamper(set('completions', child, 'released_at = 5'));
    await harness.restart();
    await isTold(child);
    expect(must(await harness.operator.operations.doctor()).findings).toEqual([]);
    await wholeLifecycle('later');
  });

  it.each(['busy', 'line'])('tells the parent where the run of %s has no deadline', async (child) => {
    harness.tamper(set('runs', child, 'due_at = null'));
    await harness.restart();
    await isTold(child);
    expect(must(await harness.operator.operations.doctor()).findings).toEqual([]);
    await wholeLifecycle('later');
  });

  const named = (name: string) => `(select session_id from sessions where session_name = '${name}')`;
  const callbackSet = (child: string, change: string) =>
    `update callbacks set ${change} where child_session_name = '${child}'`;

  it.each([
    ['the generation of a child', set('sessions', 'owes', 'generation = 7')],
    ['the generation of a child, which is before the first,', set('sessions', 'owes', 'generation = 0')],
    ['the generation of a completion', set('completions', 'owes', 'generation = 7')],
    ['the generation of a callback', callbackSet('owes', 'child_generation = 7')],
    ['the child of a callback', callbackSet('owes', `child_session_id = ${named('root')}`)],
    [
      'the parent of a callback, which is its child now,',
      callbackSet('owes', 'parent_session_id = child_session_id'),
    ],
    ['the parent of a callback, which is nobody now,', callbackSet('owes', "parent_session_id = 'nobody'")],
    ['the parent of a child, which is none now,', set('sessions', 'owes', 'parent_session_id = null')],
    [
      'the parent of a child, which is itself now,',
      set('sessions', 'owes', 'parent_session_id = session_id'),
    ],
    ['the tree of a child', set('sessions', 'owes', "root_session_id = 'nobody'")],
    ['the tree of a child, which is the child now,', set('sessions', 'owes', 'root_session_id = session_id')],
    ['the tree of a completion', set('completions', 'owes', "root_session_id = 'nobody'")],
    ['the tree of a callback', callbackSet('owes', "root_session_id = 'nobody'")],
    ['the parent of the root, which has none,', set('sessions', 'root', "parent_session_id = 'nobody'")],
    ['the generation of a run', set('runs', 'line', 'generation = 7')],
    ['the tree of the root', set('sessions', 'root', `root_session_id = ${named('owes')}`)],
  ])('restores %s that was edited, and tells the parent the result', async (_what, sql) => {
    harness.tamper(sql);
    await harness.restart();
    // The look for children that nothing continues goes on beside the start.
    await harness.pass(1);
    const owes = await harness.as('owes');
    must(await owes.states.patch(stateId, [{ op: 'add', path: '/owes', value: 1 }], {}));
    await harness.pass(4 * HOUR_MS);
    expect(await callbackOf('owes')).toMatchObject({
      status: 'queued',
      outcome: 'completed',
      parent_session_id: ids.get('root'),
      metadata: { state_update_status: 'completed' },
    });
    await isTold('busy');
    expect(must(await harness.operator.operations.doctor()).findings).toEqual([]);
    await wholeLifecycle('later');
  });

  it.each([
    ['is not there', "'nobody'"],
    ['is that of another session', "(select run_id from runs where session_name = 'busy')"],
  ])('sends a queued callback whose run %s', async (_what, run) => {
    const owes = await harness.as('owes');
    must(await owes.states.patch(stateId, [{ op: 'add', path: '/owes', value: 1 }], {}));
    await harness.pass(1);
    harness.tamper(callbackSet('owes', `run_id = ${run}`));
    const { findings } = must(await harness.operator.operations.doctor());
    expect(findings).toContainEqual(expect.objectContaining({ check: 'queued_callback_carried' }));
    await harness.restart();
    await harness.pass(1);
    const { items } = must(await (await harness.as('root')).sessions.pullCallbacks('root', 0));
    expect(items).toMatchObject([
      { metadata: { callback_source: 'owes', state_update_status: 'completed' } },
    ]);
    expect(must(await harness.operator.operations.doctor()).findings).toEqual([]);
  });

  it('sends a queued callback whose tree was edited', async () => {
    const owes = await harness.as('owes');
    must(await owes.states.patch(stateId, [{ op: 'add', path: '/owes', value: 1 }], {}));
    await harness.pass(1);
    harness.tamper(callbackSet('owes', "root_session_id = 'nobody'"));
    await harness.restart();
    await harness.pass(1);
    const { items } = must(await (await harness.as('root')).sessions.pullCallbacks('root', 0));
    expect(items).toMatchObject([{ metadata: { callback_source: 'owes' } }]);
    expect(must(await harness.operator.operations.doctor()).findings).toEqual([]);
  });

  it('gives up a callback that belongs to no work of its child', async () => {
    harness.tamper(callbackSet('owes', `child_session_id = ${named('root')}, child_session_name = 'nobody'`));
    await harness.restart();
    await harness.pass(1);
    const { items } = must(await harness.operator.callbacks.list({ limit: 100 }));
    expect(items.find((one) => one.status === 'dead')).toMatchObject({
      reason: 'It belongs to no work of its child.',
    });
    await wholeLifecycle('later');
  });

  it('makes the secret of session tokens anew where it was emptied, which doctor names', async () => {
    harness.tamper("update settings set value = ''");
    const subject = 'session_token_secret';
    expect(must(await harness.operator.operations.doctor()).findings).toContainEqual(
      expect.objectContaining({ check: 'value_readable', subject }),
    );
    await harness.restart();
    // Each run that is claimed gets a token.
    await wholeLifecycle('other');
    expect(must(await harness.operator.operations.doctor()).findings).toEqual([]);
  });

  it('names a callback to another session than the parent of its child', async () => {
    harness.tamper(callbackSet('owes', `parent_session_id = ${named('busy')}`));
    const { findings } = must(await harness.operator.operations.doctor());
    expect(findings).toContainEqual(
      expect.objectContaining({ check: 'copy_agrees', detail: expect.stringContaining('parent_session_id') }),
    );
  });

  it('tells the parent of a result whose child was released without its callback', async () => {
    const owes = await harness.as('owes');
    must(await owes.states.patch(stateId, [{ op: 'add', path: '/owes', value: 1 }], {}));
    await harness.pass(1);
    harness.tamper("update callbacks set status = 'held', message = null where status = 'queued'");
    await harness.restart();
    await isTold('owes');
    expect(await callbackOf('owes')).toMatchObject({
      status: 'queued',
      outcome: 'completed',
      message: expect.stringContaining('Its result is recorded'),
      metadata: { state_update_status: 'completed' },
    });
  });

  it.each(['none', 'pending', 'completed', 'failed', 'skipped'])(
    'tells the parent where a completion that is %s does not say how the work ended',
    async (status) => {
      await harness.restart(undefined, () =>
        harness.tamper(
          set('completions', 'owes', `status = '${status}', work_outcome = null, due_at = null`),
        ),
      );
      // It gets a time limit, which passes.
      await harness.pass(1);
      await harness.pass(25 * HOUR_MS);
      await isTold('owes');
    },
  );

  it('tells the parent of a result where the completion does not say how the work ended', async () => {
    await harness.restart(undefined, () => harness.tamper(set('completions', 'owes', 'work_outcome = null')));
    const owes = await harness.as('owes');
    must(await owes.states.patch(stateId, [{ op: 'add', path: '/owes', value: 1 }], {}));
    await harness.pass(1);
    expect(await callbackOf('owes')).toMatchObject({ status: 'queued', outcome: 'completed' });
  });

  it('asks the children where the completion of their parent was removed', async () => {
    harness.tamper(`delete from ${ofSession('completions', 'root')}`);
    await harness.restart();
    const owes = await harness.as('owes');
    must(await owes.states.patch(stateId, [{ op: 'add', path: '/owes', value: 1 }], {}));
    await harness.pass(1);
    expect(await callbackOf('owes')).toMatchObject({
      status: 'queued',
      metadata: { state_update_status: 'completed' },
    });
    await wholeLifecycle('later');
  });

  it.each([
    ['was removed', `delete from runs where purpose = 'state_update'`],
    [
      'is not the one of the attempt',
      `update completions set attempts = json_set(attempts, '$[0].runId', 'x')`,
    ],
  ])('asks a child again where the run that asks it %s', async (_what, sql) => {
    const runner = await PlayedRunner.register(harness);
    await runner.complete(await runner.take('line'));
    const asking = await runner.take('line');
    harness.tamper(sql);
    await harness.restart();
    await isTold('line');
    expect(asking.purpose).toBe('state_update');
  });

  it('says what contradicts a state that is created for a tree which no longer names its own', async () => {
    await harness.restart(undefined, () => harness.tamper('update trees set state_id = null'));
    const root = await harness.as('root');
    const created = caught(root.states.create({ schema_name: 'any', initial_data: {} }));
    expect(failure(await created)).toMatchObject({
      error: 'record_damaged',
      members: { record: 'tree', column: 'state_id' },
    });
    const { findings } = must(await harness.operator.operations.doctor());
    expect(findings).toContainEqual(expect.objectContaining({ check: 'reference_there', subject: stateId }));
  });

  it('takes writes beside a child whose completion is damaged', async () => {
    harness.tamper(set('completions', 'owes', "attempts = '{'"));
    await harness.restart();
    const write = harness.operator.states.patch(stateId, [{ op: 'add', path: '/n', value: 1 }], {});
    expect(must(await write).version).toBe(3);
  });

  it('shows the rest of a tree beside a child whose completion is damaged', async () => {
    harness.tamper(set('completions', 'busy', "changes = '{'"));
    await harness.restart();
    const names = must(await harness.operator.sessions.list({})).items.map((one) => one.session_name);
    expect(names.toSorted()).toEqual(['line', 'owes', 'root']);
    const { children } = must(await harness.operator.sessions.tree('root'));
    expect(children.map((one) => one.session_name).toSorted()).toEqual(['line', 'owes']);
  });

  it('lists the sessions of other trees beside a damaged one', async () => {
    await wholeLifecycle('other');
    harness.tamper(
      `update trees set revision = x'ff00' where root_session_id = '${String(ids.get('root'))}'`,
    );
    await harness.restart();
    const names = must(await harness.operator.sessions.list({})).items.map((one) => one.session_name);
    expect(names.toSorted()).toEqual(['other', 'other-kid']);
  });

  it('lists the versions of a schema beside the newest, which is damaged', async () => {
    must(
      await harness.operator.schemas.register({ name: 'any', json_schema: { type: 'object', title: 'b' } }),
    );
    harness.tamper("update workflow_schemas set json_schema = '{' where version = 2");
    await harness.restart();
    const { items } = must(await harness.operator.schemas.versions('any', {}));
    expect(items.map((one) => one.version)).toEqual([1]);
  });

  it.each([
    ['snapshot', 'update or replace state_snapshots set version = -1'],
    ['state', "update workflow_states set updated_at = 'x', version = 2, snapshot_version = 2"],
    ['state', "update state_events set version = 'x' where version = 2"],
    ['event', "update state_events set from_schema_id = x'ff00' where version = 2"],
    [
      'state',
      "insert into state_history_cuts (state_key, oldest_version, through_event) select seq, 'x', 0 from workflow_states",
    ],
  ])('refuses what needs a damaged %s by name (%s)', async (record, sql) => {
    harness.tamper(sql);
    await harness.restart();
    const { operator } = harness;
    const before = harness.dump();
    const answers = [
      await caught(operator.states.get(stateId)),
      await caught(operator.states.get(stateId, 1)),
      await caught(operator.states.events(stateId, { since: 0 })),
      await caught(operator.states.events(stateId, { since: 1 })),
      await caught(operator.states.getAt(stateId, '/phase')),
    ];
    const refused = answers.flatMap((one) => (one.ok ? [] : [one.failure]));
    expect(refused).not.toEqual([]);
    for (const one of refused) expect(one).toMatchObject({ error: 'record_damaged', members: { record } });
    expect(harness.dump()).toBe(before);
    must(await operator.states.list({ include: 'data' }));
    await wholeLifecycle('other');
  });

  it.each([
    ['state', "update state_snapshots set text = '{'"],
    ['state', "update state_snapshots set text = '[]'"],
    ['snapshot', "update state_snapshots set hash = null, event_hash = null, text = '[]'"],
    ['snapshot', "update state_snapshots set text = x'ff00'"],
    ['state', 'delete from state_snapshots'],
    ['state', 'delete from state_snapshots where version = 2; delete from state_events where version = 2'],
    [
      'state',
      "delete from state_snapshots where version = 2; update state_events set patch = 'x' where version = 2",
    ],
    [
      'state',
      'delete from state_snapshots where version = 2; update state_events set patch = \'[{"op":"remove","path":"/none"}]\'',
    ],
    [null, "update workflow_schemas set json_schema = '{\"type\":' where name = 'any'"],
    [null, "delete from workflow_schemas where name = 'any'"],
    [null, "update workflow_states set schema_id = 'none'"],
  ])('lists documents of states beside one whose %s is damaged (%s)', async (record, sql) => {
    harness.tamper(sql);
    await wholeLifecycle('other');
    await harness.restart();
    const { operator } = harness;
    const { items } = must(await operator.states.list({ include: 'data' }));
    const plain = must(await operator.states.list({})).items;
    expect(items.map((one) => one.state_id)).toEqual(plain.map((one) => one.state_id));
    expect(items.find((one) => one.root_session_name === 'other')).toMatchObject({
      current_data: { kid: 1 },
    });
    const damaged = items.find((one) => one.state_id === stateId);
    expect(damaged?.damaged?.record ?? null).toBe(record);
    if (damaged === undefined) return;
    expect(damaged.current_data).toBeUndefined();
    const alone = failure(await caught(operator.states.get(stateId)));
    const id = damaged.damaged?.record_id;
    if (alone.error === 'state_tampered') expect(alone.members).toMatchObject({ state_id: id });
    else expect(alone).toMatchObject({ error: 'record_damaged', members: { record, record_id: id } });
  });

  it('answers a request whose receipt is damaged, and does not carry it out again', async () => {
    const request = { key: 'once', fingerprint: 'f' };
    const work = (service: typeof harness.operator) =>
      service.states.patch(stateId, [{ op: 'add', path: '/n', value: 1 }], {}) as never;
    const actor = { kind: 'operator', tokenName: null } as const;
    must(await harness.service.once(actor, request, work));
    await harness.service.answersKept();
    harness.tamper("update receipts set value = '{'");
    await harness.restart();
    const again = await caught(harness.service.once(actor, request, work));
    expect(failure(again)).toMatchObject({ error: 'record_damaged', members: { record: 'receipt' } });
    expect(must(await harness.operator.states.get(stateId)).version).toBe(3);
  });

  it.each([
    ['the answer', "update receipts set value = 'null'"],
    ['the write', "delete from receipts where receipt_id not like '%#%'; update receipts set value = 'null'"],
  ])('names the receipt of %s whose value is of another form', async (_what, sql) => {
    const isAnswer = (stored: unknown) => stored !== null;
    const request = { key: 'once', fingerprint: 'f', isAnswer };
    const work = (service: typeof harness.operator) =>
      service.states.patch(stateId, [{ op: 'add', path: '/n', value: 1 }], {}) as never;
    const actor = { kind: 'operator', tokenName: null } as const;
    must(await harness.service.once(actor, request, work));
    await harness.service.answersKept();
    harness.tamper(sql);
    await harness.restart();
    const again = await caught(harness.service.once(actor, request, work));
    expect(failure(again)).toMatchObject({ error: 'record_damaged', members: { record: 'receipt' } });
    expect(must(await harness.operator.states.get(stateId)).version).toBe(3);
  });

  it('forgets what a session had read where that is damaged', async () => {
    must(await (await harness.as('root')).states.get(stateId));
    await harness.restart();
    harness.tamper("update read_marks set parts = '{'");
    await harness.restart();
    const root = await harness.as('root');
    expect(must(await root.states.getAt(stateId, '/phase')).value).toBe(1);
  });
});

describe('webhooks of an edited database', () => {
  beforeEach(async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    harness = await openHarness();
    await growTree();
  });
  afterEach(async () => {
    await harness.close();
    vi.restoreAllMocks();
  });

  const touch = async () => {
    const root = await harness.as('root');
    must(await root.states.patch(stateId, [{ op: 'add', path: '/more', value: Math.random() }], {}));
  };
  const theWebhook = async () => must(await harness.operator.webhooks.list({})).items[0]!;
  const deliveries = async () =>
    must(await harness.operator.webhooks.deliveries((await theWebhook()).webhook_id, {})).items;
  const stored = (condition: object) => `update webhooks set condition = '${JSON.stringify(condition)}'`;

  it('a condition with $async, as an older version let it in, is checked like any other', async () => {
    harness.tamper(stored({ ...WHEN, schema: { $async: true, type: 'object', required: ['more'] } }));
    harness.tamper(`update webhook_deliveries set status = 'checking', due_at = null, ended_at = null`);
    await harness.restart();
    await touch();
    await vi.waitFor(async () => {
      expect(await deliveries()).toMatchObject([
        { version: 3, status: expect.not.stringMatching('checking') },
      ]);
    }, 5000);
    await wholeLifecycle('other');
  });

  it.each([['cannot be compiled', { ...WHEN, schema: { type: 'nonsense' } }]])(
    'a condition that %s is turned off, and its delivery is a dead letter',
    async (_what, condition) => {
      harness.tamper(stored(condition));
      await harness.restart();
      await touch();
      await vi.waitFor(async () => expect((await theWebhook()).enabled).toBe(false), 5000);
      expect((await theWebhook()).disabled_reason).toMatch(/condition/);
      expect(await deliveries()).toContainEqual(
        expect.objectContaining({ status: 'dead', reason: expect.stringMatching(/condition/) }),
      );
      await harness.restart();
      await wholeLifecycle('other');
    },
  );

  it.each([
    ["condition = '{'"],
    ["condition = '{}'"],
    ["events = '7'"],
    [`events = '["gossip"]'`],
    ["url = ''"],
    ["url = 'ftp://receiver.test/hook'"],
  ])('one whose record has %s is turned off at the start', async (change) => {
    harness.tamper(`update webhooks set ${change}`);
    await harness.restart();
    expect(await theWebhook()).toMatchObject({
      enabled: false,
      disabled_reason: expect.stringMatching(/damaged/),
    });
    await wholeLifecycle('other');
  });

  it('one whose URL is edited while the service runs is turned off, and its delivery is a dead letter', async () => {
    const { webhook_id } = must(await harness.operator.webhooks.list({})).items[1]!;
    harness.tamper("update webhooks set url = ''");
    must(await harness.operator.runs.create({ type: 'start_session', session_name: 'more', prompt: 'go' }));
    await vi.waitFor(async () => {
      // The receiver may rest after earlier attempts.
      await harness.pass(HOUR_MS);
      const { items } = must(await harness.operator.webhooks.deliveries(webhook_id, {}));
      expect(items).toContainEqual(
        expect.objectContaining({ status: 'dead', reason: expect.stringMatching(/no URL/) }),
      );
    }, 30_000); // the name of the receiver may take long to be looked up
    expect(must(await harness.operator.webhooks.get(webhook_id)).enabled).toBe(false);
  });

  it.each([["''"], ["'nowhere'"], ["'ftp://receiver.test/hook'"], ['null']])(
    'a callback to a parent whose URL was edited to %s is a dead letter, and doctor names the parent',
    async (url) => {
      const { operator } = harness;
      const called_at = { delivery: 'webhook', callback_url: 'https://receiver.test/called' } as const;
      must(await operator.sessions.create({ session_name: 'called', external: true, ...called_at }));
      const called = await harness.as('called');
      must(await called.sessions.create({ session_name: 'child', external: true, callback: true }));
      harness.tamper(`update sessions set callback_url = ${url} where session_name = 'called'`);
      await harness.restart();
      const { findings } = must(await harness.operator.operations.doctor());
      expect(findings).toContainEqual(
        expect.objectContaining({ check: 'value_readable', detail: expect.stringMatching(/callback_url/) }),
      );
      must(await (await harness.as('child')).sessions.report('child', { type: 'session_stop' }));
      await harness.pass(1);
      const { items } = must(await harness.operator.callbacks.list({ root_session: 'called' }));
      expect(items).toMatchObject([{ status: 'dead', reason: expect.stringMatching(/no URL/) }]);
    },
  );

  it.each([
    ["attempts = '{'"],
    ["type = 'gossip'"],
    ["due_at = 'never'"],
    ["expires_at = 'never'"],
    ["attempt = x'00'"],
  ])('a delivery with %s is a dead letter', async (change) => {
    harness.tamper(
      `update webhook_deliveries set status = 'pending', due_at = 1, ended_at = null, ${change}`,
    );
    await harness.restart();
    await harness.pass(5000);
    harness.tamper("update webhook_deliveries set type = 'run_updated' where type = 'gossip'");
    await vi.waitFor(async () => {
      for (const one of await deliveries())
        expect(one).toMatchObject({ status: 'dead', reason: expect.any(String) });
    }, 5000);
  });

  it('a circuit breaker with a word that nobody knows begins anew', async () => {
    harness.tamper(
      `insert or replace into webhook_destinations (origin, status, failures, opens, updated_at, revision)
        values ('https://receiver.test', 'ajar', 1, 1, 1, 1)`,
    );
    await harness.restart();
    await touch();
    must(await harness.operator.runs.create({ type: 'start_session', session_name: 'more', prompt: 'go' }));
    const ofRuns = must(await harness.operator.webhooks.list({})).items[1]!.webhook_id;
    await vi.waitFor(async () => {
      await harness.pass(1000);
      const { items } = must(await harness.operator.webhooks.deliveries(ofRuns, {}));
      expect(items.some((one) => one.attempts.length > 0)).toBe(true);
    }, 30_000); // the name of the receiver may take long to be looked up
  });
});

/** What HTTP and MCP make of an exception. */
async function caught<T>(work: T | Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const { damagedFailure, RecordDamagedError } = await import('../../../src/domain/damage/damage.js');
    if (error instanceof RecordDamagedError) return damagedFailure(error.damage) as T;
    throw error;
  }
}
