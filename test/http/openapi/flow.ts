// One request of each operation, in an order in which a new service takes them all. Ids that the service gives stand for
// themselves: `bind` says where the answer has the one that `wfstate_example` stands for from then on.
import type { Example } from '../../../src/http/openapi/examples/index.js';

export interface Step extends Omit<Example, 'status' | 'answer'> {
  readonly id: string;
  /** Pointers into the answer, by the name that the value has in examples. */
  readonly bind?: Readonly<Record<string, string>>;
  /** Needed for a later step; not an example. */
  readonly setup?: boolean;
  /** What an example shows of an answer that is too long for it. */
  readonly shows?: Example['answer'];
}

const REVIEW = {
  type: 'object',
  properties: {
    phase: { type: 'string', enum: ['plan', 'review', 'done'] },
    tasks: { type: 'array', items: { type: 'string' } },
    note: { type: 'string' },
  },
  required: ['phase'],
};
const state = { id: 'wfstate_example' };
const workflow = { id: 'wfstate_workflow' };
const root = { id: 'ses_example' };
const child = { id: 'ses_child' };
const webhook = { id: 'hook_example' };
const run = { id: 'run_example' };
const lease = { runner_id: 'rnr_example', attempt: 1, lease_token: 'lease_example' };

export const FLOW: readonly Step[] = [
  { id: 'registerSchema', body: { name: 'review', json_schema: REVIEW } },
  {
    id: 'registerSchema',
    setup: true,
    body: { name: 'review', json_schema: { ...REVIEW, title: 'Review' } },
  },
  { id: 'registerSchema', setup: true, body: { name: 'scratch', json_schema: { type: 'object' } } },
  { id: 'listSchemas', query: { name: 'review', limit: 10 } },
  { id: 'getSchema', path: { name: 'review' }, query: { version: 1 } },
  {
    id: 'validateDocument',
    path: { name: 'review' },
    query: { version: 1 },
    body: { data: { phase: 'begun' } },
  },
  { id: 'listSchemaVersions', path: { name: 'review' }, query: { limit: 10 } },
  { id: 'deleteSchemaVersion', path: { name: 'scratch', version: 1 } },

  {
    id: 'createSession',
    body: { session_id: 'ses_example', session_name: 'release', external: true, delivery: 'pull' },
  },
  {
    id: 'createState',
    body: {
      schema_name: 'review',
      schema_version: 1,
      initial_data: { phase: 'plan', tasks: [] },
      root_session_id: 'ses_example',
    },
    bind: { wfstate_example: '/state_id' },
  },
  { id: 'getState', path: state },
  {
    id: 'createSession',
    setup: true,
    body: { session_id: 'ses_orchestrator', session_name: 'orchestrator', external: true },
  },
  {
    id: 'createState',
    setup: true,
    body: {
      schema_name: 'orchestrator-workflow',
      initial_data: { active_feature: 'search' },
      root_session_id: 'ses_orchestrator',
    },
    bind: { wfstate_workflow: '/state_id' },
  },
  {
    id: 'startInvocation',
    path: workflow,
    body: { invocation_id: 'inv_example', agent: 'analyst', prompt: 'Find out why the search is slow.' },
  },
  {
    id: 'completeInvocation',
    path: { ...workflow, entry_id: 'inv_example' },
    body: { status: 'completed', summary: 'An index is missing.', artifacts: ['report.md'] },
  },
  {
    id: 'addDecision',
    path: workflow,
    body: {
      id: 'dec_example',
      type: 'technical',
      description: 'Add the index.',
      rationale: 'It is the cause.',
      decided_by: 'architect',
    },
  },
  {
    id: 'approveDecision',
    path: { ...workflow, entry_id: 'dec_example' },
    body: { agent: 'critic' },
  },
  { id: 'rejectDecision', path: { ...workflow, entry_id: 'dec_example' }, body: { agent: 'security' } },
  {
    id: 'addVerdict',
    path: workflow,
    body: {
      agent: 'critic',
      decision: 'needs_revision',
      confidence: 0.8,
      reasoning: 'No test shows it.',
      blockers: ['a test of the slow search'],
    },
  },
  {
    id: 'handOff',
    path: workflow,
    body: {
      from_agent: 'analyst',
      to_agent: 'implementer',
      reason: 'The cause is known.',
      context: 'See report.md.',
    },
  },
  { id: 'setPhase', path: workflow, body: { phase: 'implementation' } },
  { id: 'setMode', path: workflow, body: { mode: 'coding', reason: 'The plan is approved.' } },
  {
    id: 'addEvidence',
    path: workflow,
    body: { protocol: 'start', evidence: { context: 'README.md read' }, complete: true },
  },
  { id: 'getWorkflow', path: workflow },
  { id: 'compactWorkflow', path: workflow, body: { keep: 0 }, bind: { arc_example: '/entry_id' } },
  { id: 'getWorkflowArchive', path: { ...workflow, archive_id: 'arc_example' } },
  { id: 'listStates', query: { root_session: 'ses_example' } },
  {
    id: 'createWebhook',
    body: { url: 'https://ci.example/hooks/review', events: ['workflow_state_updated'] },
    bind: { hook_example: '/webhook_id' },
  },
  {
    id: 'replaceState',
    path: state,
    body: { data: { phase: 'plan', tasks: ['read'] }, expected_version: 1 },
  },
  {
    id: 'patchState',
    path: state,
    contentType: 'application/json-patch+json',
    body: [{ op: 'replace', path: '/phase', value: 'review' }],
  },
  {
    id: 'operateOnState',
    path: state,
    body: { operations: [{ op: 'append', pointer: '/tasks', items: ['write'] }] },
  },
  { id: 'diffState', path: state, query: { from: 1, to: 3 } },
  { id: 'revertState', path: state, body: { to_version: 2 } },
  { id: 'migrateState', path: state, body: { schema_version: 2 } },
  {
    id: 'waitForState',
    path: state,
    body: { until: { properties: { phase: { const: 'plan' } } }, timeout_ms: 1000 },
  },
  { id: 'listStateEvents', path: state, query: { since: 1, limit: 1 } },
  { id: 'streamState', path: state, query: { since: 2 } },
  { id: 'stream', query: { root_session: 'ses_example', since: '0-0' } },

  {
    id: 'writeKeys',
    path: root,
    body: { operations: [{ op: 'set', key: 'note', value: 'first' }] },
  },
  { id: 'getKeys', path: root },
  { id: 'getKey', path: { ...root, key: 'note' } },
  { id: 'setKey', path: { ...root, key: 'note' }, body: { value: 'second' } },
  {
    id: 'operateOnKey',
    path: { ...root, key: 'tasks' },
    body: { operation: 'append', items: ['test'] },
  },
  { id: 'deleteKey', path: { ...root, key: 'note' } },
  { id: 'appendKeyEvent', path: root, body: { type: 'set', key: 'phase', value: 'review' } },
  { id: 'listKeyEvents', path: root, query: { since: 7, limit: 2 } },
  {
    id: 'createSession',
    setup: true,
    body: { session_id: 'ses_notes', session_name: 'notes', external: true },
  },
  { id: 'openKeyState', path: { id: 'ses_notes' }, body: { initial_state: { topic: 'release' } } },

  { id: 'listAgents', query: { limit: 10 } },
  { id: 'getAgent', path: { name: 'reviewer' } },
  {
    id: 'registerRunner',
    body: { hostname: 'build-1', executor_types: ['command'], max_concurrent: 2 },
    bind: { rnr_example: '/runner_id' },
  },
  {
    id: 'createRun',
    body: {
      type: 'start_session',
      session_name: 'review-docs',
      parent_session_id: 'ses_example',
      callback: true,
      prompt: 'Review the documentation, and list what is missing.',
    },
    bind: { run_example: '/run_id', ses_child: '/session_id' },
  },
  { id: 'getRun', path: run },
  { id: 'listRuns', query: { status: 'pending' } },
  {
    id: 'pollRuns',
    query: { runner_id: 'rnr_example', capacity: 1, wait: '1s' },
    bind: { lease_example: '/runs/0/lease_token' },
  },
  {
    id: 'heartbeat',
    body: {
      runner_id: 'rnr_example',
      runs: [{ run_id: 'run_example', attempt: 1, lease_token: 'lease_example' }],
    },
  },
  { id: 'reportRunStarted', path: run, body: { ...lease, executor_type: 'command' } },
  { id: 'reportRunCompleted', path: run, body: { ...lease, result_text: 'Two pages are missing.' } },
  { id: 'getCompletion', path: child },
  { id: 'listCompletions', query: { root_session: 'ses_example' } },
  { id: 'skipCompletion', path: child, body: { reason: 'The result is known already' } },
  {
    id: 'pullCallbacks',
    path: root,
    query: { wait: '1s' },
    bind: { cb_example: '/items/0/callback_id' },
  },
  { id: 'listCallbacks', query: { status: 'delivered' } },
  { id: 'acknowledgeCallback', path: { id: 'cb_example' } },
  { id: 'redeliverCallback', path: { id: 'cb_example' }, body: { reason: 'The parent was restored' } },
  { id: 'retryCompletion', path: child, body: { reason: 'It is wanted after all' } },
  { id: 'listSessions', query: { root_session: 'ses_example' } },
  { id: 'getSession', path: root },
  { id: 'getSessionTree', path: root },
  { id: 'getSessionResult', path: child },
  { id: 'getSessionState', path: root },
  { id: 'stopSession', path: child },

  {
    id: 'createRun',
    setup: true,
    body: { type: 'start_session', session_name: 'broken', prompt: 'Build it.' },
    bind: { run_failing: '/run_id' },
  },
  {
    id: 'pollRuns',
    setup: true,
    query: { runner_id: 'rnr_example', capacity: 1, wait: '1s' },
    bind: { lease_failing: '/runs/0/lease_token' },
  },
  {
    id: 'reportRunFailed',
    path: { id: 'run_failing' },
    body: { ...lease, lease_token: 'lease_failing', error: 'The compiler is not installed', cause: 'agent' },
  },
  {
    id: 'createRun',
    setup: true,
    body: { type: 'start_session', session_name: 'stopped', prompt: 'Build it.' },
    bind: { run_stopping: '/run_id' },
  },
  {
    id: 'pollRuns',
    setup: true,
    query: { runner_id: 'rnr_example', capacity: 1, wait: '1s' },
    bind: { lease_stopping: '/runs/0/lease_token' },
  },
  { id: 'stopRun', path: { id: 'run_stopping' }, body: { reason: 'It is no longer needed' } },
  {
    id: 'reportRunStopped',
    path: { id: 'run_stopping' },
    body: { ...lease, lease_token: 'lease_stopping' },
  },
  { id: 'listRunners' },
  { id: 'deleteRunner', path: { id: 'rnr_example' } },

  { id: 'listWebhooks', query: { limit: 10 } },
  { id: 'getWebhook', path: webhook },
  { id: 'disableWebhook', path: webhook, body: { reason: 'The receiver is being moved' } },
  { id: 'enableWebhook', path: webhook },
  {
    id: 'listWebhookDeliveries',
    path: webhook,
    query: { status: 'delivered', limit: 1 },
    bind: { dlv_example: '/items/0/delivery_id' },
  },
  {
    id: 'redeliverWebhookDelivery',
    path: { ...webhook, delivery_id: 'dlv_example' },
    body: { reason: 'The receiver is back' },
  },
  { id: 'deleteWebhook', path: webhook },

  {
    id: 'answerHook',
    path: { client: 'claude-code' },
    query: { session: 'ses_example' },
    body: { hook_event_name: 'Stop', session_id: '5f0c2b1e', stop_hook_active: false },
  },
  {
    id: 'mcp',
    headers: { Accept: 'application/json, text/event-stream' },
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'example', version: '1.0.0' },
      },
    },
  },
  { id: 'reportSessionEvent', path: { id: 'ses_notes' }, body: { type: 'session_start' } },
  {
    id: 'createSession',
    setup: true,
    body: { session_id: 'ses_scratch', session_name: 'scratch', external: true },
  },
  { id: 'deleteSession', path: { id: 'ses_scratch' } },
  { id: 'deleteState', path: state },
  { id: 'doctor' },
  { id: 'overview' },
  { id: 'activity' },
  { id: 'whoAmI' },
  { id: 'health' },
  { id: 'readiness' },
  { id: 'metrics', shows: 'countersign_sessions{status="finished"} 2\n' },
  { id: 'openapi', shows: { openapi: '3.1.0', info: { title: 'Countersign' } } },
  { id: 'docs', shows: '<!doctype html>' },
];
