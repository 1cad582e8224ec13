// Realistic schemas, each with a document of about a given size and a patch of two operations that changes it whatever
// it holds.
import { readFileSync } from 'node:fs';
import { documentOf, SCHEMA, twoOperations } from '../documents.mjs';

/** Items until their text has about so many bytes. */
function filled(bytes, itemOf) {
  const items = [];
  for (let size = 0; size < bytes || items.length === 0;) {
    const item = itemOf(items.length);
    size += JSON.stringify(item).length + 1;
    items.push(item);
  }
  return items;
}

const number = (i) => String(i).padStart(6, '0');
const hex = (i) => i.toString(16).padStart(12, '0');
const replace = (...changes) => changes.map(([path, value]) => ({ op: 'replace', path, value }));

const closed = (properties, required = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const string = { type: 'string' };
const integer = { type: 'integer', minimum: 0 };

/** A list of items beside a counter; the patch changes the counter and a text of the first item. */
const listed = (item, itemOf, textOf, { definitions = {}, list = {} } = {}) => ({
  schema: {
    ...closed({ counter: integer, items: { type: 'array', items: item, ...list } }),
    ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions }),
  },
  document: (bytes) => ({ counter: 0, items: filled(bytes - 40, itemOf) }),
  patch: (n) => replace(['/counter', n], textOf(n)),
});

const task = closed({ name: string, status: { enum: ['pending', 'running', 'done'] }, result: string });
const taskOf = (i) => ({ name: `task-${number(i)}`, status: 'running', result: 'x'.repeat(60) });
const firstResult = (n) => ['/items/0/result', `result ${String(n)}`];

const kinds = {
  command: closed({ kind: { const: 'command' }, program: string, exit_code: { type: ['integer', 'null'] } }),
  write: closed({ kind: { const: 'write' }, path: string, bytes: integer }),
  question: closed({ kind: { const: 'question' }, text: string, answer: { type: ['string', 'null'] } }),
};
const kindOf = (i) =>
  [
    { kind: 'command', program: `npm run step-${number(i)}`, exit_code: 0 },
    { kind: 'write', path: `src/module/file-${number(i)}.ts`, bytes: i },
    { kind: 'question', text: `What is meant by ${number(i)}?`, answer: null },
  ][i % 3];

/** A tree of steps with up to four beneath each. */
function stepsOf(bytes) {
  const all = filled(bytes, (i) => ({ title: `Step ${number(i)}`, done: false, steps: [] }));
  for (const [i, step] of all.entries()) if (i > 0) all[(i - 1) >> 2].steps.push(step);
  return all[0];
}

const sixty = Array.from({ length: 60 }, (_, i) => `field_${String(i).padStart(2, '0')}`);

const schemaFile = (name) =>
  JSON.parse(readFileSync(new URL(`../../../schemas/${name}`, import.meta.url), 'utf8'));

const review = (bytes) => ({
  repository: {
    name: 'countersign',
    path: '/srv/countersign',
    commit: 'a'.repeat(40),
    branch: 'main',
    commits: 1,
    files: 10,
  },
  status: 'collecting',
  children: { deps: { status: 'open', state_version: 1 }, tests: { status: 'open' } },
  reviews: {
    test_ratio: { source_files: 1, source_lines: 1, test_files: 1, test_lines: 1, ratio: 1, complete: true },
  },
  summary: {
    verdict: 'approve',
    headline: 'Nothing was found.',
    findings: filled(bytes - 560, (i) => `Finding ${number(i)}: ${'x'.repeat(60)}`),
    missing: [],
  },
});

const blueprint = (bytes) => ({
  description: 'Reviews changes.',
  executor: 'claude-code',
  args: filled(Math.min(bytes - 500, 1500), (i) => `--option-${number(i)}`),
  system_prompt: 'x'.repeat(Math.max(1, Math.min(60_000, bytes - 2000))),
  environment: ['HOME', 'PATH', 'LANG'],
  timeout_ms: 60_000,
  demands: { tags: ['linux', 'gpu'] },
  mcp_servers: Object.fromEntries(
    filled(Math.max(1, Math.min(bytes - 700, bytes - 60_000)), (i) => i)
      .slice(0, 16)
      .map((i) => [
        `server-${String(i)}`,
        { type: 'stdio', command: 'x'.repeat(bytes > 50_000 ? 2400 : 20) },
      ]),
  ),
  completion: { mode: 'always', write_scope: ['/reviews', '/status'], max_attempts: 3 },
});

const AT = '2026-01-02T03:04:05Z';

const invocationOf = (i) => ({
  invocation_id: `inv-${number(i)}`,
  agent: 'reviewer',
  started_at: AT,
  completed_at: AT,
  status: 'completed',
  input: { prompt: `Review change ${number(i)}.`, context: {}, artifacts: [] },
  output: { artifacts: [], summary: 'Nothing was found.', recommendations: [], blockers: [] },
  handoff_from: null,
  handoff_to: null,
  handoff_reason: '',
});

const workflow = (bytes) => ({
  current_mode: 'build',
  mode_history: [],
  protocol_start_complete: true,
  protocol_end_complete: false,
  protocol_start_evidence: {},
  protocol_end_evidence: {},
  active_task: 'task',
  orchestrator_workflow: {
    active_agent: 'reviewer',
    workflow_phase: 'implementation',
    agent_history: filled(bytes - 520, invocationOf),
    decisions: [],
    verdicts: [],
    pending_handoffs: [],
    compaction_history: [],
    started_at: AT,
    last_agent_change: AT,
  },
});

/** The schema that the other parts measure with. */
export const PLAIN = { schema: SCHEMA, document: documentOf, patch: twoOperations };

export const REALISTIC = {
  'closed objects': listed(task, taskOf, firstResult),
  $ref: listed({ $ref: '#/$defs/task' }, taskOf, firstResult, { definitions: { task } }),
  pattern: listed(
    closed({
      name: { type: 'string', pattern: '^task-[0-9]{6}$' },
      commit: { type: 'string', pattern: '^[0-9a-f]{40}$' },
      result: string,
    }),
    (i) => ({ name: `task-${number(i)}`, commit: 'a'.repeat(40), result: 'done' }),
    firstResult,
  ),
  format: listed(
    closed({
      id: { type: 'string', format: 'uuid' },
      at: { type: 'string', format: 'date-time' },
      link: { type: 'string', format: 'uri' },
      mail: { type: 'string', format: 'email' },
    }),
    (i) => ({
      id: `01890a5d-ac96-774b-bcce-${hex(i)}`,
      at: '2026-01-02T03:04:05Z',
      link: `https://example.org/items/${number(i)}`,
      mail: `item-${number(i)}@example.org`,
    }),
    (n) => ['/items/0/link', `https://example.org/items/${String(n)}`],
  ),
  uniqueItems: listed(task, taskOf, firstResult, { list: { uniqueItems: true } }),
  'oneOf with a discriminator': listed({ oneOf: Object.values(kinds) }, kindOf, (n) => [
    '/items/0/program',
    `npm run ${String(n)}`,
  ]),
  recursion: {
    schema: {
      ...closed({ counter: integer, root: { $ref: '#/$defs/step' } }),
      $defs: {
        step: closed({
          title: string,
          done: { type: 'boolean' },
          steps: { type: 'array', items: { $ref: '#/$defs/step' } },
        }),
      },
    },
    document: (bytes) => ({ counter: 0, root: stepsOf(bytes) }),
    patch: (n) => replace(['/counter', n], ['/root/title', `Step ${String(n)}`]),
  },
  '60 properties': {
    schema: closed(
      Object.fromEntries(sixty.map((name, i) => [name, i === 0 ? integer : string])),
      sixty.slice(0, 10),
    ),
    document: (bytes) =>
      Object.fromEntries(
        sixty.map((name, i) => [name, i === 0 ? 0 : 'x'.repeat(Math.max(1, Math.floor(bytes / 60) - 13))]),
      ),
    patch: (n) => replace(['/field_00', n], ['/field_01', `result ${String(n)}`]),
  },
  'schemas/code-review.json': {
    schema: schemaFile('code-review.json'),
    document: review,
    patch: (n) =>
      replace(
        ['/children/deps/state_version', n],
        ['/summary/headline', `Nothing was found in ${String(n)}.`],
      ),
  },
  'schemas/agent-blueprint.json': {
    schema: schemaFile('agent-blueprint.json'),
    document: blueprint,
    patch: (n) => replace(['/timeout_ms', n], ['/description', `Reviews change ${String(n)}.`]),
  },
  'schemas/orchestrator-workflow.json': {
    schema: schemaFile('orchestrator-workflow.json'),
    document: workflow,
    patch: (n) =>
      replace(
        ['/active_task', `task ${String(n)}`],
        ['/orchestrator_workflow/agent_history/0/handoff_reason', `reason ${String(n)}`],
      ),
  },
};
