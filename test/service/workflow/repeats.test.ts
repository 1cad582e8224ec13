// Calls that are repeated record once: whether the entry says the same, and wherever it is by then.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/domain/json/json.js';
import { failure, must, openHarness, type Harness } from '../harness.js';

const DAY_MS = 24 * 60 * 60 * 1000;

let harness: Harness;
let stateId: string;

beforeEach(async () => {
  harness = await openHarness();
  stateId = await openTree('root');
});
afterEach(() => harness.close());

async function openTree(root: string): Promise<string> {
  must(await harness.operator.sessions.create({ session_name: root, external: true, delivery: 'pull' }));
  const state = { schema_name: 'orchestrator-workflow', initial_data: {}, root_session_name: root };
  return must(await harness.operator.states.create(state)).state_id;
}

const workflow = () => harness.operator.workflow;
const begun = (at: number) => ({
  agent: 'coder',
  prompt: `Task ${String(at)}.`,
  invocation_id: `inv_${String(at)}`,
});
const done = (at: number) => ({ status: 'completed' as const, summary: `Done ${String(at)}.` });
const start = (at: number, more: JsonObject = {}) =>
  workflow().startInvocation(stateId, { ...begun(at), ...more });
const end = (at: number, more: JsonObject = {}) =>
  workflow().completeInvocation(stateId, `inv_${String(at)}`, { ...done(at), ...more });
const record = async () =>
  must(await harness.operator.states.get(stateId)).current_data['orchestrator_workflow'] as {
    agent_history: JsonObject[];
    compaction_history: { archive_id: string; compacted_at: string }[];
  };
const idsOf = (list: readonly JsonObject[]) => list.map(({ invocation_id: id }) => id);
async function archived() {
  const { compaction_history: entries } = await record();
  const all = await Promise.all(
    entries.map(async ({ archive_id: id }) => must(await workflow().archive(stateId, id)).invocations),
  );
  return all.flat();
}
async function work(from: number, to: number) {
  for (let at = from; at <= to; at += 1) {
    must(await start(at));
    must(await end(at));
  }
}

describe('a start that is repeated', () => {
  const whole = {
    context: { a: 1 },
    artifacts: ['x', 'x'],
    handoff_from: 'lead',
    handoff_reason: 'so',
  };

  it('changes nothing if it says the same, before and after the end', async () => {
    must(await start(1, whole));
    expect(must(await start(1, whole)).changed).toBe(false);
    must(await end(1));
    expect(must(await start(1, whole)).changed).toBe(false);
  });

  it.each<JsonObject>([
    { agent: 'other' },
    { prompt: 'other' },
    { context: {} },
    { artifacts: ['x'] },
    { artifacts: ['x', 'x', 'y'] },
    { handoff_from: 'other' },
    { handoff_reason: 'other' },
  ])('is refused with other content: %j', async (other) => {
    must(await start(1, whole));
    const before = harness.dump();
    expect(failure(await start(1, { ...whole, ...other })).error).toBe('workflow_entry_exists');
    expect(harness.dump()).toBe(before);
  });

  it.each<JsonObject>([{ context: { a: 1 } }, { artifacts: ['x'] }, { handoff_from: 'a' }])(
    'is refused with more than the first one said: %j',
    async (more) => {
      must(await start(1));
      expect(failure(await start(1, more)).error).toBe('workflow_entry_exists');
    },
  );

  it('says the same though its own context hides the hand-off that was consumed', async () => {
    const handoff = { from_agent: 'lead', to_agent: 'coder', reason: 'so', context: 'c', artifacts: ['y'] };
    must(await workflow().handOff(stateId, handoff));
    const own = { context: { handoff: 'see the notes' } };
    must(await start(1, own));
    expect(must(await start(1, own)).changed).toBe(false);
    expect(failure(await start(1, { context: { handoff: 'other' } })).error).toBe('workflow_entry_exists');
  });

  it('says the same though a hand-off was consumed, and another one made', async () => {
    const handoff = { from_agent: 'lead', to_agent: 'coder', reason: 'so', context: 'c', artifacts: ['y'] };
    must(await workflow().handOff(stateId, handoff));
    const own = { artifacts: ['x'], context: { a: 1 } };
    must(await start(1, own));
    must(await workflow().handOff(stateId, { ...handoff, from_agent: 'coder', to_agent: 'critic' }));
    expect(must(await start(1, own)).changed).toBe(false);
    expect(failure(await start(1, { ...own, context: {} })).error).toBe('workflow_entry_exists');
    expect(failure(await start(1, { ...own, artifacts: ['z'] })).error).toBe('workflow_entry_exists');
    must(await start(2, { agent: 'lead' }));
    must(await workflow().handOff(stateId, { ...handoff, to_agent: 'critic', reason: 'later' }));
    expect(must(await start(2, { agent: 'lead' })).changed).toBe(false);
  });
});

describe('an end that is repeated', () => {
  it.each<JsonObject>([
    { summary: 'other' },
    { artifacts: ['x'] },
    { blockers: ['x'] },
    { status: 'failed' },
  ])('is refused with another outcome: %j', async (other) => {
    must(await start(1));
    must(await end(1));
    expect(must(await end(1)).changed).toBe(false);
    expect(failure(await end(1, other)).error).toBe('transition_refused');
  });
});

describe('an invocation in an archive', () => {
  it('does not begin again', async () => {
    await work(1, 12);
    const { version } = must(await harness.operator.states.get(stateId));
    expect(idsOf(await archived())).toContain('inv_1');
    expect(must(await start(1))).toMatchObject({ changed: false, version });
    expect(must(await start(8)).changed).toBe(false);
    expect(failure(await start(1, { prompt: 'other' })).error).toBe('workflow_entry_exists');
    expect(must(await workflow().show(stateId))).toMatchObject({
      active_agent: null,
      invocations: { in_progress: [] },
    });
    must(await start(13));
  });

  it('does not end again', async () => {
    await work(1, 12);
    expect(must(await end(2)).changed).toBe(false);
    const other = failure(await end(2, { summary: 'other' }));
    expect(other).toMatchObject({
      error: 'transition_refused',
      members: { errors: [{ pointer: '/orchestrator_workflow/agent_history' }] },
    });
    expect(failure(await end(99)).error).toBe('workflow_entry_not_found');
    expect(idsOf(await archived()).filter((id) => id === 'inv_2')).toHaveLength(1);
  });

  it('is found in each of several archives, and by a service that has just started', async () => {
    await work(1, 30);
    for (let at = 1; at <= 30; at += 1) {
      expect(must(await start(at)).changed).toBe(false);
      expect(must(await end(at)).changed).toBe(false);
    }
    await harness.restart();
    for (let at = 1; at <= 30; at += 1) expect(must(await start(at)).changed).toBe(false);
  });

  it('is found if the archive is made in the same commit', async () => {
    await work(1, 10);
    must(await start(11));
    const answers = await Promise.all([end(11), start(1), end(2), start(3, { prompt: 'other' })]);
    expect(answers.map((one) => (one.ok ? one.value.changed : one.failure.error))).toEqual([
      true,
      false,
      false,
      'workflow_entry_exists',
    ]);
  });

  it('counts for its own state only', async () => {
    await work(1, 12);
    const archives = (await record()).compaction_history;
    stateId = await openTree('other');
    const path = '/orchestrator_workflow/compaction_history';
    must(await harness.operator.states.patch(stateId, [{ op: 'replace', path, value: archives }], {}));
    expect(must(await start(1)).changed).toBe(true);
  });

  it('is new again when its archive is no longer kept', async () => {
    await work(1, 12);
    harness.clock.advance(29 * DAY_MS);
    expect(must(await start(1)).changed).toBe(false);
    harness.clock.advance(2 * DAY_MS);
    expect(must(await start(1)).changed).toBe(true);
  });

  it('of a child that recorded its end itself is not recorded a second time', async () => {
    const child = { session_name: 'kid', parent_session_name: 'root', external: true };
    const created = await harness.operator.sessions.create({ ...child, completion: { mode: 'never' } });
    const id = must(created).session_id;
    must(await harness.operator.sessions.report('kid', { type: 'session_start' }));
    const outcome = { status: 'completed' as const, summary: 'By hand.' };
    must(await workflow().completeInvocation(stateId, id, outcome));
    must(await workflow().compact(stateId, { keep: 0 }));
    must(await harness.operator.sessions.report('kid', { type: 'session_end', reason: 'done' }));
    expect((await record()).agent_history).toEqual([]);
    expect(await archived()).toMatchObject([{ invocation_id: id, output: { summary: 'By hand.' } }]);
  });

  it('was moved at one time, whoever says it', async () => {
    const now = harness.clock.now.bind(harness.clock);
    harness.clock.now = () => {
      harness.clock.advance(1);
      return now();
    };
    await work(1, 11);
    const [entry] = (await record()).compaction_history;
    const archive = must(await workflow().archive(stateId, entry?.archive_id ?? ''));
    expect(archive.compacted_at).toBe(entry?.compacted_at);
    const { compacted_at: at, kept_until: until } = archive;
    expect(Date.parse(until) - Date.parse(at)).toBe(30 * DAY_MS);
  });
});
