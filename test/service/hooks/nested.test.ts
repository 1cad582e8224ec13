import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/domain/json/json.js';
import type { HookOptions } from '../../../src/ports/hook-service.js';
import { must, openHarness, PlayedRunner, type Harness } from '../harness.js';

const START = { hook_event_name: 'SessionStart', session_id: 'outer', cwd: '/work', source: 'startup' };
const STOP = { hook_event_name: 'Stop', session_id: 'outer', stop_hook_active: false };
const NESTED = { session_id: 'nested' };
const KID = { session: 'kid' };

let harness: Harness;
beforeEach(async () => {
  harness = await openHarness();
  must(await harness.operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
  must(await harness.operator.sessions.create({ session_name: 'root', external: true }));
  const root = await harness.as('root');
  must(await root.states.create({ schema_name: 'any', initial_data: {} }));
  const completion = { contract: { pointer: '/kid', schema: { type: 'integer' } } };
  must(await root.sessions.create({ session_name: 'kid', external: true, callback: true, completion }));
});
afterEach(async () => {
  expect(must(await harness.operator.operations.doctor()).findings).toEqual([]);
  await harness.close();
});

const hook = async (input: JsonObject, options: HookOptions = KID) =>
  must(await harness.operator.hooks.answer('claude-code', input, options));
const owner = async () => must(await harness.operator.sessions.get('kid')).executor_session_id;

/** A hook that neither binds nor notes anything. */
async function isLetGo(input: JsonObject, options: HookOptions = KID) {
  const before = harness.dump();
  const answer = await hook(input, options);
  expect(harness.dump()).toBe(before);
  return answer;
}

async function staysUnbound(options: HookOptions): Promise<void> {
  const begun = await isLetGo({ ...START, ...NESTED }, options);
  expect(begun).toMatchObject({ verdict: 'begin', text: expect.stringContaining('NOT bound') });
  expect(begun.text).toContain('env -u AGENT_SESSION_ID AGENT_SESSION_NAME=NAME');
  expect(begun).not.toHaveProperty('environment');
  const ended = await isLetGo({ ...STOP, ...NESTED });
  expect(ended).toMatchObject({ verdict: 'end', text: expect.stringContaining('may stop') });
}

describe('a client that is started from within a session', () => {
  it('is told from it by what the session’s environment says', async () => {
    const begun = await hook(START);
    expect(begun.environment).toMatchObject({ COUNTERSIGN_CLIENT_SESSION: 'outer' });
  });

  it.each([
    ['while that works', ['outer'], () => Promise.resolve()],
    ['while that is asked for its result', ['elsewhere', 'outer'], () => hook(STOP)],
    [
      'in a later turn, which nobody hears of when it begins',
      ['outer'],
      async () => {
        must(await harness.operator.sessions.skip('kid', { reason: 'not needed' }));
        await hook(STOP);
      },
    ],
  ])('does not take its place, is told so, and may stop: %s', async (_, within, arrange) => {
    await hook(START);
    await arrange();
    await staysUnbound({ ...KID, within });
    expect(await owner()).toBe('outer');
  });

  it.each(['clear', 'resume', 'compact'])(
    'does not take its place where it goes on itself: %s',
    async (source) => {
      await hook(START);
      const begun = await isLetGo({ ...START, ...NESTED, source }, { ...KID, within: ['outer'] });
      expect(begun.text).toContain('NOT bound');
      expect(await owner()).toBe('outer');
    },
  );

  it('has no sub-agents that count as the session’s children', async () => {
    await hook(START);
    const input = { hook_event_name: 'SubagentStop', ...NESTED, agent_id: 'a', agent_type: 'reviewer' };
    const ended = await isLetGo(input, { ...KID, agents: ['reviewer'] });
    expect(ended).toEqual({ verdict: 'end', text: null });
  });

  it('is bound to the session that it is given a name of', async () => {
    await hook(START);
    const begun = await hook({ ...START, ...NESTED }, { session: 'own', within: ['outer'] });
    expect(begun.environment).toMatchObject({ AGENT_SESSION_NAME: 'own' });
    expect(await owner()).toBe('outer');
  });

  it('does not take the place of a session that a runner runs', async () => {
    const runner = await PlayedRunner.register(harness);
    const root = await harness.as('root');
    must(await root.runs.create({ type: 'start_session', session_name: 'worker', prompt: 'work' }));
    const run = await runner.take('worker');
    const completed = { ...runner.lease(run), executor_session_id: 'outer' };
    must(await harness.operator.runners.completed(run.run_id, completed));
    const options = { session: 'worker', within: ['outer'] };
    expect((await isLetGo({ ...START, ...NESTED }, options)).text).toContain('NOT bound');
  });
});

describe('a client’s session that goes on under another id', () => {
  it.each(['clear', 'resume', 'compact'])('keeps its place: %s', async (source) => {
    await hook(START);
    const begun = await hook({ ...START, ...NESTED, source });
    expect(begun.environment).toMatchObject({ COUNTERSIGN_CLIENT_SESSION: 'nested' });
    expect(await owner()).toBe('nested');
    expect((await hook({ ...STOP, ...NESTED })).verdict).toBe('go_on');
  });
});

describe('a session whose client is gone', () => {
  it.each([
    ['while it worked', () => Promise.resolve()],
    ['while it was asked for its result', () => hook(STOP)],
  ])('is taken over by the next one: %s', async (_, arrange) => {
    await hook(START);
    await arrange();
    await hook({ ...START, ...NESTED }, { ...KID, within: ['elsewhere'] });
    expect(await owner()).toBe('nested');
    expect(await isLetGo(STOP)).toMatchObject({ verdict: 'end', text: expect.stringContaining('may stop') });
    expect((await hook({ ...STOP, ...NESTED })).verdict).toBe('go_on');
  });

  it('is taken over by a new one when its work has ended', async () => {
    await hook(START);
    must(await harness.operator.sessions.stop('kid'));
    await hook({ ...START, ...NESTED });
    expect(await owner()).toBe('nested');
    expect(must(await harness.operator.sessions.get('kid'))).toMatchObject({
      status: 'running',
      generation: 2,
    });
  });
});

describe('background tasks', () => {
  const shell = { id: 'b', type: 'shell', status: 'running', command: 'npm run dev' };
  const agent = { id: 'a', type: 'subagent', status: 'running' };

  it('that may run for ever do not hold the end of the work back', async () => {
    await hook(START);
    expect((await hook({ ...STOP, background_tasks: [shell] })).text).toContain('<state-update-request');
  });

  it('that wake the session do, but not the callbacks that are due', async () => {
    await hook(START);
    await hook({ ...START, session_id: 'r' }, { session: 'root' });
    const input = { ...STOP, session_id: 'r', background_tasks: [shell, agent] };
    expect(await isLetGo(input, { session: 'root', waitMs: 60_000 })).toEqual({ verdict: 'end', text: null });
    must(await harness.operator.sessions.skip('kid', { reason: 'not needed' }));
    await hook(STOP);
    const result = await hook(input, { session: 'root', waitMs: 60_000 });
    expect(result.text).toContain('<agent-callback child="kid"');
    const again = { ...input, stop_hook_active: true };
    expect(await hook(again, { session: 'root' })).toEqual({ verdict: 'end', text: null });
    expect(must(await harness.operator.callbacks.list({})).items).toMatchObject([{ status: 'acknowledged' }]);
    expect(must(await harness.operator.sessions.get('root')).status).toBe('running');
  });
});
