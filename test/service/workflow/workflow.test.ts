// The workflow record of an orchestrator: what each call writes, what may not be rewritten, and what a reader gets.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/domain/json/json.js';
import { valueAt } from '../../../src/domain/json/pointer.js';
import { failure, must, openHarness, type Harness } from '../harness.js';

let harness: Harness;
let stateId: string;

beforeEach(async () => {
  harness = await openHarness();
  const { operator } = harness;
  must(await operator.sessions.create({ session_name: 'root', external: true }));
  const created = await operator.states.create({
    schema_name: 'orchestrator-workflow',
    initial_data: {},
    root_session_name: 'root',
  });
  stateId = must(created).state_id;
});
afterEach(() => harness.close());

const at = async (pointer: string): Promise<JsonValue | undefined> =>
  valueAt(must(await harness.operator.states.get(stateId)).current_data, pointer);
const workflow = () => harness.operator.workflow;
const invocation = { agent: 'analyst', prompt: 'Find the cause.' };
const decision = {
  id: 'dec_1',
  type: 'technical' as const,
  description: 'Use a queue.',
  rationale: 'Order matters.',
  decided_by: 'architect',
};
const verdict = (agent: string, said: 'approve' | 'reject') => ({
  agent,
  decision: said,
  confidence: 0.5,
  reasoning: `${agent} says so`,
});

describe('a state on the schema of workflow records', () => {
  it('is registered on first use, and begins with an empty record beside what was given', async () => {
    const read = must(await harness.operator.states.get(stateId));
    expect(read).toMatchObject({
      schema_name: 'orchestrator-workflow',
      schema_version: 1,
      version: 1,
      current_data: { current_mode: 'default', orchestrator_workflow: { workflow_phase: 'planning' } },
    });
    must(await harness.operator.sessions.create({ session_name: 'second', external: true }));
    const second = await harness.operator.states.create({
      schema_name: 'orchestrator-workflow',
      initial_data: { active_feature: 'search', results: { a: 1 } },
      root_session_name: 'second',
    });
    expect(must(second)).toMatchObject({
      schema_version: 1,
      current_data: { active_feature: 'search', results: { a: 1 }, mode_history: [] },
    });
  });

  it('refuses a document of another form', async () => {
    must(await harness.operator.sessions.create({ session_name: 'second', external: true }));
    const created = await harness.operator.states.create({
      schema_name: 'orchestrator-workflow',
      initial_data: { orchestrator_workflow: { workflow_phase: 'lunch' } },
      root_session_name: 'second',
    });
    expect(failure(created)).toMatchObject({
      error: 'validation_failed',
      members: { errors: [{ pointer: '/orchestrator_workflow/workflow_phase' }] },
    });
  });

  it('is only what declares a record', async () => {
    must(await harness.operator.sessions.create({ session_name: 'other', external: true }));
    const { state_id: other } = must(await harness.operator.keys.open('other', { initial_state: {} }));
    expect(failure(await workflow().show(other)).error).toBe('workflow_required');
    expect(failure(await workflow().setPhase(other, { phase: 'complete' })).error).toBe('workflow_required');
    expect(failure(await workflow().show('wst_none')).error).toBe('state_not_found');
    const waited = await harness.operator.states.wait(other, { until: 'verdicts-clear' });
    expect(failure(waited).error).toBe('workflow_required');
    const before = harness.dump();
    const hook = {
      url: 'https://ci.example/',
      events: ['workflow_state_updated' as const],
      when: 'phase=complete',
    };
    const hooked = await harness.operator.webhooks.create({ ...hook, state_id: other });
    expect(failure(hooked).error).toBe('workflow_required');
    expect(harness.dump()).toBe(before);
    must(await harness.operator.webhooks.create({ ...hook, state_id: stateId }));
  });
});

describe('an invocation', () => {
  it('begins, makes its agent the active one, and ends once', async () => {
    const started = must(await workflow().startInvocation(stateId, invocation));
    const id = String(started.entry_id);
    expect(started).toMatchObject({ version: 2, changed: true });
    expect(await at('/orchestrator_workflow/active_agent')).toBe('analyst');
    expect(await at('/orchestrator_workflow/agent_history/0')).toMatchObject({
      invocation_id: id,
      status: 'in_progress',
      completed_at: null,
      input: { prompt: 'Find the cause.', context: {}, artifacts: [] },
      output: null,
    });
    const end = { status: 'completed' as const, summary: 'Found.', artifacts: ['report.md'] };
    must(await workflow().completeInvocation(stateId, id, end));
    expect(await at('/orchestrator_workflow/active_agent')).toBeNull();
    expect(await at('/orchestrator_workflow/agent_history/0')).toMatchObject({
      status: 'completed',
      output: { summary: 'Found.', artifacts: ['report.md'], recommendations: [], blockers: [] },
    });
    expect(must(await workflow().completeInvocation(stateId, id, end))).toMatchObject({
      changed: false,
      version: 3,
    });
    const other = await workflow().completeInvocation(stateId, id, { status: 'failed', summary: 'No.' });
    expect(failure(other).error).toBe('transition_refused');
    expect(must(await harness.operator.states.get(stateId)).version).toBe(3);
  });

  it('is named once, and only what is there ends', async () => {
    const named = { ...invocation, invocation_id: 'inv_1' };
    must(await workflow().startInvocation(stateId, named));
    expect(must(await workflow().startInvocation(stateId, named)).changed).toBe(false);
    const other = await workflow().startInvocation(stateId, { ...named, agent: 'critic' });
    expect(failure(other).error).toBe('workflow_entry_exists');
    const none = await workflow().completeInvocation(stateId, 'inv_2', { status: 'failed', summary: '' });
    expect(failure(none)).toMatchObject({ error: 'workflow_entry_not_found', members: { id: 'inv_2' } });
  });

  it('cannot be rewritten or removed by a write of the document', async () => {
    must(await workflow().startInvocation(stateId, { ...invocation, invocation_id: 'inv_1' }));
    const first = '/orchestrator_workflow/agent_history/0';
    for (const operation of [
      { op: 'remove', path: first },
      { op: 'replace', path: `${first}/agent`, value: 'other' },
      { op: 'replace', path: `${first}/input/prompt`, value: 'other' },
      { op: 'replace', path: '/orchestrator_workflow/agent_history', value: [] },
    ]) {
      const result = await harness.operator.states.patch(stateId, [operation], {});
      expect([operation, failure(result).error]).toEqual([operation, 'transition_refused']);
    }
    must(await workflow().completeInvocation(stateId, 'inv_1', { status: 'completed', summary: 'x' }));
    const again = [{ op: 'replace', path: `${first}/status`, value: 'in_progress' }];
    expect(failure(await harness.operator.states.patch(stateId, again, {})).error).toBe('transition_refused');
  });

  it('consumes the hand-off that waits for its agent, and keeps what it says', async () => {
    must(await workflow().startInvocation(stateId, { ...invocation, invocation_id: 'inv_1' }));
    const handoff = {
      from_agent: 'analyst',
      to_agent: 'implementer',
      reason: 'The cause is known.',
      context: 'See report.md.',
      artifacts: ['report.md'],
      preserved_context: { file: 'a.ts' },
    };
    must(await workflow().handOff(stateId, handoff));
    expect(await at('/orchestrator_workflow/agent_history/0')).toMatchObject({
      handoff_to: 'implementer',
      handoff_reason: 'The cause is known.',
    });
    expect(must(await workflow().show(stateId)).pending_handoffs).toMatchObject([handoff]);
    must(await workflow().startInvocation(stateId, { agent: 'critic', prompt: 'Look.' }));
    expect(must(await workflow().show(stateId)).pending_handoffs).toHaveLength(1);
    must(
      await workflow().startInvocation(stateId, {
        agent: 'implementer',
        prompt: 'Fix.',
        artifacts: ['a.ts'],
      }),
    );
    expect(must(await workflow().show(stateId)).pending_handoffs).toEqual([]);
    expect(await at('/orchestrator_workflow/agent_history/2')).toMatchObject({
      handoff_from: 'analyst',
      handoff_reason: 'The cause is known.',
      input: {
        artifacts: ['a.ts', 'report.md'],
        context: { handoff: { context: 'See report.md.', preserved_context: { file: 'a.ts' } } },
      },
    });
  });

  it('is recorded once for each of many that begin and end at the same time', async () => {
    const ids = Array.from({ length: 25 }, (_, i) => `inv_${String(i)}`);
    await Promise.all(
      ids.map(async (invocation_id) => {
        must(await workflow().startInvocation(stateId, { ...invocation, invocation_id }));
        const end = { status: 'completed' as const, summary: invocation_id };
        must(await workflow().completeInvocation(stateId, invocation_id, end));
      }),
    );
    const archives = must(await workflow().show(stateId)).invocations.archives;
    const archived = await Promise.all(
      archives.map(async ({ archive_id: id }) => must(await workflow().archive(stateId, id)).invocations),
    );
    const kept = (await at('/orchestrator_workflow/agent_history')) as JsonObject[];
    const history = [...archived.flat(), ...kept];
    expect(history.map(({ invocation_id }) => invocation_id).sort()).toEqual(ids.toSorted());
    expect(new Set(history.map(({ status }) => status))).toEqual(new Set(['completed']));
  });
});

describe('a decision', () => {
  it('is approved and rejected, and the last word of an agent counts', async () => {
    must(await workflow().addDecision(stateId, decision));
    expect(must(await workflow().addDecision(stateId, decision)).changed).toBe(false);
    const other = await workflow().addDecision(stateId, { ...decision, description: 'Use none.' });
    expect(failure(other).error).toBe('workflow_entry_exists');
    must(await workflow().approveDecision(stateId, 'dec_1', { agent: 'critic' }));
    must(await workflow().rejectDecision(stateId, 'dec_1', { agent: 'security' }));
    expect(must(await workflow().show(stateId)).open_decisions).toHaveLength(1);
    must(await workflow().approveDecision(stateId, 'dec_1', { agent: 'security' }));
    expect(await at('/orchestrator_workflow/decisions/0')).toMatchObject({
      approved_by: ['critic', 'security'],
      rejected_by: [],
    });
    expect(must(await workflow().show(stateId)).open_decisions).toEqual([]);
    const none = await workflow().approveDecision(stateId, 'dec_2', { agent: 'critic' });
    expect(failure(none).error).toBe('workflow_entry_not_found');
  });
});

describe('the verdicts', () => {
  it('let a wait go on once all are clear', async () => {
    const { operator } = harness;
    for (let i = 0; i < 9; i += 1) {
      must(await workflow().addVerdict(stateId, verdict(`agent-${String(i)}`, 'approve')));
    }
    must(await workflow().addVerdict(stateId, verdict('critic', 'reject')));
    const look = { until: 'verdicts-clear', fail_on: 'verdicts-blocked', timeout_ms: 0 };
    expect(must(await operator.states.wait(stateId, look))).toMatchObject({ matched: false, failed: true });
    const waiting = operator.states.wait(stateId, { until: 'verdicts-clear', timeout_ms: 20_000 });
    must(await workflow().addVerdict(stateId, verdict('critic', 'approve')));
    expect(must(await waiting)).toMatchObject({ matched: true });
    expect(must(await workflow().show(stateId)).verdicts).toMatchObject({ clear: true, blocked_by: [] });
  });

  it('stay as they were given', async () => {
    must(await workflow().addVerdict(stateId, verdict('critic', 'reject')));
    const path = '/orchestrator_workflow/verdicts/0/decision';
    const changed = [{ op: 'replace', path, value: 'approve' }];
    const result = await harness.operator.states.patch(stateId, changed, {});
    expect(failure(result).error).toBe('transition_refused');
  });
});

describe('the phase', () => {
  it('is set, and a wait for it ends', async () => {
    const waiting = harness.operator.states.wait(stateId, { until: 'phase=complete', timeout_ms: 20_000 });
    must(await workflow().setPhase(stateId, { phase: 'validation' }));
    must(await workflow().setPhase(stateId, { phase: 'complete' }));
    expect(must(await waiting)).toMatchObject({ matched: true, version: 3 });
    expect(must(await workflow().setPhase(stateId, { phase: 'complete' })).changed).toBe(false);
    const word = await harness.operator.states.wait(stateId, { until: 'phase=lunch' });
    expect(failure(word)).toMatchObject({
      error: 'invalid_schema',
      detail: expect.stringContaining('phase=complete'),
    });
  });
});

describe('the mode', () => {
  it('changes to one that may follow, and the history tells who did it', async () => {
    const { operator } = harness;
    const json_schema = {
      type: 'object',
      properties: { orchestrator_workflow: { type: 'object' }, current_mode: { type: 'string' } },
      modes: [{ name: 'plan', next: ['code'] }, { name: 'code', next: ['plan'] }, { name: 'ship' }],
    };
    must(await operator.schemas.register({ name: 'mine', json_schema }));
    must(await operator.sessions.create({ session_name: 'second', external: true }));
    const created = await operator.states.create({
      schema_name: 'mine',
      initial_data: { mine: 1 },
      root_session_name: 'second',
    });
    const { state_id: second } = must(created);
    expect(must(created).current_data).toEqual({ mine: 1 });
    expect(must(await workflow().show(second))).toMatchObject({
      mode: 'plan',
      next_modes: ['code', 'disabled'],
    });
    expect(failure(await workflow().setMode(second, { mode: 'ship' }))).toMatchObject({
      error: 'mode_refused',
      members: { mode: 'plan', next_modes: ['code', 'disabled'] },
    });
    const root = await harness.as('second');
    must(await root.workflow.setMode(second, { mode: 'code', reason: 'planned' }));
    must(await root.workflow.setMode(second, { mode: 'disabled' }));
    const { current_data: document } = must(await operator.states.get(second));
    expect(document).toMatchObject({
      current_mode: 'disabled',
      mode_history: [
        { mode: 'code', reason: 'planned', entered_by: expect.any(String) },
        { mode: 'disabled' },
      ],
    });
  });

  it('disabled is not entered by a child', async () => {
    must(
      await harness.operator.sessions.create({
        session_name: 'child',
        parent_session_name: 'root',
        external: true,
      }),
    );
    const child = await harness.as('child');
    expect(failure(await child.workflow.setMode(stateId, { mode: 'disabled' })).error).toBe('forbidden');
    must(await child.workflow.setMode(stateId, { mode: 'coding' }));
    expect(must(await workflow().show(stateId))).toMatchObject({ mode: 'coding', next_modes: null });
  });
});

describe('what only a condition or the top of a schema can say', () => {
  it.each([
    ['a word as a keyword', { type: 'object', 'x-ready': 'verdicts-clear' }, '/x-ready'],
    [
      'modes of a part',
      { type: 'object', properties: { a: { modes: [{ name: 'plan' }] } } },
      '/properties/a/modes',
    ],
  ])('is refused elsewhere: %s', async (_, json_schema, pointer) => {
    const registered = await harness.operator.schemas.register({ name: 'odd', json_schema });
    expect(failure(registered)).toMatchObject({
      error: 'invalid_schema',
      members: { errors: [expect.objectContaining({ pointer })] },
    });
  });
});

describe('evidence', () => {
  it('is added, stays, and ends its protocol', async () => {
    const first = { protocol: 'start' as const, evidence: { context: 'read' } };
    must(await workflow().addEvidence(stateId, first));
    expect(must(await workflow().show(stateId)).protocol_start_complete).toBe(false);
    must(await workflow().addEvidence(stateId, { ...first, evidence: { plan: 'made' }, complete: true }));
    expect(await at('/protocol_start_evidence')).toEqual({ context: 'read', plan: 'made' });
    expect(must(await workflow().show(stateId)).protocol_start_complete).toBe(true);
    const other = await workflow().addEvidence(stateId, { ...first, evidence: { context: 'not read' } });
    expect(failure(other).error).toBe('transition_refused');
  });
});

describe('a write of the record', () => {
  it('is one of the normal path: it is in the history, and within the scope of its session', async () => {
    must(await workflow().setPhase(stateId, { phase: 'validation' }));
    const { events } = must(await harness.operator.states.events(stateId, {}));
    expect(events.at(-1)).toMatchObject({ kind: 'workflow', patch: [{ op: 'replace' }] });
    must(
      await harness.operator.sessions.create({
        session_name: 'child',
        parent_session_name: 'root',
        external: true,
        completion: { write_scope: ['/results'] },
      }),
    );
    const child = await harness.as('child');
    const refused = await child.workflow.addVerdict(stateId, verdict('critic', 'approve'));
    expect(failure(refused).error).toBe('write_scope_violation');
    expect(must(await harness.operator.states.get(stateId)).version).toBe(2);
  });
});
