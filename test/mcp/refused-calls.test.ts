// What a model reads when a tool refuses: two lines from which it can do it right. And nothing was written.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/domain/limits.js';
import { TOOLS } from '../../src/mcp/index.js';
import { failureText } from '../../src/mcp/failures/failure-text.js';
import { eventually } from '../support/eventually.js';
import { must, openHarness, type Harness } from '../service/harness.js';

const schema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    tasks: { type: 'array', items: { type: 'object', required: ['title'] } },
    score: { type: 'integer', minimum: 1 },
    phase: { enum: ['open', 'done'], 'x-transitions': { open: ['done'], done: [] } },
  },
};

/** Who calls which tool with what; what the first line begins with, and what the second says. */
const CASES: readonly (readonly [string, string, unknown, RegExp, RegExp])[] = [
  [
    'root',
    'state_patch',
    {},
    /^invalid_request: at \/operations is missing; expected \{/,
    /Valid: state_patch \{"operations"/,
  ],
  [
    'root',
    'state_patch',
    { operations: 'nonsense' },
    /^invalid_request: at \/operations /,
    /call state_patch again\. Valid: state_patch/,
  ],
  [
    'root',
    'workflow_record',
    { record: 'lunch' },
    /^invalid_request: at \/record is nothing that can be recorded; expected .*"decision"/,
    /Valid: workflow_record \{"record":"decision"/,
  ],
  [
    'root',
    'workflow_record',
    { record: 'verdict', agent: 'critic', value: 'yes', confidence: 0.5, text: 'so' },
    /^invalid_request: at \/value .*expected .*"needs_revision"/,
    /call workflow_record again/,
  ],
  [
    'root',
    'workflow_record',
    { record: 'decision', agent: 'architect', value: 'technical', text: 'Use a queue' },
    /^invalid_request: at \/reason is missing/,
    /Valid: workflow_record/,
  ],
  [
    'root',
    'workflow_record',
    { record: 'evidence', value: 'start', evidence: { a: 1 } },
    /^invalid_request: at \/evidence\/a must be string(?!.*is not an argument)/,
    /Valid: workflow_record/,
  ],
  [
    'root',
    'workflow_record',
    { record: 'phase', value: 'validation' },
    /^workflow_required: The schema plan /,
    /^Next: record results with state_patch/,
  ],
  [
    'root',
    'state_read',
    { path: '/tasks' },
    /^invalid_request: at \/path is not an argument of this tool; expected \{"properties":\["pointer"/,
    /Valid: state_read/,
  ],
  [
    'root',
    'state_read',
    { pointer: 'tasks' },
    /^invalid_request: at \/pointer /,
    /Valid: state_read \{"pointer":"\/tasks"\}/,
  ],
  [
    'root',
    'state_read',
    { pointer: '/none' },
    /^pointer_not_found: /,
    /^Next: call state_read without pointer/,
  ],
  ['root', 'state_read', { at_version: 99 }, /^version_not_found: /, /leave the version out/],
  [
    'root',
    'state_update',
    { data: { score: 'high' } },
    /^validation_failed: at \/score .*expected .*integer/,
    /state_update again; state_schema .* Valid there: \/score = 1\.$/,
  ],
  [
    'root',
    'state_update',
    { data: { stars: 3 } },
    /^validation_failed: at \/stars .* allowed are "tasks", "score", "phase"/,
    /Valid: the same without \/stars\.$/,
  ],
  [
    'root',
    'state_patch',
    { operations: [{ op: 'replace', path: '/none/x', value: 1 }] },
    /^patch_failed: .*\[operation_index: 0\]/,
    /"add" makes a member/,
  ],
  [
    'root',
    'state_patch',
    { operations: [{ op: 'replace', path: '/phase', value: 'open' }] },
    /^transition_refused: at \/phase /,
    /change only what the rule lets change/,
  ],
  [
    'root',
    'state_set',
    { key: 'score', value: 0 },
    /^validation_failed: at \/score /,
    /Valid there: \/score = 1\.$/,
  ],
  [
    'root',
    'state_set',
    { key: 'score', value: 3, if_version: 9 },
    /^version_conflict: .*current_version/,
    /call state_read, redo your change/,
  ],
  ['root', 'state_delete', { key: 'none' }, /^key_not_found: /, /state_get without key/],
  ['root', 'state_get', { key: 'none' }, /^key_not_found: /, /state_set to make it/],
  [
    'root',
    'state_increment',
    { key: 'score', pointer: '/score' },
    /^invalid_request: at \/key exactly one/,
    /Valid: state_increment/,
  ],
  [
    'root',
    'state_increment',
    { key: 'phase' },
    /^(key_type_mismatch|validation_failed|patch_failed|invalid_request): /,
    /^Next: /,
  ],
  [
    'root',
    'state_append',
    { key: 'tasks', items: [{}] },
    /^validation_failed: at \/tasks\/1 .*title/,
    /^Next: correct these places/,
  ],
  [
    'root',
    'state_create',
    { schema_name: 'plan', initial_data: {} },
    /^state_exists: /,
    /call state_read, then state_patch/,
  ],
  [
    'root',
    'state_schema',
    { pointer: '/none' },
    /^pointer_not_found: /,
    /^Next: call state_schema without pointer/,
  ],
  [
    'child',
    'state_update',
    { data: { tasks: [] } },
    /^write_scope_violation: .*\[allowed: \["\/score"\]\]/,
    /Valid: state_patch \{"operations":\[\{"op":"add","path":"\/score"/,
  ],
  [
    'child',
    'state_set',
    { key: 'phase', value: 'open' },
    /^(write_scope_violation|transition_refused): /,
    /^Next: /,
  ],
  [
    'stranger',
    'state_read',
    { state_id: '{state}' },
    /^state_not_found: /,
    /call it without state_id|call state_create/,
  ],
  [
    'stranger',
    'state_patch',
    { state_id: '{state}', operations: [{ op: 'remove', path: '/tasks' }] },
    /^state_not_found: /,
    /call it without state_id|call state_create/,
  ],
  [
    'stranger',
    'state_set',
    { state_id: '{state}', key: 'score', value: 5 },
    /^state_not_found: /,
    /call it without state_id|call state_create/,
  ],
  ['stranger', 'state_read', {}, /^state_not_found: /, /as the root, call state_create first/],
  [
    'root',
    'get_agent_session_status',
    { session: 'nobody' },
    /^session_not_found: /,
    /call list_agent_sessions/,
  ],
  [
    'root',
    'resume_agent_session',
    { session: 'nobody', prompt: 'x' },
    /^session_not_found: /,
    /call list_agent_sessions/,
  ],
  [
    'root',
    'start_agent_session',
    { prompt: 'x', session_name: 'child' },
    /^session_exists: /,
    /choose another session_name/,
  ],
  [
    'root',
    'start_agent_session',
    { prompt: 'x' },
    /^limit_exceeded: .* \[limit: sessionsPerTreeMax, maximum: 2, actual: 3\]$/,
    /resume_agent_session/,
  ],
  [
    'root',
    'start_agent_session',
    { prompt: 'x', contract: { pointer: '/score' } },
    /^invalid_request: at \/contract\/schema is missing/,
    /Valid: start_agent_session/,
  ],
  [
    '',
    'start_agent_session',
    { prompt: 'x', callback: true },
    /^invalid_request: at \/callback /,
    /AGENT_SESSION_NAME .* or leave callback out/,
  ],
  [
    'root',
    'start_agent_session',
    { prompt: 'x', callback: 'true' },
    /^invalid_request: at \/callback must be boolean/,
    /^Next: correct this argument/,
  ],
  [
    'stranger',
    'start_agent_session',
    { prompt: 'x', contract: { pointer: '/score', schema: { type: 'nope' } } },
    /at \/contract\/schema\/type /,
    /^Next: /,
  ],
  [
    'root',
    'start_agent_session',
    { prompt: 'x', session_name: 'no name' },
    /^invalid_request: at \/session_name .*Up to 128 letters/,
    /Valid: start_agent_session/,
  ],
  ['root', 'start_agent_session', { prompt: 'x', session_name: '' }, /at \/session_name /, /Valid: start/],
  ['root', 'start_agent_session', { prompt: '' }, /^invalid_request: at \/prompt /, /Valid: start/],
  ['root', 'start_agent_session', { prompt: 'x', agent_name: '' }, /at \/agent_name /, /Valid: start/],
  ['root', 'start_agent_session', { prompt: 'x', project_dir: '' }, /at \/project_dir /, /Valid: start/],
  ['root', 'start_agent_session', { prompt: 'x', write_scope: ['score'] }, /at \/write_scope\/0 /, /Valid/],
  [
    'stranger',
    'state_create',
    { schema_name: 'My plan', json_schema: { type: 'object' }, initial_data: {} },
    /^invalid_request: at \/schema_name .*lower-case letters/,
    /Valid: state_create/,
  ],
  ['root', 'state_set', { key: '__proto__', value: 1 }, /^invalid_request: at \/key /, /Valid: state_set/],
  ['root', 'state_read', { state_id: 'a/b' }, /^invalid_request: at \/state_id /, /Valid: state_read/],
  ['root', 'list_agent_sessions', { cursor: 'x' }, /^invalid_request: at \/cursor /, /Valid: list_agent/],
  ['root', 'list_agent_blueprints', { cursor: 'x' }, /^invalid_request: at \/cursor /, /Valid: list_agent/],
  ['root', 'state_schema', { schema_version: 9 }, /^schema_not_found: .*9/, /Next/],
  ['root', 'wait_for_state', { until: 'verdicts-clear', timeout_seconds: 0 }, /^workflow_required: /, /Next/],
  ['root', 'wait_for_state', { until: 'verdict-clear' }, /^invalid_\w+: .*verdicts-clear/, /Next/],
  ['', 'state_read', {}, /^invalid_request: at \/state_id is needed/, /Valid: state_read/],
  [
    'stranger',
    'stop_agent_session',
    { session: 'child' },
    /^session_not_found: /,
    /call list_agent_sessions/,
  ],
];

describe('a refused tool call', () => {
  let harness: Harness;
  let stateId: string;
  const sessions: Record<string, string> = {};

  beforeAll(async () => {
    harness = await openHarness({ sessionsPerTreeMax: 2 });
    must(await harness.operator.schemas.register({ name: 'plan', json_schema: schema }));
    const make = async (body: Parameters<typeof harness.operator.sessions.create>[0]) => {
      const made = must(await harness.operator.sessions.create({ ...body, external: true }));
      sessions[made.session_name] = made.session_id;
    };
    await make({ session_name: 'root' });
    await make({ session_name: 'stranger' });
    const initial_data = { tasks: [{ title: 'first' }], score: 2, phase: 'done' };
    const root = await harness.as('root');
    stateId = must(await root.states.create({ schema_name: 'plan', initial_data })).state_id;
    must(await root.states.get(stateId));
    await make({
      session_name: 'child',
      parent_session_name: 'root',
      completion: { write_scope: ['/score'] },
    });
    must(await (await harness.as('child')).states.get(stateId));
    // What was read is noted a little later.
    await eventually('both readings are noted', () => /"read_marks",\[\{.*?\},\{/.test(harness.dump()));
  });
  afterAll(() => harness.close());

  test.each(CASES)(
    'of %s by %s %j is told in two lines, and writes nothing',
    async (who, name, args, first, second) => {
      const tool = TOOLS.find((one) => one.name === name)!;
      const service = who === '' ? harness.operator : await harness.as(who);
      const given: unknown = JSON.parse(JSON.stringify(args).replace('{state}', stateId));
      const before = harness.dump();
      const result = await tool.run(given, {
        service,
        caller: { session: sessions[who] ?? null, stateId: null },
        limits: DEFAULT_LIMITS,
        waiting: (work) => work(new AbortController().signal),
        progress: { during: (_message, work) => work() },
      });
      if (result.ok) throw new Error(`accepted: ${JSON.stringify(result.value)}`);
      const lines = failureText(tool, result.failure).split('\n');
      expect(lines).toHaveLength(2);
      expect(lines[0]).toMatch(first);
      expect(lines[1]).toMatch(/^Next: /);
      expect(lines[1]).toMatch(second);
      expect(harness.dump() === before, 'something was written').toBe(true);
    },
  );
});

test('a refused mode is told with the modes that may follow', () => {
  const tool = TOOLS.find(({ name }) => name === 'state_patch')!;
  const members = { pointer: '/current_mode', mode: 'plan', next_modes: ['coding', 'testing'] };
  expect(failureText(tool, { error: 'mode_refused', detail: 'No.', members })).toMatch(
    /^mode_refused: No\. \[next_modes: \["coding","testing"\]\]\nNext: set one of the next modes/,
  );
});

test('a document that is too large is told where large texts go', () => {
  const tool = TOOLS.find(({ name }) => name === 'state_create')!;
  const members = { limit: 'stateBytesMax', maximum: 10, actual: 11 };
  expect(failureText(tool, { error: 'limit_exceeded', detail: 'Too large.', members })).toMatch(
    /\nNext: write less: the state holds what is small; put large texts into files/,
  );
});
