// Documents as the service answers them.
const at = '2026-01-02T03:04:05.678Z';

export const state = {
  state_id: 'sta_1',
  schema_id: 'sch_1',
  schema_name: 'plan',
  schema_version: 2,
  root_session_id: 'ses_1',
  root_session_name: 'orchestrator',
  version: 7,
  current_data: { tasks: [{ status: 'done' }] },
  created_at: at,
  updated_at: at,
  updated_by: null,
};

export const run = {
  run_id: 'run_1',
  type: 'start_session',
  purpose: 'work',
  session_id: 'ses_2',
  session_name: 'reviewer',
  prompt: 'Review it.',
  status: 'pending',
  attempt: 0,
  runner_id: null,
  metadata: {},
  error: null,
  created_at: at,
  claimed_at: null,
  started_at: null,
  completed_at: null,
};

export const session = {
  session_id: 'ses_2',
  session_name: 'reviewer',
  status: 'running',
  parent_session_id: 'ses_1',
  parent_session_name: 'orchestrator',
  root_session_id: 'ses_1',
  workflow_state_id: 'sta_1',
  state_update_status: null,
  agent_name: null,
  project_dir: null,
  executor_type: 'command',
  executor_session_id: null,
  hostname: null,
  callback: true,
  delivery: 'resume',
  external: false,
  generation: 1,
  depth: 1,
  created_at: at,
  updated_at: at,
  last_resumed_at: null,
};

export const callback = {
  callback_id: 'cbk_1',
  parent_session_id: 'ses_1',
  child_session_id: 'ses_2',
  status: 'delivered',
  delivery: 'pull',
  run_id: null,
  outcome: 'completed',
  message: '<agent-callback>Done.</agent-callback>',
  reason: null,
  metadata: { callback_source: 'completion', workflow_state_version: 7, state_update_status: 'completed' },
  created_at: at,
  delivered_at: at,
};

export const schema = {
  schema_id: 'sch_1',
  name: 'plan',
  version: 2,
  json_schema: { type: 'object' },
  description: null,
  compatibility: 'none',
  created_at: at,
  updated_at: at,
};

export const completion = {
  session_id: 'ses_2',
  generation: 1,
  state_update_status: 'pending',
  attempt: 1,
  max_attempts: 3,
  contract: { pointer: '/tasks/0', schema: {} },
  write_scope: ['/tasks/0'],
  mode: 'always',
  attempts: [
    {
      attempt: 1,
      run_id: 'run_2',
      prompt_level: 1,
      outcome: 'contract_failed',
      errors: [{ pointer: '/tasks/0', keyword: 'required', message: 'lacks status', expected: null }],
      started_at: at,
      ended_at: null,
    },
  ],
  contract_broken: null,
  reason: null,
  released_at: null,
};

export const agent = {
  name: 'reviewer',
  status: 'ready',
  description: 'Reviews one change.',
  executor: 'claude-code',
  model: 'sonnet',
  mcp_servers: ['github'],
  project_dir: null,
  timeout_ms: null,
  delivery: null,
  demands: { tags: ['gpu'] },
  completion: { max_attempts: 2 },
  errors: [],
};

export const webhook = {
  webhook_id: 'whk_1',
  url: 'https://ci.example/hook',
  events: ['workflow_state_updated'],
  state_id: 'sta_1',
  root_session_id: 'ses_1',
  schema_name: null,
  when: { type: 'object' },
  enabled: false,
  disabled_reason: 'The receiver answered 410: it wants no more.',
  created_at: at,
  updated_at: at,
};

export const delivery = {
  delivery_id: 'dlv_1',
  webhook_id: 'whk_1',
  type: 'workflow_state_updated',
  state_id: 'sta_1',
  version: 7,
  status: 'dead',
  attempts: [{ attempt: 3, at, duration_ms: 12, status: 500, error: null, response: 'no' }],
  next_attempt_at: null,
  reason: 'Given up after 3 attempts: the receiver answered 500.',
  created_at: at,
  ended_at: at,
};

export const page = (...items: unknown[]) => ({ items, next_cursor: null });

export const caller = { kind: 'token', session_id: null, token_name: 'ci', rights: ['read'] };

export const activity = {
  since: at,
  interval_ms: 60_000,
  items: [{ at, writes: 7, runs_ended: 2, runs_failed: 1, run_wait_ms: 120, run_ms: null }],
};

export const overview = {
  trees: { active: 1 },
  workflow_states: { all: 2 },
  sessions: { running: 2, finished: 1 },
  completions: { pending: 1 },
  runs: {},
  callbacks: { dead: 1 },
  webhook_deliveries: {},
  runners: { all: 1, max_concurrent: 4, active_runs: 2 },
};

export const entry = { state_id: 'sta_1', version: 8, changed: true, entry_id: 'inv_1' };

export const workflow = {
  state_id: 'sta_1',
  version: 8,
  updated_at: at,
  mode: 'coding',
  next_modes: ['review', 'disabled'],
  phase: 'implementation',
  active_agent: 'implementer',
  active_feature: 'search',
  active_task: null,
  protocol_start_complete: true,
  protocol_end_complete: false,
  invocations: {
    in_progress: [
      { invocation_id: 'inv_2', agent: 'implementer', started_at: at, input: { prompt: 'Fix it.' } },
    ],
    last_ended: [
      { invocation_id: 'inv_1', agent: 'analyst', status: 'completed', output: { summary: 'Found.' } },
    ],
    archived: 0,
    archives: [],
  },
  pending_handoffs: [{ from_agent: 'analyst', to_agent: 'qa', reason: 'to test', context: 'see a.md' }],
  open_decisions: [
    {
      id: 'dec_1',
      decided_by: 'architect',
      description: 'Use a queue.',
      approved_by: [],
      rejected_by: ['critic'],
    },
  ],
  verdicts: {
    clear: false,
    approved_by: ['qa'],
    blocked_by: [
      { agent: 'critic', decision: 'reject', reasoning: 'No test.', conditions: [], blockers: ['a test'] },
    ],
  },
};

export const workflowArchive = {
  archive_id: 'arc_1',
  state_id: 'sta_1',
  compacted_at: '2026-01-01T12:00:00.000Z',
  kept_until: '2026-01-31T12:00:00.000Z',
  count: 1,
  invocations: [{ invocation_id: 'inv_1', agent: 'analyst', status: 'completed' }],
};
