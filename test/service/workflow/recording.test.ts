// What the workflow record says of children by itself: their starts and ends, in the commits that start and release them.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/domain/json/json.js';
import type { Store } from '../../../src/ports/storage/store.js';
import { must, openHarness, type Harness } from '../harness.js';

let harness: Harness;
let stateId: string;
let store: Store;

beforeEach(async () => {
  harness = await openHarness({}, false, {}, undefined, (one) => (store = one));
  stateId = await openTree('root', { schema_name: 'orchestrator-workflow', initial_data: {} });
});
afterEach(() => harness.close());

async function openTree(root: string, state: { schema_name: string; initial_data: JsonObject }) {
  must(await harness.operator.sessions.create({ session_name: root, external: true, delivery: 'pull' }));
  const created = await harness.operator.states.create({ ...state, root_session_name: root });
  return must(created).state_id;
}

interface Child {
  readonly parent_session_name?: string;
  readonly agent_name?: string;
  readonly record?: boolean;
  readonly completion?: { readonly mode: 'always' | 'never' };
}

async function child(session_name: string, options: Child = {}): Promise<string> {
  const created = await harness.operator.sessions.create({
    session_name,
    parent_session_name: 'root',
    external: true,
    callback: true,
    completion: { mode: 'never' },
    ...options,
  });
  return must(created).session_id;
}

const report = async (session: string, event: Parameters<Harness['operator']['sessions']['report']>[1]) =>
  must(await harness.operator.sessions.report(session, event));
const document = async (id = stateId) => must(await harness.operator.states.get(id)).current_data;
const history = async () => {
  const { orchestrator_workflow: record } = (await document()) as { orchestrator_workflow: JsonObject };
  return record['agent_history'] as JsonObject[];
};

describe('a child of a tree with a workflow record', () => {
  it('is recorded when it starts and when it is released, without any write of its own', async () => {
    const id = await child('analyst-1', { agent_name: 'analyst' });
    expect(await history()).toEqual([]);
    await report('analyst-1', { type: 'session_start' });
    expect(await history()).toMatchObject([
      { invocation_id: id, agent: 'analyst', status: 'in_progress', output: null },
    ]);
    expect(must(await harness.operator.workflow.show(stateId)).active_agent).toBe('analyst');
    await report('analyst-1', {
      type: 'session_stop',
      result_text: 'An index is missing.',
      result_data: { artifacts: ['report.md'], recommendations: ['add it'], count: 1 },
    });
    expect(await history()).toMatchObject([
      {
        invocation_id: id,
        status: 'completed',
        output: {
          summary: 'An index is missing.',
          artifacts: ['report.md'],
          recommendations: ['add it'],
          blockers: [],
        },
      },
    ]);
    const view = must(await harness.operator.workflow.show(stateId));
    expect([view.active_agent, view.version]).toEqual([null, 3]);
    const { events } = must(await harness.operator.states.events(stateId, {}));
    expect(events.map(({ kind, session_id }) => [kind, session_id])).toEqual([
      ['create', null],
      ['workflow', null],
      ['workflow', null],
    ]);
  });

  it('is released with its record in one commit: no state of the database has one of them alone', async () => {
    await child('one');
    await report('one', { type: 'session_start' });
    const seen: unknown[] = [];
    const look = store.subscribe((changes) => {
      for (const change of changes) {
        if (!('put' in change)) continue;
        if (change.put === 'completion') seen.push(['released', change.record.releasedAt !== null]);
        if (change.put === 'state') seen.push(['state', change.record.version]);
      }
      seen.push('commit');
    });
    await report('one', { type: 'session_stop' });
    look();
    const commit = seen.slice(0, seen.indexOf('commit'));
    expect(commit).toEqual(
      expect.arrayContaining([
        ['released', true],
        ['state', 3],
      ]),
    );
  });

  it('counts as one that has not written: it is still asked to record its result', async () => {
    await child('asked', { completion: { mode: 'always' } });
    await report('asked', { type: 'session_start' });
    await report('asked', { type: 'session_stop' });
    const completion = must(await harness.operator.sessions.completion('asked'));
    expect(completion).toMatchObject({ state_update_status: 'pending', attempt: 1 });
    expect(await history()).toMatchObject([{ status: 'in_progress' }]);
    const asked = await harness.as('asked');
    must(await asked.states.patch(stateId, [{ op: 'add', path: '/result', value: 1 }], {}));
    await report('asked', { type: 'session_stop' });
    expect(await history()).toMatchObject([{ status: 'completed' }]);
  });

  it('of which there are many at once is recorded once each', async () => {
    const names = Array.from({ length: 5 }, (_, i) => `child-${String(i)}`);
    await Promise.all(names.map((name) => child(name)));
    await Promise.all(names.map((name) => report(name, { type: 'session_start' })));
    await Promise.all(
      names.map((name) => report(name, { type: 'session_stop', result_text: `${name} is done` })),
    );
    const recorded = await history();
    expect(recorded.map(({ agent }) => agent).sort()).toEqual(names);
    expect(new Set(recorded.map(({ status }) => status))).toEqual(new Set(['completed']));
    const summaries = recorded.map(({ output }) => (output as JsonObject)['summary']);
    expect(summaries.sort()).toEqual(names.map((name) => `${name} is done`));
  });

  it('is recorded however many others change the record at the same time', async () => {
    const names = Array.from({ length: 40 }, (_, i) => `child-${String(i).padStart(2, '0')}`);
    await Promise.all(names.map((name) => child(name)));
    await Promise.all(names.map((name) => report(name, { type: 'session_start' })));
    const started = await history();
    expect(started.map(({ agent }) => agent).sort()).toEqual(names);
    await Promise.all(names.map((name) => report(name, { type: 'session_stop' })));
    expect((await history()).filter(({ status }) => status !== 'completed')).toEqual([]);
  });

  it('that begins anew is another invocation', async () => {
    const id = await child('again');
    for (const result_text of ['first', 'second']) {
      await report('again', { type: 'session_start' });
      await report('again', { type: 'session_stop', result_text });
    }
    expect(await history()).toMatchObject([
      { invocation_id: id, output: { summary: 'first' } },
      { invocation_id: `${id}.2`, output: { summary: 'second' } },
    ]);
  });

  it('that names what blocks it is blocked, and one that is lost has failed', async () => {
    await child('blocked');
    await report('blocked', { type: 'session_start' });
    await report('blocked', { type: 'session_stop', result_data: { blockers: ['no key', 1] } });
    await child('lost');
    await report('lost', { type: 'session_start' });
    await report('lost', { type: 'session_end' });
    expect(await history()).toMatchObject([
      { agent: 'blocked', status: 'blocked', output: { blockers: ['no key'] } },
      { agent: 'lost', status: 'failed' },
    ]);
  });

  it('consumes the hand-off that waits for it', async () => {
    must(
      await harness.operator.workflow.handOff(stateId, {
        from_agent: 'analyst',
        to_agent: 'implementer',
        reason: 'known',
        context: 'see a.md',
      }),
    );
    await child('implementer-1', { agent_name: 'implementer' });
    await report('implementer-1', { type: 'session_start' });
    expect(must(await harness.operator.workflow.show(stateId)).pending_handoffs).toEqual([]);
    expect(await history()).toMatchObject([{ handoff_from: 'analyst', handoff_reason: 'known' }]);
  });

  it('is left out where its session says so', async () => {
    await child('quiet', { record: false });
    await report('quiet', { type: 'session_start' });
    await report('quiet', { type: 'session_stop' });
    expect(await history()).toEqual([]);
    expect(must(await harness.operator.sessions.get('quiet')).record).toBe(false);
    expect(must(await harness.operator.states.get(stateId)).version).toBe(1);
  });

  it('has a bounded text, however much it says', async () => {
    await child('long');
    await report('long', { type: 'session_stop', result_text: 'x'.repeat(100_000) });
    const [entry] = await history();
    expect(JSON.stringify(entry).length).toBeLessThan(6000);
  });
});

describe('a tree', () => {
  it('on another schema is not written to', async () => {
    must(await harness.operator.schemas.register({ name: 'plan', json_schema: { type: 'object' } }));
    const plain = await openTree('plain', { schema_name: 'plan', initial_data: {} });
    await child('worker', { parent_session_name: 'plain' });
    await report('worker', { type: 'session_start' });
    await report('worker', { type: 'session_stop' });
    expect(must(await harness.operator.states.get(plain)).version).toBe(1);
  });

  it('whose schema refuses the entry goes on without it', async () => {
    const json_schema = {
      type: 'object',
      properties: {
        orchestrator_workflow: {
          type: 'object',
          properties: { agent_history: { type: 'array', maxItems: 0 } },
        },
      },
    };
    must(await harness.operator.schemas.register({ name: 'narrow', json_schema }));
    const narrow = await openTree('narrow', { schema_name: 'narrow', initial_data: {} });
    await child('worker', { parent_session_name: 'narrow' });
    await report('worker', { type: 'session_start' });
    await report('worker', { type: 'session_stop' });
    expect(must(await harness.operator.sessions.completion('worker')).state_update_status).toBe('skipped');
    expect(must(await harness.operator.states.get(narrow)).version).toBe(1);
  });
});

describe('a record under a closed schema without a list of archives', () => {
  it('holds entries, and those of children', async () => {
    const members = [
      ...['active_agent', 'workflow_phase', 'agent_history', 'decisions', 'verdicts'],
      ...['pending_handoffs', 'started_at', 'last_agent_change'],
    ];
    const properties = Object.fromEntries(members.map((name) => [name, {}]));
    const record = { type: 'object', additionalProperties: false, properties };
    const json_schema = { type: 'object', properties: { orchestrator_workflow: record } };
    must(await harness.operator.schemas.register({ name: 'closed', json_schema }));
    const initial_data = { orchestrator_workflow: { verdicts: [] } };
    const id = await openTree('closed-root', { schema_name: 'closed', initial_data });
    must(await harness.operator.workflow.setPhase(id, { phase: 'validation' }));
    await child('of-closed', { parent_session_name: 'closed-root' });
    await report('of-closed', { type: 'session_start' });
    await report('of-closed', { type: 'session_stop' });
    expect(await document(id)).toMatchObject({
      orchestrator_workflow: { workflow_phase: 'validation', agent_history: [{ status: 'completed' }] },
    });
  });
});
