// Sessions that no runner started, held to the rule by their hooks: the built program as their client runs it, and HTTP.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { builtProgram } from '../../support/built-program.js';
import { eventually, STORY_MS_MAX } from '../../support/eventually.js';
import { runHook } from '../../support/hook.js';
import { openRelay } from '../../support/relay.js';
import { must, Stage } from '../../support/stage.js';

describe('hooks', { timeout: STORY_MS_MAX }, () => {
  let stage: Stage;
  let count = 0;
  let parent = '';
  let child = '';
  let stateId = '';
  beforeAll(async () => {
    stage = await Stage.open({ runner: null });
    must(await stage.operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
  });
  afterAll(async () => {
    const doctor = await stage.command('doctor');
    await stage.close();
    expect(doctor).toMatchObject({ code: 0, stdout: 'All is well.\n' });
  });
  beforeEach(() => family());
  /** @param timeoutMs - Of each request to the child; by default longer than any test. */
  async function family(timeoutMs: number = STORY_MS_MAX): Promise<void> {
    count += 1;
    parent = `parent-${String(count)}`;
    child = `child-${String(count)}`;
    must(await stage.operator.sessions.create({ session_name: parent, external: true }));
    const state = await stage.as(parent).states.create({ schema_name: 'any', initial_data: {} });
    stateId = must(state).state_id;
    must(
      await stage.as(parent).sessions.create({
        session_name: child,
        external: true,
        callback: true,
        completion: {
          contract: { pointer: '/result', schema: { type: 'integer' } },
          max_attempts: 3,
          timeout_ms: timeoutMs,
        },
      }),
    );
  }

  const input = (event: string, more: object = {}) => ({
    session_id: `cli-${String(count)}`,
    transcript_path: '/tmp/t.jsonl',
    cwd: stage.dir,
    permission_mode: 'default',
    hook_event_name: event,
    ...more,
  });
  const stopInput = (active: boolean, more: object = {}) =>
    input('Stop', { stop_hook_active: active, ...more });
  const hook = (args: readonly string[], body: unknown, env: Record<string, string> = {}) =>
    runHook([...args, '--client', 'claude-code'], body, {
      COUNTERSIGN_URL: stage.url,
      XDG_STATE_HOME: stage.dir,
      ...env,
    });
  const asChild = () => ({ AGENT_SESSION_NAME: child });
  const completion = async () => must(await stage.operator.sessions.completion(child));

  it('register a session by hand, and give its commands who they speak for', async () => {
    const file = join(stage.dir, `env-${String(count)}.sh`);
    const env = { CLAUDE_ENV_FILE: file };
    const begun = await hook(['session-start'], input('SessionStart', { source: 'startup' }), env);
    expect(begun).toMatchObject({ code: 0, stderr: '' });
    expect(begun.answer.hookSpecificOutput.additionalContext).toContain('<countersign-session');
    await hook(['session-start'], input('SessionStart', { source: 'resume' }), env);
    const id = `ses_claude-code-cli-${String(count)}`;
    expect(must(await stage.operator.sessions.get(id))).toMatchObject({ external: true, status: 'running' });
    expect(readFileSync(file, 'utf8')).toContain(`export AGENT_SESSION_ID='${id}'\n`);
  });

  it('let a session without a name start children as the plugin’s skill says', async () => {
    const file = join(stage.dir, `skill-env-${String(count)}.sh`);
    const env = { CLAUDE_ENV_FILE: file };
    await hook(['session-start'], input('SessionStart', { source: 'startup' }), env);
    const root = `ses_claude-code-cli-${String(count)}`;
    must(await stage.operator.states.create({ schema_name: 'any', initial_data: {}, root_session_id: root }));
    const skill = readFileSync('docs/integrations/claude-code/skills/workflow-state/SKILL.md', 'utf8');
    const [, command = ''] = /`(countersign session start [^`]+)`/.exec(skill.replaceAll(/\s+/g, ' ')) ?? [];
    const bin = join(dirname(await builtProgram()), '../bin');
    await promisify(execFile)('sh', ['-c', `. '${file}' && ${command}`], {
      env: { PATH: [bin, process.env['PATH']].join(':') },
    });
    expect(must(await stage.operator.sessions.get('api'))).toMatchObject({
      parent_session_id: root,
      callback: true,
    });
    must(await stage.operator.sessions.stop('api'));
  });

  it('do not bind a client that is started from within a session', async () => {
    const file = join(stage.dir, `nested-env-${String(count)}.sh`);
    const env = { ...asChild(), CLAUDE_ENV_FILE: file };
    await hook(['session-start'], input('SessionStart', { source: 'startup' }), env);
    const [, within = ''] = /COUNTERSIGN_CLIENT_SESSION='([^']+)'/.exec(readFileSync(file, 'utf8')) ?? [];
    expect(within).toBe(`cli-${String(count)}`);
    must(await stage.operator.sessions.skip(child, { reason: 'not needed' }));
    await hook(['stop'], stopInput(false), asChild());
    const nested = { session_id: 'nested' };
    const inherited = { ...asChild(), COUNTERSIGN_CLIENT_SESSION: within };
    const fromCodex = { ...asChild(), CODEX_THREAD_ID: within };
    for (const [source, environment] of [
      ['startup', inherited],
      ['resume', inherited],
      ['startup', fromCodex],
    ] as const) {
      const begun = await hook(['session-start'], input('SessionStart', { ...nested, source }), environment);
      expect(begun.answer.hookSpecificOutput.additionalContext).toContain('NOT bound');
    }
    const stopped = await hook(['stop'], stopInput(false, nested), inherited);
    expect(stopped.answer).toEqual({ systemMessage: expect.stringContaining('may stop') });
    expect(must(await stage.operator.sessions.get(child))).toMatchObject({ executor_session_id: within });
  });

  it('bind a client that is started anew where the one before was killed at work', async () => {
    const env = { ...asChild(), CLAUDE_ENV_FILE: join(stage.dir, `anew-env-${String(count)}.sh`) };
    await hook(['session-start'], input('SessionStart', { source: 'startup' }), env);
    const anew = { session_id: `anew-${String(count)}` };
    const begun = await hook(['session-start'], input('SessionStart', { ...anew, source: 'startup' }), env);
    expect(begun.answer.hookSpecificOutput.additionalContext).not.toContain('NOT bound');
    expect(must(await stage.operator.sessions.get(child))).toMatchObject({
      executor_session_id: anew.session_id,
      status: 'running',
    });
    expect((await hook(['stop'], stopInput(false), asChild())).answer).toEqual({
      systemMessage: expect.stringContaining('may stop'),
    });
    expect((await hook(['stop'], stopInput(false, anew), asChild())).answer).toMatchObject({
      decision: 'block',
    });
  });

  it('refuse to end until the child has written, and tell its parent then', async () => {
    await hook(['session-start'], input('SessionStart', { source: 'startup' }), asChild());
    const first = await hook(['stop'], stopInput(false, { last_assistant_message: 'the work' }), asChild());
    expect(first.answer).toMatchObject({
      decision: 'block',
      reason: expect.stringContaining('<state-update-request attempt="1" of="3"'),
    });
    must(await stage.as(child).states.patch(stateId, [{ op: 'add', path: '/result', value: 'no' }], {}));
    const second = await hook(['stop'], stopInput(true), asChild());
    expect(second.answer.reason).toContain('<state-update-request attempt="2" of="3"');
    expect(second.answer.reason).toContain('/result');
    must(await stage.as(child).states.patch(stateId, [{ op: 'add', path: '/result', value: 7 }], {}));
    expect(await hook(['stop'], stopInput(true), asChild())).toEqual({ code: 0, stderr: '', answer: {} });
    expect(await completion()).toMatchObject({ state_update_status: 'completed' });
    const result = await hook(['stop'], stopInput(false), { AGENT_SESSION_NAME: parent });
    expect(result.answer).toMatchObject({ decision: 'block', reason: expect.stringContaining('the work') });
    expect(result.answer.reason).toContain(`<agent-callback child="${child}"`);
  });

  it('let go at the client’s cap; the coordinator decides independently of this', async () => {
    await family(4000);
    const env = { ...asChild(), CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '1' };
    expect((await hook(['stop'], stopInput(false), env)).answer.decision).toBe('block');
    const last = await hook(['stop'], stopInput(true), env);
    expect(last.answer).toEqual({ systemMessage: expect.stringContaining('no more refusals') });
    const ended = await eventually('nobody answers the requests any more', async () => {
      const now = await completion();
      return now.state_update_status === 'failed' && now;
    });
    expect(ended.attempts.map((one) => one.outcome)).toEqual(['no_write', 'timed_out', 'timed_out']);
  });

  it('make a parent wait for its callbacks, over a restart of the coordinator', async () => {
    const relay = await openRelay(stage.port);
    const asked = { AGENT_SESSION_NAME: parent, COUNTERSIGN_URL: relay.url };
    const waiting = hook(['stop', '--wait', '30s'], stopInput(false), asked);
    await eventually('the hook has been heard', () =>
      Promise.resolve(relay.sent().includes('"hook_event_name":"Stop"')),
    );
    must(await stage.as(child).sessions.report(child, { type: 'session_stop', result_text: 'found it' }));
    await stage.coordinator.end('SIGKILL');
    await stage.startCoordinator();
    must(await stage.as(child).states.patch(stateId, [{ op: 'add', path: '/result', value: 1 }], {}));
    const found = await waiting;
    expect(relay.sent().match(/POST \/hooks/g)?.length).toBeGreaterThan(1);
    await relay.close();
    expect(found.answer).toMatchObject({ decision: 'block', reason: expect.stringContaining('found it') });
    const again = await hook(['stop'], stopInput(true), { AGENT_SESSION_NAME: parent });
    expect(again.answer).toEqual({});
    const callbacks = must(await stage.operator.callbacks.list({ root_session: parent })).items;
    expect(callbacks.map(({ status }) => status)).toEqual(['acknowledged']);
  });

  it('hand callbacks over again where the answer to a stop was lost', async () => {
    must(await stage.as(child).sessions.report(child, { type: 'session_stop', result_text: 'found it' }));
    must(await stage.as(child).states.patch(stateId, [{ op: 'add', path: '/result', value: 1 }], {}));
    const asParent = { AGENT_SESSION_NAME: parent };
    const lost = await hook(['stop', '--wait', '30s'], stopInput(false), asParent);
    const hookResult = await hook(['stop'], stopInput(false), asParent);
    expect(hookResult).toEqual(lost);
    expect(hookResult.answer.reason).toMatch(/<agent-callback .* callback="cb_/);
    expect((await hook(['stop'], stopInput(true), asParent)).answer).toEqual({});
    expect((await hook(['stop'], stopInput(false), asParent)).answer).toEqual({});
  });

  it('let a parent go when the wait is over, and keep its callbacks', async () => {
    const ended = await hook(['stop', '--wait', '50ms'], stopInput(false), { AGENT_SESSION_NAME: parent });
    expect(ended.answer).toEqual({ systemMessage: expect.stringContaining('still at work') });
  });

  it('close the gate where the coordinator is away, and open it where the state can be read', async () => {
    const tool = (name: string) => input('PreToolUse', { tool_name: name, tool_input: {}, tool_use_id: 't' });
    expect((await hook(['pre-tool-use'], tool('Write'), asChild())).answer).toEqual({});
    const nobody = { ...asChild(), COUNTERSIGN_URL: 'http://127.0.0.1:1' };
    const denied = await hook(['pre-tool-use'], tool('Write'), nobody);
    expect(denied.code).toBe(0);
    expect(denied.answer.hookSpecificOutput).toMatchObject({
      permissionDecision: 'deny',
      permissionDecisionReason: expect.stringContaining('countersign serve'),
    });
    expect((await hook(['pre-tool-use'], tool('Read'), nobody)).answer).toEqual({});
    const stopped = await hook(['stop', '--wait', '0s'], stopInput(false), nobody);
    expect(stopped).toMatchObject({ code: 0, answer: { systemMessage: expect.any(String) } });
  });

  it('are answered over HTTP in the same words, and bad input changes nothing', async () => {
    const post = async (path: string, body: unknown) => {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: text };
      const response = await fetch(`${stage.url}${path}`, init);
      return { status: response.status, body: (await response.json()) as any };
    };
    const before = must(await stage.operator.sessions.list({})).items;
    for (const [body, status] of [
      ['{', 400],
      [{}, 422],
      [input('Stop', { session_id: 7 }), 422],
      [input('Notification'), 422],
      [stopInput(false), 404],
    ] as const) {
      const refused = await post('/hooks/claude-code', body);
      expect(refused.status).toBe(status);
      expect(refused.body.error).toBeTruthy();
    }
    expect(must(await stage.operator.sessions.list({})).items).toEqual(before);
    const first = await post(`/hooks/claude-code?session=${child}`, stopInput(false));
    expect(first).toMatchObject({ status: 200, body: { decision: 'block' } });
    expect(first.body.reason).toContain((await completion()).request!.prompt);
    expect(first.body.reason).toContain(`COUNTERSIGN_URL='${stage.url}'`);
    const gemini = input('AfterAgent', { prompt_response: 'x', stop_hook_active: true });
    const second = await post(`/hooks/gemini?session=${child}`, gemini);
    expect(second.body).toMatchObject({ decision: 'deny', reason: expect.stringContaining('attempt="2"') });
  });
});
