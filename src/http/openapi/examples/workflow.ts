// Examples of the operations on workflow. Recorded: see index.ts.
import type { Examples } from './example.js';

export const WORKFLOW: Examples = {
  getWorkflow: {
    path: { id: 'wfstate_workflow' },
    status: 200,
    answer: {
      state_id: 'wfstate_workflow',
      version: 11,
      updated_at: '2026-01-01T12:00:00.000Z',
      mode: 'coding',
      next_modes: null,
      phase: 'implementation',
      active_agent: null,
      active_feature: 'search',
      active_task: null,
      protocol_start_complete: true,
      protocol_end_complete: false,
      invocations: {
        in_progress: [],
        last_ended: [
          {
            invocation_id: 'inv_example',
            agent: 'analyst',
            started_at: '2026-01-01T12:00:00.000Z',
            completed_at: '2026-01-01T12:00:00.000Z',
            status: 'completed',
            input: { prompt: 'Find out why the search is slow.', context: {}, artifacts: [] },
            output: {
              artifacts: ['report.md'],
              summary: 'An index is missing.',
              recommendations: [],
              blockers: [],
            },
            handoff_from: null,
            handoff_to: 'implementer',
            handoff_reason: 'The cause is known.',
          },
        ],
        archived: 0,
      },
      pending_handoffs: [
        {
          from_agent: 'analyst',
          to_agent: 'implementer',
          reason: 'The cause is known.',
          context: 'See report.md.',
          artifacts: [],
          created_at: '2026-01-01T12:00:00.000Z',
        },
      ],
      open_decisions: [
        {
          id: 'dec_example',
          type: 'technical',
          description: 'Add the index.',
          rationale: 'It is the cause.',
          decided_by: 'architect',
          approved_by: ['critic'],
          rejected_by: ['security'],
          timestamp: '2026-01-01T12:00:00.000Z',
        },
      ],
      verdicts: {
        clear: false,
        approved_by: [],
        blocked_by: [
          {
            agent: 'critic',
            decision: 'needs_revision',
            reasoning: 'No test shows it.',
            conditions: [],
            blockers: ['a test of the slow search'],
          },
        ],
      },
    },
  },
  startInvocation: {
    path: { id: 'wfstate_workflow' },
    body: { invocation_id: 'inv_example', agent: 'analyst', prompt: 'Find out why the search is slow.' },
    status: 200,
    answer: { state_id: 'wfstate_workflow', version: 2, changed: true, entry_id: 'inv_example' },
  },
  completeInvocation: {
    path: { id: 'wfstate_workflow', entry_id: 'inv_example' },
    body: { status: 'completed', summary: 'An index is missing.', artifacts: ['report.md'] },
    status: 200,
    answer: { state_id: 'wfstate_workflow', version: 3, changed: true, entry_id: 'inv_example' },
  },
  addDecision: {
    path: { id: 'wfstate_workflow' },
    body: {
      id: 'dec_example',
      type: 'technical',
      description: 'Add the index.',
      rationale: 'It is the cause.',
      decided_by: 'architect',
    },
    status: 200,
    answer: { state_id: 'wfstate_workflow', version: 4, changed: true, entry_id: 'dec_example' },
  },
  approveDecision: {
    path: { id: 'wfstate_workflow', entry_id: 'dec_example' },
    body: { agent: 'critic' },
    status: 200,
    answer: { state_id: 'wfstate_workflow', version: 5, changed: true, entry_id: 'dec_example' },
  },
  rejectDecision: {
    path: { id: 'wfstate_workflow', entry_id: 'dec_example' },
    body: { agent: 'security' },
    status: 200,
    answer: { state_id: 'wfstate_workflow', version: 6, changed: true, entry_id: 'dec_example' },
  },
  addVerdict: {
    path: { id: 'wfstate_workflow' },
    body: {
      agent: 'critic',
      decision: 'needs_revision',
      confidence: 0.8,
      reasoning: 'No test shows it.',
      blockers: ['a test of the slow search'],
    },
    status: 200,
    answer: { state_id: 'wfstate_workflow', version: 7, changed: true },
  },
  handOff: {
    path: { id: 'wfstate_workflow' },
    body: {
      from_agent: 'analyst',
      to_agent: 'implementer',
      reason: 'The cause is known.',
      context: 'See report.md.',
    },
    status: 200,
    answer: { state_id: 'wfstate_workflow', version: 8, changed: true },
  },
  setPhase: {
    path: { id: 'wfstate_workflow' },
    body: { phase: 'implementation' },
    status: 200,
    answer: { state_id: 'wfstate_workflow', version: 9, changed: true },
  },
  setMode: {
    path: { id: 'wfstate_workflow' },
    body: { mode: 'coding', reason: 'The plan is approved.' },
    status: 200,
    answer: { state_id: 'wfstate_workflow', version: 10, changed: true },
  },
  addEvidence: {
    path: { id: 'wfstate_workflow' },
    body: { protocol: 'start', evidence: { context: 'README.md read' }, complete: true },
    status: 200,
    answer: { state_id: 'wfstate_workflow', version: 11, changed: true },
  },
};
