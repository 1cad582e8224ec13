import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentClientName } from '../../../src/agent-clients/index.js';
import type { JsonObject } from '../../../src/domain/json/json.js';
import type { HookOptions } from '../../../src/ports/hook-service.js';
import { must, openHarness, PlayedRunner, failure, type Harness } from '../harness.js';

const START = { hook_event_name: 'SessionStart', session_id: 'c-1', cwd: '/work', source: 'startup' };
const STOP = { hook_event_name: 'Stop', session_id: 'c-1', stop_hook_active: false };
const BOUND = 'ses_claude-code-c-1';

let harness: Harness;
beforeEach(async () => {
  harness = await openHarness();
  must(await harness.operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
});
afterEach(async () => {
  expect(must(await harness.operator.operations.doctor()).findings).toEqual([]);
  await harness.close();
});

const hook = async (input: JsonObject, options: HookOptions = {}, client: AgentClientName = 'claude-code') =>
  must(await harness.operator.hooks.answer(client, input, options));
const again = { ...STOP, stop_hook_active: true };
const session = async (name: string) => must(await harness.operator.sessions.get(name));
const completion = async (name: string) => must(await harness.operator.sessions.completion(name));

/** A tree with a state, and an external child of it with a contract, told apart by the name `kid`. */
async function aTree(maxAttempts = 3): Promise<string> {
  must(await harness.operator.sessions.create({ session_name: 'root', external: true }));
  const root = await harness.as('root');
  const state = must(await root.states.create({ schema_name: 'any', initial_data: {} }));
  must(
    await root.sessions.create({
      session_name: 'kid',
      external: true,
      callback: true,
      completion: { contract: { pointer: '/kid', schema: { type: 'integer' } }, max_attempts: maxAttempts },
    }),
  );
  return state.state_id;
}

const writes = async (stateId: string, value: number) =>
  must(await (await harness.as('kid')).states.patch(stateId, [{ op: 'add', path: '/kid', value }], {}));

describe('session-start', () => {
  it('registers an external root that is bound to the client’s session', async () => {
    const begun = await hook(START, { url: 'http://127.0.0.1:9' });
    expect(begun).toMatchObject({
      verdict: 'begin',
      environment: {
        AGENT_SESSION_ID: BOUND,
        AGENT_SESSION_NAME: BOUND,
        AGENT_ROOT_SESSION_ID: BOUND,
        COUNTERSIGN_URL: 'http://127.0.0.1:9',
      },
    });
    expect(begun.text).toContain('<countersign-session');
    expect(begun.text).toContain('no workflow state yet');
    expect(begun.environment).not.toHaveProperty('COUNTERSIGN_TOKEN');
    expect(await session(BOUND)).toMatchObject({
      external: true,
      status: 'running',
      project_dir: '/work',
      agent_name: 'claude-code',
      executor_session_id: 'c-1',
      delivery: 'pull',
      parent_session_id: null,
    });
  });

  it('finds the same session at every start, resume and compaction', async () => {
    await hook(START);
    await hook(START);
    await hook({ ...START, source: 'resume' });
    const before = await session(BOUND);
    harness.clock.advance(1000);
    await hook({ ...START, source: 'compact' });
    expect(await session(BOUND)).toEqual(before);
    expect(must(await harness.operator.sessions.list({})).items).toHaveLength(1);
  });

  it('makes one session of starts at the same time', async () => {
    await Promise.all([hook(START), hook(START), hook(START)]);
    expect(must(await harness.operator.sessions.list({})).items).toHaveLength(1);
  });

  it('binds the client to the session that is named, and registers one of that name where there is none', async () => {
    const stateId = await aTree();
    const begun = await hook(START, { session: 'kid' });
    expect(begun.environment).toMatchObject({ AGENT_SESSION_NAME: 'kid', WORKFLOW_STATE_ID: stateId });
    expect(begun.text).toContain('a child of root');
    expect(begun.text).toContain('The value at /kid');
    expect(await session('kid')).toMatchObject({ status: 'running', executor_session_id: 'c-1' });
    await hook({ ...START, session_id: 'c-2' }, { session: 'fresh' });
    expect(await session('fresh')).toMatchObject({ external: true, executor_session_id: 'c-2' });
  });

  it('opens new work for a child whose last was told to its parent', async () => {
    const stateId = await aTree();
    await hook(START, { session: 'kid' });
    await hook(STOP, { session: 'kid' });
    await writes(stateId, 1);
    await hook(again, { session: 'kid' });
    await hook({ ...START, source: 'resume' }, { session: 'kid' });
    expect(await session('kid')).toMatchObject({ generation: 2, state_update_status: null });
  });

  it('is not asked for a token on an open loopback, and gives one where only a token says who asks', async () => {
    const closed = await openHarness({}, true);
    const result = await closed.operator.hooks.answer('codex', START);
    const token = must(result).environment?.['COUNTERSIGN_TOKEN'] ?? '';
    const actor = must(await closed.service.identify({ bearer: token, sessionId: null, sessionName: null }));
    expect(actor).toEqual({
      kind: 'session',
      sessionId: 'ses_codex-c-1',
      rootSessionId: 'ses_codex-c-1',
      runId: null,
    });
    await closed.close();
  });
});

describe('session-start where named agents are kept', () => {
  it('registers the session without taking the client for one of them', async () => {
    const files = { names: () => Promise.resolve([]), read: () => Promise.resolve(null) };
    const kept = await openHarness({}, false, {}, { files, schema: {} });
    must(await kept.operator.hooks.answer('claude-code', START));
    expect(must(await kept.operator.sessions.get(BOUND))).toMatchObject({ agent_name: null });
    await kept.close();
  });
});

describe('stop', () => {
  it('is refused until the child has written, with the prompts of its completion', async () => {
    const stateId = await aTree();
    await hook(START, { session: 'kid' });
    const first = await hook({ ...STOP, last_assistant_message: 'the work' }, { session: 'kid' });
    const request = (await completion('kid')).request!;
    expect(first.verdict).toBe('go_on');
    expect(first.text).toContain(request.prompt);
    expect(first.text).toContain(`WORKFLOW_STATE_ID='${stateId}'`);
    const second = await hook({ ...again, last_assistant_message: 'sorry' }, { session: 'kid' });
    expect(second.text).toContain('<state-update-request attempt="2" of="3"');
    expect(second.text).toContain('WARNING');
    await writes(stateId, 7);
    expect(await hook(again, { session: 'kid' })).toEqual({ verdict: 'end', text: null });
    expect(await completion('kid')).toMatchObject({ state_update_status: 'completed' });
    expect(must(await harness.operator.sessions.result('kid')).result_text).toBe('the work');
  });

  it('lets go when the attempts are used up, and says what came of it', async () => {
    await aTree(2);
    expect((await hook(STOP, { session: 'kid' })).verdict).toBe('go_on');
    expect((await hook(again, { session: 'kid' })).verdict).toBe('go_on');
    const last = await hook(again, { session: 'kid' });
    expect(last.verdict).toBe('end');
    expect(last.text).toContain('state update failed');
    expect(await completion('kid')).toMatchObject({ state_update_status: 'failed' });
  });

  it('lets go at the client’s cap, and the verdict is the coordinator’s', async () => {
    await aTree(5);
    for (const input of [STOP, again]) {
      expect((await hook(input, { session: 'kid', refusalsMax: 2 })).verdict).toBe('go_on');
    }
    const last = await hook(again, { session: 'kid', refusalsMax: 2 });
    expect(last.verdict).toBe('end');
    expect(last.text).toContain('takes no more refusals in a row');
    expect(await completion('kid')).toMatchObject({ state_update_status: 'pending', attempt: 3 });
    for (let passed = 0; passed < 3; passed += 1) await harness.pass(120_000);
    expect(await completion('kid')).toMatchObject({ state_update_status: 'failed' });
  });

  it('counts refusals anew in each turn', async () => {
    await aTree(5);
    expect((await hook(STOP, { session: 'kid', refusalsMax: 1 })).verdict).toBe('go_on');
    expect((await hook(again, { session: 'kid', refusalsMax: 1 })).verdict).toBe('end');
    expect((await hook(STOP, { session: 'kid', refusalsMax: 1 })).verdict).toBe('go_on');
  });

  it('with work in the background is not the end', async () => {
    await aTree();
    const before = harness.dump();
    const input = { ...STOP, background_tasks: [{ id: 'b1', type: 'subagent', status: 'running' }] };
    expect(await hook(input, { session: 'kid' })).toEqual({ verdict: 'end', text: null });
    expect(harness.dump()).toBe(before);
  });

  it('of a client’s session that lost its place is no end of the session', async () => {
    await aTree();
    await hook(START, { session: 'kid' });
    const before = harness.dump();
    const other = await hook({ ...STOP, session_id: 'c-2' }, { session: 'kid' });
    expect(other).toMatchObject({ verdict: 'end', text: expect.stringContaining('may stop') });
    expect(harness.dump()).toBe(before);
  });

  it('of a session that was stopped is let be', async () => {
    await aTree();
    must(await harness.operator.sessions.stop('kid'));
    const before = harness.dump();
    expect(await hook(STOP, { session: 'kid' })).toEqual({ verdict: 'end', text: null });
    expect(harness.dump()).toBe(before);
  });

  it('of a root without children is the end', async () => {
    await hook(START);
    expect(await hook(STOP, { waitMs: 60_000 })).toEqual({ verdict: 'end', text: null });
    expect(await session(BOUND)).toMatchObject({ status: 'finished' });
  });
});

describe('stop of a parent', () => {
  it('hands over the callbacks that are due, and acknowledges them when the agent comes back', async () => {
    const stateId = await aTree();
    must(await (await harness.as('kid')).sessions.report('kid', { type: 'session_stop' }));
    await writes(stateId, 1);
    await harness.pass(1);
    const answer = await hook(STOP, { session: 'root' });
    expect(answer.verdict).toBe('go_on');
    expect(answer.text).toContain('<agent-callback child="kid"');
    const statuses = async () =>
      must(await harness.operator.callbacks.list({})).items.map(({ status }) => status);
    expect(await statuses()).toEqual(['delivered']);
    expect(await hook(again, { session: 'root' })).toEqual({ verdict: 'end', text: null });
    expect(await statuses()).toEqual(['acknowledged']);
  });

  it('waits for a callback that comes', async () => {
    const stateId = await aTree();
    must(await (await harness.as('kid')).sessions.report('kid', { type: 'session_stop' }));
    const waiting = hook(STOP, { session: 'root', waitMs: 60_000 });
    await writes(stateId, 1);
    expect((await waiting).text).toContain('<agent-callback child="kid"');
  });

  it('notes nothing when the wait is over, and ends when it is asked about without one', async () => {
    await aTree();
    const before = harness.dump();
    const waiting = { over: false };
    const asked = hook(STOP, { session: 'root', waitMs: 1 }).finally(() => (waiting.over = true));
    while (!waiting.over) await harness.pass(5);
    expect(await asked).toEqual({ verdict: 'waiting', text: null });
    expect(harness.dump()).toBe(before);
    const ended = await hook(STOP, { session: 'root', waitMs: 0 });
    expect(ended).toMatchObject({ verdict: 'end', text: expect.stringContaining('still at work') });
    expect(await session('root')).toMatchObject({ status: 'finished' });
  });

  it('notes nothing when the client has gone away', async () => {
    await aTree();
    const before = harness.dump();
    const gone = AbortSignal.abort();
    expect((await hook(STOP, { session: 'root', waitMs: 60_000, signal: gone })).verdict).toBe('waiting');
    expect(harness.dump()).toBe(before);
  });

  it('leaves callbacks where they are at the client’s cap', async () => {
    const stateId = await aTree();
    must(await (await harness.as('kid')).sessions.report('kid', { type: 'session_stop' }));
    await writes(stateId, 1);
    await harness.pass(1);
    const capped = { session: 'root', refusalsMax: 1 };
    must(
      await (
        await harness.as('root')
      ).sessions.create({ session_name: 'kid-2', external: true, callback: true }),
    );
    expect((await hook(STOP, capped)).verdict).toBe('go_on');
    must(await (await harness.as('kid-2')).sessions.report('kid-2', { type: 'session_stop' }));
    must(
      await (await harness.as('kid-2')).states.patch(stateId, [{ op: 'add', path: '/two', value: 2 }], {}),
    );
    await harness.pass(1);
    const last = await hook(again, capped);
    expect(last).toMatchObject({ verdict: 'end', text: expect.stringContaining('Callbacks wait for it') });
    expect((await hook(STOP, capped)).text).toContain('<agent-callback child="kid-2"');
  });

  it('that is a child itself is not asked for its result before it has its callbacks', async () => {
    const stateId = await aTree();
    const kid = await harness.as('kid');
    must(await kid.sessions.create({ session_name: 'grandkid', external: true, callback: true }));
    expect((await hook(STOP, { session: 'kid', waitMs: 1, signal: AbortSignal.abort() })).verdict).toBe(
      'waiting',
    );
    must(await (await harness.as('grandkid')).sessions.report('grandkid', { type: 'session_stop' }));
    const grandkid = await harness.as('grandkid');
    must(await grandkid.states.patch(stateId, [{ op: 'add', path: '/g', value: 1 }], {}));
    await harness.pass(1);
    expect((await hook(STOP, { session: 'kid' })).text).toContain('<agent-callback child="grandkid"');
    expect(await completion('kid')).toMatchObject({ state_update_status: null, attempt: 0 });
    expect((await hook(again, { session: 'kid' })).text).toContain('<state-update-request attempt="1"');
  });

  it('that goes on with callbacks is at work, also where an operator has skipped its state update', async () => {
    await aTree();
    const kid = await harness.as('kid');
    must(
      await kid.sessions.create({
        session_name: 'grandkid',
        external: true,
        callback: true,
        completion: { mode: 'never' },
      }),
    );
    await hook(STOP, { session: 'kid', waitMs: 1, signal: AbortSignal.abort() });
    must(await kid.sessions.report('kid', { type: 'session_stop' }));
    must(await harness.operator.sessions.skip('kid', { reason: 'not needed' }));
    must(await (await harness.as('grandkid')).sessions.report('grandkid', { type: 'session_stop' }));
    expect((await hook(STOP, { session: 'kid' })).text).toContain('<agent-callback child="grandkid"');
    const ofKid = async () => must(await harness.operator.callbacks.list({ child_session: 'kid' })).items[0];
    expect(await ofKid()).toMatchObject({ status: 'held' });
    await hook(again, { session: 'kid' });
    expect(await ofKid()).toMatchObject({ status: 'queued', outcome: 'completed' });
  });
});

describe('stop of a session that a runner runs', () => {
  it('is refused once in an update run, with the next stronger prompt, and nothing is noted', async () => {
    const runner = await PlayedRunner.register(harness);
    must(await harness.operator.sessions.create({ session_name: 'root', external: true }));
    const root = await harness.as('root');
    must(await root.states.create({ schema_name: 'any', initial_data: {} }));
    must(
      await root.runs.create({
        type: 'start_session',
        session_name: 'worker',
        prompt: 'work',
        callback: true,
      }),
    );
    const work = await runner.take('worker');
    const worker = await harness.as('worker');
    const stop = async (input: JsonObject) => must(await worker.hooks.answer('claude-code', input));
    expect(await stop(STOP)).toEqual({ verdict: 'end', text: null });
    await runner.complete(work);
    const update = await runner.take('worker');
    expect(update.prompt).toContain('<state-update-request attempt="1"');
    const before = harness.dump();
    const refused = await stop(STOP);
    expect(refused).toMatchObject({ verdict: 'go_on', text: expect.stringContaining('WARNING') });
    expect(await stop(again)).toEqual({ verdict: 'end', text: null });
    expect(harness.dump()).toBe(before);
    await runner.complete(update);
  });
});

describe('awaited', () => {
  it('names the children that are at work, and nobody else; writes nothing', async () => {
    const stateId = await aTree();
    await hook(START, { session: 'root' });
    await hook(START, { session: 'kid' });
    const awaited = () => hook(STOP, { session: 'root', awaited: true, waitMs: 5000 });
    const before = harness.dump();
    expect(await awaited()).toEqual({
      verdict: 'end',
      text: expect.stringMatching(/waits for its children .* At work: kid\.$/) as string,
    });
    expect(await hook(STOP, { session: 'kid', awaited: true })).toEqual({ verdict: 'end', text: null });
    expect(harness.dump()).toBe(before);
    await hook(STOP, { session: 'kid' });
    await writes(stateId, 1);
    await harness.pass(1);
    // What is due is handed over by the stop itself.
    expect(await awaited()).toEqual({ verdict: 'end', text: null });
  });
});

describe('subagent-stop', () => {
  const input = { ...STOP, hook_event_name: 'SubagentStop', agent_id: 'a-1', agent_type: 'reviewer' };

  it('lets sub-agents go that do not count as children', async () => {
    await aTree();
    const before = harness.dump();
    expect(await hook(input, { session: 'root' })).toEqual({ verdict: 'end', text: null });
    expect(await hook(input, { session: 'root', agents: ['tester'] })).toEqual({
      verdict: 'end',
      text: null,
    });
    expect(harness.dump()).toBe(before);
  });

  it('holds the others to the rule as children of the session', async () => {
    const stateId = await aTree();
    const options = { session: 'root', agents: ['reviewer'] };
    const first = await hook(input, options);
    expect(first.verdict).toBe('go_on');
    expect(first.text).toContain('<state-update-request attempt="1"');
    const [, child = ''] = /AGENT_SESSION_ID='([^']+)'/.exec(first.text ?? '') ?? [];
    expect(await session(child)).toMatchObject({ parent_session_name: 'root', agent_name: 'reviewer' });
    must(await (await harness.as(child)).states.patch(stateId, [{ op: 'add', path: '/r', value: 1 }], {}));
    expect(await hook({ ...input, stop_hook_active: true }, options)).toEqual({ verdict: 'end', text: null });
    expect(await completion(child)).toMatchObject({ state_update_status: 'completed' });
  });

  it('offers them commands alone: a tool would write as the session that they work for', async () => {
    await aTree();
    const options = { session: 'root', agents: ['reviewer'] };
    const prompts = [await hook(input, options)];
    for (let attempt = 2; attempt <= 3; attempt += 1) {
      prompts.push(await hook({ ...input, stop_hook_active: true }, options));
    }
    for (const { text } of prompts) {
      expect(text).toContain('countersign state patch');
      expect(text).toContain('Do not use the MCP tools to write');
      expect(text).not.toContain('state_patch');
    }
    // Others have the tool, as before.
    await hook(START, { session: 'kid' });
    expect((await hook(STOP, { session: 'kid' })).text).toContain('the MCP tool state_patch');
  });

  it('counts what they write for the session that they work for, too', async () => {
    const stateId = await aTree();
    await hook(START, { session: 'kid' });
    const first = await hook(input, { session: 'kid', agents: ['reviewer'] });
    const [, agent = ''] = /AGENT_SESSION_ID='([^']+)'/.exec(first.text ?? '') ?? [];
    const put = [{ op: 'add' as const, path: '/kid', value: 1 }];
    must(await (await harness.as(agent)).states.patch(stateId, put, {}));
    await hook({ ...input, stop_hook_active: true }, { session: 'kid', agents: ['reviewer'] });
    expect(await completion(agent)).toMatchObject({ state_update_status: 'completed' });
    expect((await hook(STOP, { session: 'kid' })).verdict).toBe('go_on');
    // Its result stands there already: to put it once more is enough.
    must(await (await harness.as('kid')).states.patch(stateId, put, {}));
    expect(await completion('kid')).toMatchObject({ state_update_status: 'completed' });
  });

  it('does not fail the session that they work for, where its contract holds and they fail', async () => {
    const stateId = await aTree();
    await hook(START, { session: 'kid' });
    const kid = await harness.as('kid');
    must(await kid.states.patch(stateId, [{ op: 'add', path: '/kid', value: 1 }], {}));
    expect((await hook(STOP, { session: 'kid' })).verdict).toBe('go_on');
    for (const agent_id of ['a-1', 'a-2', 'a-3']) {
      const one = { ...input, agent_id };
      for (let stops = 0; stops < 4; stops += 1) await hook(one, { session: 'root', agents: ['reviewer'] });
    }
    await harness.pass(0);
    expect(await completion('kid')).toMatchObject({ state_update_status: 'completed' });
  });

  it('lets them go where the tree has no state', async () => {
    await hook(START);
    expect(await hook(input, { agents: ['reviewer'] })).toEqual({ verdict: 'end', text: null });
    expect(must(await harness.operator.sessions.list({})).items).toHaveLength(1);
  });
});

describe('pre-tool-use', () => {
  const input = { hook_event_name: 'PreToolUse', session_id: 'c-1', tool_name: 'Write', tool_input: {} };

  it('is open where the session’s state can be read, and reads it for nobody', async () => {
    const stateId = await aTree();
    await hook(START, { session: 'kid' });
    const kid = await harness.as('kid');
    // The first heartbeat is written down; one right after it is not.
    must(await kid.hooks.answer('claude-code', input));
    const before = harness.dump();
    expect(must(await kid.hooks.answer('claude-code', input))).toEqual({ verdict: 'allow', text: null });
    expect(harness.dump()).toBe(before);
    const written = await kid.states.patch(stateId, [{ op: 'add', path: '/kid', value: 1 }], {
      baseVersion: 'last_read',
    });
    expect(failure(written).error).toBe('base_unknown');
  });

  it.each([
    ['of a session that is not known', /not registered/, () => Promise.resolve()],
    [
      'of a tree without a state',
      /has no workflow state/,
      async () => {
        await hook(START);
      },
    ],
    [
      'of a session that was stopped',
      /was stopped by an operator/,
      async () => {
        await hook(START);
        must(await harness.operator.sessions.stop(BOUND));
      },
    ],
  ])('is closed %s', async (_, words, arrange) => {
    await arrange();
    const before = harness.dump();
    const { verdict, text } = await hook(input);
    expect(verdict).toBe('deny');
    expect(text).toMatch(words);
    expect(await hook({ ...input, tool_name: 'Read' })).toEqual({ verdict: 'allow', text: null });
    expect(harness.dump()).toBe(before);
  });

  it('is closed where the history does not hold', async () => {
    await aTree();
    await hook(START, { session: 'kid' });
    await harness.restart();
    harness.tamper(`update state_snapshots set text = '{"a":'`);
    const { verdict, text } = await hook(input, { session: 'kid' });
    expect(verdict).toBe('deny');
    expect(text).toContain('fails verification');
    harness.tamper(`update state_snapshots set text = '{}'`);
  });
});

describe('a hook that cannot be answered', () => {
  it.each<[string, JsonObject, string]>([
    ['without an event', { session_id: 'c-1' }, 'invalid_request'],
    ['of another client', { hook_event_name: 'AfterAgent', session_id: 'c-1' }, 'invalid_request'],
    ['without a session', { hook_event_name: 'Stop' }, 'invalid_request'],
    ['of a session that is not known', STOP, 'session_not_found'],
    [
      'of a sub-agent of one',
      { ...STOP, hook_event_name: 'SubagentStop', agent_id: 'a' },
      'session_not_found',
    ],
  ])('%s is refused, and nothing is written', async (_, input, error) => {
    const before = harness.dump();
    expect(failure(await harness.operator.hooks.answer('claude-code', input)).error).toBe(error);
    expect(harness.dump()).toBe(before);
  });

  it('for another session than the caller’s is forbidden, and nothing is written', async () => {
    await aTree();
    const before = harness.dump();
    const kid = await harness.as('kid');
    for (const input of [START, STOP]) {
      const result = await kid.hooks.answer('claude-code', input, { session: 'root' });
      expect(failure(result).error).toBe('forbidden');
    }
    expect(harness.dump()).toBe(before);
  });

  it('is forbidden to those who only read', async () => {
    const reader = harness.service.as({ kind: 'token', role: 'reader', tokenName: 'r' });
    const before = harness.dump();
    expect(failure(await reader.hooks.answer('claude-code', START)).error).toBe('forbidden');
    expect(harness.dump()).toBe(before);
  });
});

describe('the session that a start names', () => {
  it.each(["x';touch p;'", 'a/b', ' ', '', 'a\0', '__proto__', 'x'.repeat(129)])(
    'is not created where no session can have the name: %j',
    async (named) => {
      const refused = failure(await harness.operator.hooks.answer('claude-code', START, { session: named }));
      expect(refused).toMatchObject({
        error: 'invalid_request',
        members: { errors: [{ pointer: '/session_name' }] },
      });
      expect(must(await harness.operator.sessions.list({})).items).toEqual([]);
    },
  );

  it('is told its variables as a shell reads them', async () => {
    const begun = await hook(START, { session: 'named', url: "http://127.0.0.1:1/it's" });
    expect(begun).toMatchObject({
      text: expect.stringContaining("COUNTERSIGN_URL='http://127.0.0.1:1/it'\\''s'"),
    });
  });
});
