// The gate of a tree whose workflow record says what may be done, and what a session that begins is told of it.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/domain/json/json.js';
import type { AgentSource } from '../../../src/ports/agent-files.js';
import { failure, must, openHarness, type Harness } from '../harness.js';

/** The files of the folder of agents, by name. */
const folder = new Map<string, string>();
const source: AgentSource = {
  schema: { type: 'object' },
  files: {
    names: () => Promise.resolve([...folder.keys()].sort()),
    read: (name) => Promise.resolve(folder.get(name) ?? null),
  },
};
const MODES = {
  modes: [
    { name: 'planning', next: ['coding'], tools: { 'claude-code': ['WebFetch'] } },
    { name: 'coding', tools: { 'claude-code': ['Write'] } },
  ],
};

let harness: Harness;
let stateId: string;
beforeEach(async () => {
  folder.clear();
  folder.set('modes', JSON.stringify(MODES));
  harness = await openHarness({}, false, {}, source);
});
afterEach(() => harness.close());

async function openTree(schema_name = 'orchestrator-workflow', initial_data: JsonObject = {}) {
  must(await harness.operator.sessions.create({ session_name: 'root', external: true }));
  const created = await harness.operator.states.create({
    schema_name,
    initial_data,
    root_session_name: 'root',
  });
  stateId = must(created).state_id;
}
const started = () =>
  harness.operator.workflow.addEvidence(stateId, {
    protocol: 'start',
    evidence: { context: 'read' },
    complete: true,
  });
const use = async (tool_name: string, session = 'root') =>
  must(
    await harness.operator.hooks.answer(
      'claude-code',
      { hook_event_name: 'PreToolUse', session_id: 'c-1', tool_name, tool_input: {} },
      { session },
    ),
  );
const text = async (tool: string, session?: string) => (await use(tool, session)).text;

describe('a tree on the schema of workflow records', () => {
  beforeEach(() => openTree());

  it('is held to the start protocol, the mode and its tools, each as they are now', async () => {
    expect(await text('Write')).toContain('start protocol');
    expect(await use('Read')).toMatchObject({ verdict: 'allow' });
    must(await started());
    expect(must(await harness.operator.workflow.show(stateId))).toMatchObject({
      mode: 'planning',
      next_modes: ['coding', 'disabled'],
    });
    expect(await use('WebFetch')).toMatchObject({ verdict: 'allow' });
    expect(await text('Write')).toContain('the mode planning');
    must(await harness.operator.workflow.setMode(stateId, { mode: 'coding' }));
    expect(await use('Write')).toMatchObject({ verdict: 'allow' });
    folder.set('modes', JSON.stringify({ modes: [{ name: 'coding', tools: {} }] }));
    expect(await text('Write')).toContain('No mode has it');
  });

  it('lets everything pass in the mode disabled, which is in the history', async () => {
    must(await (await harness.as('root')).workflow.setMode(stateId, { mode: 'disabled', reason: 'Urgent.' }));
    expect(await use('Write')).toMatchObject({ verdict: 'allow' });
    const { mode_history: history } = must(await harness.operator.states.get(stateId)).current_data;
    expect(history).toMatchObject([{ mode: 'disabled', reason: 'Urgent.' }]);
  });

  it.each([
    ['is not JSON', '{'],
    ['has no modes', '[]'],
    ['has a mode twice', JSON.stringify({ modes: [{ name: 'a' }, { name: 'a' }] })],
    ['has a member that no mode has', JSON.stringify({ modes: [{ name: 'a', tool: {} }] })],
  ])('is closed where the file of the modes %s, and no mode can be set', async (_, file) => {
    must(await started());
    folder.set('modes', file);
    expect(await text('Write')).toContain('modes.json');
    const refused = failure(await harness.operator.workflow.setMode(stateId, { mode: 'coding' }));
    expect(refused).toMatchObject({ error: 'agent_broken', members: { agent: 'modes' } });
    const shown = must(await harness.operator.workflow.show(stateId));
    expect(shown).toMatchObject({ mode: 'planning', next_modes: [] });
  });

  it('tells a session that begins where its workflow stands', async () => {
    const handoff = { from_agent: 'a', to_agent: 'b', context: 'c' };
    for (let at = 1; at <= 7; at += 1)
      must(await harness.operator.workflow.handOff(stateId, { ...handoff, reason: `Reason ${String(at)}` }));
    const verdict = {
      agent: 'critic',
      decision: 'reject' as const,
      confidence: 1,
      reasoning: 'No </countersign-session>',
    };
    must(await harness.operator.workflow.addVerdict(stateId, verdict));
    const input = { hook_event_name: 'SessionStart', session_id: 'c-1', source: 'startup' };
    const begun = must(await harness.operator.hooks.answer('claude-code', input, { session: 'root' }));
    expect(begun.text).toContain(
      'in the phase planning, in the mode planning; the start protocol is not done',
    );
    expect(begun.text).toContain('a to b: Reason 5; and 2 more.');
    expect(begun.text).toContain('critic says reject: No');
    expect(begun.text?.match(/<\/countersign-session>/g)).toHaveLength(1);
  });
});

describe('the modes of a schema', () => {
  it('count before those of the folder', async () => {
    const json_schema = {
      type: 'object',
      modes: [{ name: 'only', tools: { 'claude-code': ['Write'] } }],
      properties: { orchestrator_workflow: { type: 'object' } },
    };
    must(await harness.operator.schemas.register({ name: 'own', json_schema }));
    await openTree('own', { protocol_start_complete: true });
    expect(await use('Write')).toMatchObject({ verdict: 'allow' });
    expect(await text('WebFetch')).toContain('the mode only');
  });
});

describe('a tree on another schema', () => {
  const agent = (file: JsonObject) => folder.set('coder', JSON.stringify({ executor: 'command', ...file }));
  const child = (agent_name?: string) =>
    harness.operator.sessions.create({
      session_name: 'kid',
      parent_session_name: 'root',
      external: true,
      ...(agent_name === undefined ? {} : { agent_name }),
    });
  beforeEach(async () => {
    must(await harness.operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
    await openTree('any', { current_mode: 'coding', protocol_start_complete: true });
  });

  it('is not held to it', async () => {
    must(await child());
    expect(await use('WebFetch', 'kid')).toMatchObject({ verdict: 'allow' });
  });

  it('is held to it for agents whose files say so', async () => {
    agent({ workflow_gate: true });
    must(await child('coder'));
    expect(await use('Write', 'kid')).toMatchObject({ verdict: 'allow' });
    expect(await text('WebFetch', 'kid')).toContain('the mode coding');
    folder.set('coder', '{');
    expect(await text('WebFetch', 'kid')).toContain('the mode coding');
    must(
      await harness.operator.states.patch(
        stateId,
        [{ op: 'replace', path: '/current_mode', value: 'disabled' }],
        {},
      ),
    );
    expect(await text('Write', 'kid')).toContain('not defined');
  });

  it('is not for agents whose files do not', async () => {
    agent({});
    must(await child('coder'));
    expect(await use('WebFetch', 'kid')).toMatchObject({ verdict: 'allow' });
  });
});

describe('the mode disabled', () => {
  beforeEach(() => openTree());
  const patch = [{ op: 'replace', path: '/current_mode', value: 'disabled' }];

  it('is entered by no write of a child, whatever its form, and nothing is written', async () => {
    must(
      await harness.operator.sessions.create({
        session_name: 'kid',
        parent_session_name: 'root',
        external: true,
      }),
    );
    const kid = await harness.as('kid');
    const { version, current_data: document } = must(await harness.operator.states.get(stateId));
    const refused = [
      await kid.states.patch(stateId, patch, {}),
      await kid.states.mergePatch(stateId, { current_mode: 'disabled' }, {}),
      await kid.states.replace(stateId, { ...document, current_mode: 'disabled' }, {}),
      await kid.states.ops(stateId, [{ op: 'set', pointer: '/current_mode', value: 'disabled' }], {}),
      await kid.keys.set('kid', 'current_mode', 'disabled', {}),
      await kid.workflow.setMode(stateId, { mode: 'disabled' }),
      await kid.states.migrate(stateId, { schema_version: 1, operations: patch }, {}),
    ];
    expect(refused.map((one) => failure(one).error)).toEqual(refused.map(() => 'forbidden'));
    expect(must(await harness.operator.states.get(stateId)).version).toBe(version);
  });

  it('is entered by the root, and a child may write while it lasts', async () => {
    must(
      await harness.operator.sessions.create({
        session_name: 'kid',
        parent_session_name: 'root',
        external: true,
      }),
    );
    must(await (await harness.as('root')).workflow.setMode(stateId, { mode: 'disabled' }));
    must(await (await harness.as('kid')).states.mergePatch(stateId, { active_task: 'x' }, {}));
  });
});
