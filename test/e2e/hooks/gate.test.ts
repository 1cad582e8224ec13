// The gate as Claude Code and Codex call it: the built program, before each tool, in trees whose workflow says what may be
// done.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { STORY_MS_MAX } from '../../support/eventually.js';
import { runHook } from '../../support/hook.js';
import { must, Stage } from '../../support/stage.js';

const MODES = {
  modes: [
    { name: 'planning', next: ['coding'], tools: { 'claude-code': ['WebFetch'], codex: ['web_search'] } },
    { name: 'coding', tools: { 'claude-code': ['Write'], codex: ['apply_patch'] } },
  ],
};

const CLIENTS = [
  { client: 'claude-code', write: 'Write', read: 'Read' },
  { client: 'codex', write: 'apply_patch', read: 'view_image' },
] as const;

describe.each(CLIENTS)('the gate of $client', { timeout: STORY_MS_MAX }, ({ client, write, read }) => {
  let stage: Stage;
  let flags: readonly string[];
  let count = 0;
  let root = '';
  let stateId = '';
  beforeAll(async () => {
    stage = await Stage.open({ runner: null });
    const agents = join(stage.dir, 'named-agents');
    mkdirSync(agents);
    writeFileSync(join(agents, 'modes.json'), JSON.stringify(MODES));
    flags = ['--agents', agents];
    await stage.coordinator.end('SIGTERM');
    await stage.startCoordinator(flags);
  });
  afterAll(() => stage.close());
  beforeEach(async () => {
    count += 1;
    root = `root-${String(count)}`;
    must(await stage.operator.sessions.create({ session_name: root, external: true }));
  });

  async function openState() {
    const body = { schema_name: 'orchestrator-workflow', initial_data: {}, root_session_name: root };
    stateId = must(await stage.operator.states.create(body)).state_id;
  }
  /** Records what shows the start protocol, with the command that the gate names. */
  const start = async () => {
    const args = ['--protocol', 'start', '--item', 'context=README.md read', '--complete'];
    expect(await stage.command('workflow', 'evidence', stateId, ...args)).toMatchObject({ code: 0 });
  };
  const use = (tool_name: string, session = root, tool_input: object = {}) =>
    runHook(
      ['pre-tool-use', '--client', client],
      {
        session_id: `c-${String(count)}`,
        transcript_path: '/tmp/t.jsonl',
        cwd: stage.dir,
        hook_event_name: 'PreToolUse',
        tool_name,
        tool_input,
      },
      { COUNTERSIGN_URL: stage.url, AGENT_SESSION_NAME: session },
    );
  async function isDenied(words: RegExp, session = root) {
    const { code, answer } = await use(write, session);
    expect(code).toBe(0);
    expect(answer.hookSpecificOutput).toMatchObject({ permissionDecision: 'deny' });
    expect(answer.hookSpecificOutput.permissionDecisionReason).toMatch(words);
    expect(await use(read, session)).toMatchObject({ code: 0, answer: {} });
  }
  const isAllowed = async () => expect(await use(write)).toMatchObject({ code: 0, answer: {} });

  it('is closed for a session that is not known', () => isDenied(/not registered/, 'nobody'));

  it('is closed for a session that was stopped', async () => {
    await openState();
    must(await stage.operator.sessions.stop(root));
    await isDenied(/was stopped by an operator/);
  });

  it('is closed without a state, and while the coordinator is away', async () => {
    await isDenied(/has no workflow state/);
    await stage.coordinator.end('SIGTERM');
    await isDenied(/did not say whether it may be used/);
    await stage.startCoordinator(flags);
  });

  it('is closed until the start protocol is done, which its own tools may do', async () => {
    await openState();
    await isDenied(/start protocol .* is not done.*countersign workflow evidence/s);
    const command = 'countersign workflow evidence --protocol start --item "context=read" --complete';
    expect(await use('Bash', root, { command })).toMatchObject({ code: 0, answer: {} });
    expect(await use('mcp__countersign__workflow_record')).toMatchObject({ code: 0, answer: {} });
  });

  it('is closed for a tool that the mode does not have, and open in the mode that has it', async () => {
    await openState();
    await start();
    await isDenied(/the mode planning .* does not have it.*\(coding\)/s);
    expect(await stage.command('workflow', 'mode', stateId, '--set', 'coding')).toMatchObject({ code: 0 });
    await isAllowed();
  });

  it('is open in the mode disabled, which no child enters', async () => {
    await openState();
    must(
      await stage.operator.sessions.create({
        session_name: `${root}-child`,
        parent_session_name: root,
        external: true,
      }),
    );
    const refused = await stage.as(`${root}-child`).workflow.setMode(stateId, { mode: 'disabled' });
    expect(refused).toMatchObject({ ok: false, failure: { error: 'forbidden' } });
    await isDenied(/start protocol/);
    must(await stage.as(root).workflow.setMode(stateId, { mode: 'disabled', reason: 'Urgent.' }));
    await isAllowed();
  });

  it('is closed where the history does not hold', async () => {
    await openState();
    await start();
    await stage.coordinator.end('SIGTERM');
    const edited = await stage.edit(
      `update state_events set patch = replace(patch, 'README.md', 'nothing')
        where state_key = (select seq from workflow_states where state_id = '${stateId}')`,
    );
    expect(edited).toBeGreaterThan(0);
    await stage.startCoordinator(flags);
    await isDenied(/fails verification.*countersign verify/s);
  });
});
