// The tool that adds to the workflow record: each entry from the arguments that its description names.
import { expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/domain/limits.js';
import { TOOLS } from '../../src/mcp/index.js';
import { must, openHarness } from '../service/harness.js';

test('workflow_record writes each kind of entry', async () => {
  const harness = await openHarness();
  must(await harness.operator.sessions.create({ session_name: 'root', external: true }));
  const root = await harness.as('root');
  must(await root.states.create({ schema_name: 'orchestrator-workflow', initial_data: {} }));
  const tool = TOOLS.find(({ name }) => name === 'workflow_record')!;
  const record = async (args: object) =>
    must(
      await tool.run(args, {
        service: root,
        caller: { session: 'root', stateId: null },
        limits: DEFAULT_LIMITS,
        waiting: (work) => work(new AbortController().signal),
        progress: { during: (_message, work) => work() },
      }),
    );
  await record({ record: 'start', agent: 'analyst', text: 'Look.', id: 'inv_1' });
  await record({ record: 'complete', id: 'inv_1', value: 'completed', text: 'Found.', artifacts: ['a.md'] });
  const { entry_id: id } = await record({
    record: 'decision',
    agent: 'architect',
    value: 'technical',
    text: 'Use a queue.',
    reason: 'Order matters.',
  });
  await record({ record: 'reject', id, agent: 'critic' });
  await record({ record: 'approve', id, agent: 'critic' });
  await record({ record: 'verdict', agent: 'critic', value: 'approve', confidence: 1, text: 'So.' });
  await record({ record: 'handoff', agent: 'analyst', to_agent: 'qa', reason: 'done', text: 'See a.md.' });
  await record({ record: 'phase', value: 'validation' });
  await record({ record: 'mode', value: 'testing', reason: 'now' });
  await record({ record: 'evidence', value: 'start', evidence: { context: 'read' }, complete: true });
  const { current_data: document } = must(await root.sessions.state('root'));
  expect(document).toMatchObject({
    current_mode: 'testing',
    protocol_start_complete: true,
    protocol_start_evidence: { context: 'read' },
    orchestrator_workflow: {
      workflow_phase: 'validation',
      agent_history: [
        { agent: 'analyst', status: 'completed', output: { summary: 'Found.', artifacts: ['a.md'] } },
      ],
      decisions: [{ description: 'Use a queue.', rationale: 'Order matters.', approved_by: ['critic'] }],
      verdicts: [{ agent: 'critic', decision: 'approve', confidence: 1 }],
      pending_handoffs: [{ from_agent: 'analyst', to_agent: 'qa', context: 'See a.md.' }],
    },
  });
  await harness.close();
});
