// What writes of sessions may change of a workflow record, beside its operations.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/domain/json/json.js';
import type { Countersign } from '../../../src/ports/service.js';
import { failure, must, openHarness, type Harness } from '../harness.js';

const HISTORY = '/orchestrator_workflow/agent_history';

let harness: Harness;
let stateId: string;
let kid: Countersign;

beforeEach(async () => {
  harness = await openHarness();
  const { sessions, states } = harness.operator;
  must(await sessions.create({ session_name: 'root', external: true }));
  const parent = { parent_session_name: 'root', external: true, record: false };
  must(await sessions.create({ session_name: 'kid', ...parent }));
  const schema_name = 'orchestrator-workflow';
  const created = await states.create({ schema_name, initial_data: {}, root_session_name: 'root' });
  stateId = must(created).state_id;
  kid = await harness.as('kid');
  await start('inv_1');
  must(
    await workflow().handOff(stateId, {
      from_agent: 'coder',
      to_agent: 'tester',
      reason: 'done',
      context: 'All.',
    }),
  );
  await end('inv_1');
  await start('inv_2', { agent: 'tester' });
});
afterEach(() => harness.close());

const workflow = () => harness.operator.workflow;
const record = async () =>
  must(await harness.operator.states.get(stateId)).current_data['orchestrator_workflow'] as JsonObject;
const invocations = async () => (await record())['agent_history'] as readonly JsonObject[];
const start = async (invocation_id: string, more: JsonObject = {}) =>
  must(
    await workflow().startInvocation(stateId, { agent: 'coder', prompt: 'Work.', invocation_id, ...more }),
  );
const end = async (id: string) =>
  must(await workflow().completeInvocation(stateId, id, { status: 'completed', summary: 'Done.' }));
const archiveAll = async () => must(await workflow().compact(stateId, { keep: 0 }));
/** The operation on one place of the record, and what is wrong with it. */
async function refusedAt(operation: JsonObject): Promise<readonly unknown[]> {
  const before = await record();
  const { error, members } = failure(await kid.states.patch(stateId, [operation], {}));
  expect(await record()).toEqual(before);
  return [error, (members['errors'] as readonly JsonObject[] | undefined)?.map((one) => one['pointer'])];
}
const entry = (invocation_id: string): JsonObject => ({
  invocation_id,
  agent: 'coder',
  started_at: '2026-01-01T00:00:00Z',
  completed_at: null,
  status: 'in_progress',
  input: { prompt: 'Other work.', context: {}, artifacts: [] },
  output: null,
  handoff_from: null,
  handoff_to: null,
  handoff_reason: '',
});

describe('a write of a session to a workflow record', () => {
  it.each([
    ['0/handoff_to', 'reviewer'],
    ['0/handoff_from', 'planner'],
    ['0/handoff_reason', 'another'],
    ['1/handoff_from', 'planner'],
    ['1/handoff_from', null],
    ['1/handoff_reason', ''],
  ])('may not change the hand-off at %s', async (place, value) => {
    const path = `${HISTORY}/${place}`;
    expect(await refusedAt({ op: 'replace', path, value })).toEqual(['transition_refused', [path]]);
  });

  it('may not change it in any other form either', async () => {
    const { current_data: document } = must(await kid.states.get(stateId));
    const [first, ...others] = await invocations();
    const agent_history = [{ ...first, handoff_reason: 'another' }, ...others];
    const changed = { ...(await record()), agent_history };
    const writes = [
      await kid.states.replace(stateId, { ...document, orchestrator_workflow: changed }, {}),
      await kid.states.mergePatch(stateId, { orchestrator_workflow: { agent_history } }, {}),
      await kid.states.ops(
        stateId,
        [{ op: 'set', pointer: `${HISTORY}/0/handoff_reason`, value: 'another' }],
        {},
      ),
      await kid.keys.set('root', 'orchestrator_workflow', changed, {}),
    ];
    expect(writes.map((one) => failure(one).error)).toEqual(writes.map(() => 'transition_refused'));
  });

  it('may not list an archive', async () => {
    const path = '/orchestrator_workflow/compaction_history/-';
    const value = { archive_id: 'arc_1', compacted_at: '2026-01-01T00:00:00Z', count: 1 };
    expect(await refusedAt({ op: 'add', path, value })).toEqual([
      'transition_refused',
      ['/orchestrator_workflow/compaction_history'],
    ]);
  });

  it('may not add an invocation that an archive has', async () => {
    await archiveAll();
    const path = `${HISTORY}/-`;
    expect(await refusedAt({ op: 'add', path, value: entry('inv_1') })).toEqual([
      'workflow_entry_exists',
      undefined,
    ]);
    must(await kid.states.patch(stateId, [{ op: 'add', path, value: entry('inv_3') }], {}));
    expect((await invocations()).map((one) => one['invocation_id'])).toEqual(['inv_2', 'inv_3']);
  });

  it('may end an invocation, say to whom it hands off, and write beside the record', async () => {
    const output = { artifacts: [], summary: 'Tested.', recommendations: [], blockers: [] };
    const at = `${HISTORY}/1`;
    const patch = [
      { op: 'replace', path: `${at}/status`, value: 'completed' },
      { op: 'replace', path: `${at}/completed_at`, value: '2026-01-01T00:00:00Z' },
      { op: 'replace', path: `${at}/output`, value: output },
      { op: 'replace', path: `${at}/handoff_to`, value: 'reviewer' },
      { op: 'add', path: '/result', value: 1 },
    ];
    must(await kid.states.patch(stateId, patch, {}));
    expect((await invocations())[1]).toMatchObject({ status: 'completed', output, handoff_to: 'reviewer' });
  });

  it('is bound by this, an operator is not', async () => {
    const path = `${HISTORY}/0/handoff_reason`;
    must(await harness.operator.states.patch(stateId, [{ op: 'replace', path, value: 'another' }], {}));
    expect((await invocations())[0]).toMatchObject({ handoff_reason: 'another' });
  });

  it('may take away what has not ended where the schema lets it, and nothing that has', async () => {
    const properties = { orchestrator_workflow: { type: 'object' } };
    must(
      await harness.operator.schemas.register({ name: 'mine', json_schema: { type: 'object', properties } }),
    );
    must(await harness.operator.sessions.create({ session_name: 'other', external: true }));
    const agent_history = [
      { ...entry('inv_1'), status: 'failed' },
      entry('inv_2'),
      { ...entry('inv_3'), handoff_to: 'b' },
      { ...entry('inv_4'), invocation_id: 4, status: 'failed' },
      { ...entry('twice'), status: 'failed' },
      { ...entry('twice'), status: 'completed' },
      'no object',
    ];
    const initial_data = { orchestrator_workflow: { agent_history, compaction_history: ['arc_1'] } };
    const created = await harness.operator.states.create({
      schema_name: 'mine',
      initial_data,
      root_session_name: 'other',
    });
    const { state_id } = must(created);
    const other = await harness.as('other');
    must(await other.states.patch(state_id, [{ op: 'remove', path: `${HISTORY}/1` }], {}));
    for (const [at, id] of ['inv_1', 'inv_3', '4', 'twice', 'twice'].entries()) {
      const refused = await other.states.patch(state_id, [{ op: 'remove', path: `${HISTORY}/${at}` }], {});
      expect(failure(refused).detail).toContain(`the invocation ${id}`);
    }
    const path = '/orchestrator_workflow/compaction_history/0';
    const listed = await other.states.patch(state_id, [{ op: 'replace', path, value: 'arc_2' }], {});
    expect(failure(listed).error).toBe('transition_refused');
    // A second one with an id that is there is refused; any other, and a member that was not there, is not.
    for (const id of ['inv_1', 'twice', 'inv_3']) {
      const again = [{ op: 'add', path: `${HISTORY}/0`, value: entry(id) }];
      expect(failure(await other.states.patch(state_id, again, {})).error).toBe('workflow_entry_exists');
    }
    const more = [
      { op: 'add', path: `${HISTORY}/-`, value: entry('inv_9') },
      { op: 'add', path: `${HISTORY}/0/cost`, value: 7 },
    ];
    must(await other.states.patch(state_id, more, {}));
  });
});
