// Invocations that leave a workflow record: which ones, when, and what becomes of them.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/domain/json/json.js';
import type { Store } from '../../../src/ports/storage/store.js';
import { failure, must, openHarness, type Harness } from '../harness.js';

let harness: Harness;
let store: Store;
let stateId: string;

beforeEach(async () => {
  harness = await openHarness({}, false, {}, undefined, (one) => (store = one));
  stateId = await openTree('root');
});
afterEach(() => harness.close());

async function openTree(root: string, schema_name = 'orchestrator-workflow'): Promise<string> {
  must(await harness.operator.sessions.create({ session_name: root, external: true, delivery: 'pull' }));
  const created = await harness.operator.states.create({
    schema_name,
    initial_data: {},
    root_session_name: root,
  });
  return must(created).state_id;
}

const workflow = () => harness.operator.workflow;
const record = async (id = stateId) =>
  must(await harness.operator.states.get(id)).current_data['orchestrator_workflow'] as JsonObject;
const idsOf = (list: unknown) =>
  (list as { invocation_id: string }[]).map(({ invocation_id }) => Number(invocation_id.slice(4)));
const history = async (id = stateId) => idsOf((await record(id))['agent_history']);
const start = async (at: number, id = stateId) =>
  must(
    await workflow().startInvocation(id, {
      agent: 'coder',
      prompt: `Task ${String(at)}.`,
      invocation_id: `inv_${String(at)}`,
    }),
  );
async function end(at: number, id = stateId) {
  harness.clock.advance(1000);
  const done = { status: 'completed' as const, summary: `Done ${String(at)}.` };
  return must(await workflow().completeInvocation(id, `inv_${String(at)}`, done));
}
async function work(from: number, to: number, id = stateId) {
  for (let at = from; at <= to; at += 1) {
    await start(at, id);
    await end(at, id);
  }
}
async function archives(id = stateId) {
  const entries = (await record(id))['compaction_history'] as { archive_id: string }[];
  return Promise.all(entries.map(async ({ archive_id }) => must(await workflow().archive(id, archive_id))));
}

describe('a workflow record with many ended invocations', () => {
  it('keeps ten, and with one more the newest three', async () => {
    await work(1, 10);
    expect(await history()).toHaveLength(10);
    expect((await record())['compaction_history']).toEqual([]);
    await work(11, 11);
    expect(await history()).toEqual([9, 10, 11]);
    const [archive, ...none] = await archives();
    expect(none).toEqual([]);
    expect(archive).toMatchObject({ state_id: stateId, count: 8 });
    expect(idsOf(archive?.invocations)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(archive?.invocations[0]).toMatchObject({
      input: { prompt: 'Task 1.' },
      output: { summary: 'Done 1.' },
    });
  });

  it('keeps every one that has not ended, and those that ended last, whenever they began', async () => {
    await start(1);
    await start(2);
    await work(3, 12);
    await end(1);
    expect(await history()).toEqual([1, 2, 11, 12]);
    const shown = must(await workflow().show(stateId)).invocations;
    expect(idsOf(shown.in_progress)).toEqual([2]);
    expect(idsOf(shown.last_ended)).toEqual([11, 12, 1]);
    expect(shown).toMatchObject({ archived: 8, archives: [{ count: 8 }] });
  });

  it('has lost none after fifty, half of them at the same time', async () => {
    await work(1, 25);
    const ids = Array.from({ length: 25 }, (_, at) => at + 26);
    await Promise.all(ids.map((at) => start(at).then(() => end(at))));
    const archived = (await archives()).flatMap(({ invocations }) => idsOf(invocations));
    const all = [...archived, ...(await history())];
    expect(all.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, at) => at + 1));
    expect((await history()).length).toBeLessThanOrEqual(10);
  });

  it('never moves decisions and verdicts', async () => {
    for (let at = 1; at <= 12; at += 1) {
      const decision = { type: 'scope' as const, description: 'd', rationale: 'r', decided_by: 'a' };
      must(await workflow().addDecision(stateId, decision));
      const verdict = { decision: 'approve' as const, confidence: 1, reasoning: 'r' };
      must(await workflow().addVerdict(stateId, { agent: `critic-${String(at)}`, ...verdict }));
    }
    await work(1, 11);
    expect(await record()).toMatchObject({ agent_history: { length: 3 } });
    expect((await record())['decisions']).toHaveLength(12);
    expect((await record())['verdicts']).toHaveLength(12);
  });

  it('is compacted behind the release of a child, in the same commit', async () => {
    await work(1, 10);
    const child = { parent_session_name: 'root', external: true, completion: { mode: 'never' as const } };
    must(await harness.operator.sessions.create({ session_name: 'last', ...child }));
    must(await harness.operator.sessions.report('last', { type: 'session_start' }));
    const commits: string[][] = [];
    const unsubscribe = store.subscribe((changes) =>
      commits.push(changes.flatMap((one) => ('put' in one ? [one.put] : []))),
    );
    must(await harness.operator.sessions.report('last', { type: 'session_stop', result_text: 'Done.' }));
    unsubscribe();
    const [commit] = commits.filter((puts) => puts.includes('archive'));
    expect(commit).toEqual(expect.arrayContaining(['completion', 'session', 'archive']));
    expect(commit?.filter((put) => put === 'event')).toHaveLength(2);
    expect(await archives()).toMatchObject([{ count: 8 }]);
  });

  it('is compacted by the operator’s threshold', async () => {
    await harness.close();
    harness = await openHarness({ endedInvocationsMax: 4 });
    const id = await openTree('root');
    await work(1, 5, id);
    expect(await history(id)).toEqual([3, 4, 5]);
  });

  it('answers the write that called for it with its own version', async () => {
    await work(1, 10);
    await start(11);
    const { version } = must(await harness.operator.states.get(stateId));
    expect((await end(11)).version).toBe(version + 1);
    expect(must(await harness.operator.states.get(stateId)).version).toBe(version + 2);
    const page = must(await harness.operator.states.events(stateId, { since: version }));
    expect(page.events.map(({ kind, session_id }) => [kind, session_id])).toEqual([
      ['workflow', null],
      ['workflow', null],
    ]);
  });
});

describe('a compaction that is asked for', () => {
  it('keeps as many as it says, and names its archive', async () => {
    await work(1, 4);
    const first = must(await workflow().compact(stateId, { keep: 0 }));
    expect(await history()).toEqual([]);
    expect(must(await workflow().archive(stateId, first.entry_id ?? '')).count).toBe(4);
    const second = must(await workflow().compact(stateId, {}));
    expect(second).toEqual({ state_id: stateId, version: first.version, changed: false });
  });

  it('needs a write scope that covers what it changes', async () => {
    await work(1, 4);
    const session = must(
      await harness.operator.sessions.create({
        parent_session_name: 'root',
        external: true,
        completion: { write_scope: ['/orchestrator_workflow/decisions'] },
      }),
    );
    const version = must(await harness.operator.states.get(stateId)).version;
    const child = await harness.as(session.session_id);
    const refused = await child.workflow.compact(stateId, {});
    expect(failure(refused).error).toBe('write_scope_violation');
    expect(must(await harness.operator.states.get(stateId)).version).toBe(version);
  });
});

describe('what only a compaction may do', () => {
  it.each([
    ['a removal by a patch', [{ op: 'remove', path: '/orchestrator_workflow/agent_history/0' }]],
    ['an emptied list', [{ op: 'replace', path: '/orchestrator_workflow/agent_history', value: [] }]],
  ] as const)('is refused elsewhere: %s', async (_, operations) => {
    await work(1, 2);
    const refused = await harness.operator.states.patch(stateId, [...operations], {});
    expect(failure(refused).error).toBe('transition_refused');
    expect(await history()).toEqual([1, 2]);
  });

  it('is not undone by a revert', async () => {
    await work(1, 10);
    const { version } = must(await harness.operator.states.get(stateId));
    await work(11, 11);
    expect(failure(await harness.operator.states.revert(stateId, version, {})).error).toBe(
      'transition_refused',
    );
    expect(await history()).toEqual([9, 10, 11]);
  });
});

describe('an archive', () => {
  it('is read by those who may read the state, through its own state only', async () => {
    await work(1, 11);
    const other = await openTree('other');
    const [archive] = await archives();
    const id = archive?.archive_id ?? '';
    expect(failure(await workflow().archive(other, id)).error).toBe('workflow_entry_not_found');
    expect(failure(await workflow().archive(stateId, 'arc_none')).error).toBe('workflow_entry_not_found');
    const stranger = await harness.as(must(await harness.operator.sessions.get('other')).session_id);
    expect(failure(await stranger.workflow.archive(stateId, id)).error).toBe('state_not_found');
  });

  it('goes with its state', async () => {
    await work(1, 11);
    const [archive] = await archives();
    must(await harness.operator.states.remove(stateId));
    expect(await store.read.archive(archive?.archive_id ?? '')).toBeNull();
  });
});

describe('a schema that knows no archives', () => {
  it('keeps its invocations, and each write goes on', async () => {
    const schema = {
      type: 'object',
      properties: {
        orchestrator_workflow: {
          type: 'object',
          additionalProperties: false,
          properties: Object.fromEntries(
            ['active_agent', 'agent_history', 'pending_handoffs', 'last_agent_change'].map((name) => [
              name,
              {},
            ]),
          ),
        },
      },
    };
    must(await harness.operator.schemas.register({ name: 'own', json_schema: schema }));
    must(await harness.operator.sessions.create({ session_name: 'own-root', external: true }));
    const created = await harness.operator.states.create({
      schema_name: 'own',
      initial_data: {
        orchestrator_workflow: {
          active_agent: null,
          agent_history: Array.from({ length: 12 }, (_, at) => ({
            invocation_id: `inv_${String(at)}`,
            status: 'completed',
          })),
        },
      },
      root_session_name: 'own-root',
    });
    const id = must(created).state_id;
    const operations = [
      { op: 'add' as const, path: '/orchestrator_workflow/agent_history/-', value: { status: 'failed' } },
    ];
    const written = must(await harness.operator.states.patch(id, operations, {}));
    expect(written).toMatchObject({ changed: true, version: 2 });
    expect((await record(id))['agent_history']).toHaveLength(13);
  });
});
