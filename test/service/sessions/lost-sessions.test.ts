// External children whose client dies: what ends their work then, who is told, and what becomes of what comes late.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HookOptions } from '../../../src/ports/hook-service.js';
import type { SessionCreate } from '../../../src/ports/api/index.js';
import { must, openHarness, failure, PlayedRunner, type Harness } from '../harness.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const CONTRACT = { pointer: '/kid', schema: { type: 'integer' } } as const;

let harness: Harness;
let stateId: string;

beforeEach(async () => {
  harness = await openHarness();
  const { operator } = harness;
  must(await operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
  must(await operator.sessions.create({ session_name: 'root', external: true }));
  const root = await harness.as('root');
  stateId = must(await root.states.create({ schema_name: 'any', initial_data: {} })).state_id;
});
afterEach(() => harness.close());

const child = async (more: Partial<SessionCreate> = {}, name = 'kid') =>
  must(
    await (
      await harness.as('root')
    ).sessions.create({
      session_name: name,
      external: true,
      callback: true,
      completion: { contract: CONTRACT },
      ...more,
    }),
  );
const say = async (
  type: 'session_start' | 'message' | 'heartbeat' | 'session_stop' | 'session_end',
  more: object = {},
) => must(await harness.operator.sessions.report('kid', { type, ...more }));
const kid = async () => must(await harness.operator.sessions.get('kid'));
const completion = async () => must(await harness.operator.sessions.completion('kid'));
const write = async (value: unknown = 1) =>
  must(
    await (
      await harness.as('kid')
    ).states.patch(stateId, [{ op: 'add', path: '/kid', value: value as number }], {}),
  );
const delivered = async () => {
  const { items } = must(await (await harness.as('root')).sessions.pullCallbacks('root', 0));
  return items.filter(({ status }) => status === 'delivered');
};
const findings = async () => must(await harness.operator.operations.doctor()).findings;
const hook = async (input: object, options: HookOptions = { session: 'kid' }) =>
  must(await harness.operator.hooks.answer('claude-code', { session_id: 'window-1', ...input }, options));

describe('an external child that is not heard of any more', () => {
  it('is lost after its own time: its parent is told, and doctor tells', async () => {
    await child({ heartbeat_timeout_ms: 10 * MINUTE });
    await say('session_start');
    await harness.pass(9 * MINUTE);
    expect(await delivered()).toEqual([]);
    expect(await findings()).toEqual([]);
    await harness.pass(2 * MINUTE);
    expect(await kid()).toMatchObject({ status: 'failed', state_update_status: 'failed' });
    const [callback] = await delivered();
    expect(callback).toMatchObject({ outcome: 'lost', metadata: { state_update_status: 'failed' } });
    expect(callback!.message).toContain('outcome="lost"');
    expect(callback!.message).toContain('It gave no sign of life for 600 s.');
    const { session_id } = await kid();
    expect(await findings()).toMatchObject([{ check: 'session_not_lost', subject: session_id }]);
    // Once, whatever else comes.
    await harness.pass(HOUR);
    expect(await delivered()).toHaveLength(1);
  });

  it('is lost an hour after its last heartbeat, and a day after anything else', async () => {
    await child();
    await say('session_start');
    await harness.pass(23 * HOUR);
    expect(await kid()).toMatchObject({ status: 'running' });
    await say('heartbeat');
    expect(await kid()).toMatchObject({ last_heartbeat_at: expect.any(String) as string });
    await harness.pass(59 * MINUTE);
    await say('heartbeat');
    await harness.pass(59 * MINUTE);
    expect(await kid()).toMatchObject({ status: 'running' });
    await harness.pass(2 * MINUTE);
    expect((await delivered())[0]).toMatchObject({ outcome: 'lost' });
  });

  it('is lost a day after it was made, where nobody has started it', async () => {
    await child();
    await harness.pass(25 * HOUR);
    expect((await delivered())[0]!.message).toContain('It was never started, within 86400 s.');
  });

  it('is never lost where that was asked for', async () => {
    await child({ heartbeat_timeout_ms: 0 });
    await say('session_start');
    await say('heartbeat');
    await harness.pass(1000 * HOUR);
    expect(await kid()).toMatchObject({ status: 'running' });
    expect(await delivered()).toEqual([]);
  });

  it('lives as long as it writes, reads, sends messages or uses tools', async () => {
    await child({ heartbeat_timeout_ms: 10 * MINUTE });
    await hook({ hook_event_name: 'SessionStart', source: 'startup' });
    for (const sign of [
      () => write(1),
      async () => must(await (await harness.as('kid')).states.get(stateId)),
      () => say('message'),
      () => hook({ hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: 'make' } }),
    ]) {
      await harness.pass(8 * MINUTE);
      await sign();
    }
    await harness.pass(8 * MINUTE);
    expect(await kid()).toMatchObject({ status: 'running' });
    expect(await delivered()).toEqual([]);
    await harness.pass(3 * MINUTE);
    expect((await delivered())[0]).toMatchObject({ outcome: 'lost' });
  });

  it('is not lost once it has ended its work: it is asked, and has the time of that', async () => {
    await child({ heartbeat_timeout_ms: MINUTE, completion: { contract: CONTRACT, timeout_ms: HOUR } });
    await say('session_start');
    expect(await say('session_stop')).toMatchObject({ request: { attempt: 1 } });
    await harness.pass(10 * MINUTE);
    expect(await completion()).toMatchObject({ state_update_status: 'pending', attempt: 1 });
    await write();
    await harness.pass(1);
    expect((await delivered())[0]).toMatchObject({ outcome: 'completed' });
  });

  it('counts as complete where its contract holds by what it wrote', async () => {
    await child({ heartbeat_timeout_ms: MINUTE });
    await say('session_start');
    await write();
    await harness.pass(2 * MINUTE);
    expect((await delivered())[0]).toMatchObject({
      outcome: 'lost',
      metadata: { state_update_status: 'completed' },
    });
  });

  it('does not hold its parent up where it was skipped before it died', async () => {
    await child({ heartbeat_timeout_ms: MINUTE });
    await say('session_start');
    must(await harness.operator.sessions.skip('kid', {}));
    await harness.pass(2 * MINUTE);
    expect((await delivered())[0]).toMatchObject({
      outcome: 'lost',
      metadata: { state_update_status: 'skipped' },
    });
  });

  it('fails no other child, however many are lost', async () => {
    for (const name of ['a', 'b', 'c', 'd']) await child({ heartbeat_timeout_ms: MINUTE }, name);
    await child({ heartbeat_timeout_ms: 0 });
    await say('session_start');
    await say('session_stop');
    await harness.pass(90_000);
    expect(await delivered()).toHaveLength(4);
    expect(await completion()).toMatchObject({ state_update_status: 'pending' });
  });

  it('is lost with its own children at work, whose results nobody would take', async () => {
    await child({ heartbeat_timeout_ms: MINUTE });
    await say('session_start');
    must(
      await (
        await harness.as('kid')
      ).sessions.create({
        session_name: 'grandchild',
        external: true,
        callback: true,
        heartbeat_timeout_ms: 0,
      }),
    );
    await harness.pass(2 * MINUTE);
    expect((await delivered())[0]).toMatchObject({ outcome: 'lost' });
  });

  it('that has ended its turn waits for its children as long as they take, but is to take what they say', async () => {
    await child({ heartbeat_timeout_ms: MINUTE });
    await say('session_start');
    must(
      await (
        await harness.as('kid')
      ).sessions.create({ session_name: 'grandchild', external: true, callback: true }),
    );
    await say('session_stop');
    await harness.pass(10 * HOUR);
    must(await harness.operator.sessions.skip('grandchild', {}));
    must(await harness.operator.sessions.report('grandchild', { type: 'session_stop' }));
    await harness.pass(23 * HOUR);
    expect(await delivered()).toEqual([]);
    await harness.pass(2 * HOUR);
    expect((await delivered())[0]).toMatchObject({ outcome: 'lost' });
    expect((await delivered())[0]!.message).toContain('It did not take the callbacks of its children');
  });

  it('is no root, for which nobody waits', async () => {
    must(await harness.operator.sessions.report('root', { type: 'session_start' }));
    must(await harness.operator.sessions.report('root', { type: 'heartbeat' }));
    await harness.pass(1000 * HOUR);
    expect(must(await harness.operator.sessions.get('root'))).toMatchObject({ status: 'running' });
    expect(await findings()).toEqual([]);
  });
});

describe('the service that was away', () => {
  it('gives a child its whole time again, and keeps the deadline over a restart', async () => {
    await child({ heartbeat_timeout_ms: 10 * MINUTE });
    await say('session_start');
    await harness.pass(9 * MINUTE);
    await harness.restart();
    await harness.restart({ elapsedMs: HOUR, clockShiftMs: 0 }, () => harness.clock.advance(HOUR));
    await harness.pass(9 * MINUTE);
    expect(await kid()).toMatchObject({ status: 'running' });
    await harness.pass(2 * MINUTE);
    expect((await delivered())[0]).toMatchObject({ outcome: 'lost' });
  });

  it('keeps the deadline of a child that nobody starts over a restart', async () => {
    const root = await harness.as('root');
    must(await root.sessions.create({ session_name: 'ghost', callback: true }));
    await harness.pass(23 * HOUR);
    await harness.restart();
    expect(await delivered()).toEqual([]);
    await harness.pass(2 * HOUR);
    expect((await delivered())[0]).toMatchObject({ outcome: 'lost' });
    expect((await delivered())[0]!.message).toContain('It was never started, within 86400 s.');
  });

  it('sets the deadline that an earlier version has not set, when it starts', async () => {
    const root = await harness.as('root');
    must(await root.sessions.create({ session_name: 'ghost', callback: true }));
    must(await root.sessions.create({ session_name: 'rest', callback: true, delivery: 'pull' }));
    must(await root.runs.create({ type: 'resume_session', session_name: 'rest', prompt: 'x' }));
    const runner = await PlayedRunner.register(harness);
    const run = await runner.take('rest');
    const start = { type: 'start_session', session_name: 'deep', prompt: 'x', callback: true } as const;
    must(await (await harness.as('rest')).runs.create({ ...start, completion: { mode: 'never' } }));
    const deep = await runner.take('deep');
    await runner.complete(run);
    await runner.complete(deep);
    await harness.restart(undefined, () => {
      harness.tamper('update completions set due_at = null');
    });
    await harness.pass(1);
    await harness.pass(25 * HOUR);
    expect(must(await harness.operator.sessions.completion('rest'))).toMatchObject({
      state_update_status: 'pending',
      attempt: 1,
    });
    const [ghost, ...others] = await delivered();
    expect(ghost).toMatchObject({ outcome: 'lost' });
    expect(ghost!.message).toContain('It was never started, within 86400 s.');
    expect(others).toEqual([]);
  });

  it.each([1, -1])('moves the deadline with its clock, set by %i h', async (hours) => {
    await child({ heartbeat_timeout_ms: 10 * MINUTE });
    await say('session_start');
    await harness.pass(5 * MINUTE);
    await harness.restart({ elapsedMs: 0, clockShiftMs: hours * HOUR }, () =>
      harness.clock.advance(hours * HOUR),
    );
    await harness.pass(4 * MINUTE);
    expect(await kid()).toMatchObject({ status: 'running' });
    await harness.pass(2 * MINUTE);
    expect((await delivered())[0]).toMatchObject({ outcome: 'lost' });
  });
});

describe('a client that ends', () => {
  const start = () => hook({ hook_event_name: 'SessionStart', source: 'startup' });
  const end = (reason: string, options?: HookOptions) =>
    hook({ hook_event_name: 'SessionEnd', reason }, options);

  it('before its work was done leaves a lost child, at once', async () => {
    await child();
    await start();
    expect(await end('prompt_input_exit')).toEqual({ verdict: 'end', text: null });
    expect((await delivered())[0]).toMatchObject({ outcome: 'lost' });
    expect((await delivered())[0]!.message).toContain('Its client ended (prompt_input_exit)');
  });

  it('while it is asked for its result fails that at once, and keeps what it said', async () => {
    await child();
    await start();
    await hook({ hook_event_name: 'Stop', last_assistant_message: 'I found 7.' });
    await end('other');
    const [callback] = await delivered();
    expect(callback).toMatchObject({ outcome: 'completed', metadata: { state_update_status: 'failed' } });
    expect(callback!.message).toContain('I found 7.');
    expect(await findings()).toEqual([]);
  });

  it('after its result was recorded has lost nothing', async () => {
    await child();
    await start();
    await write();
    await hook({ hook_event_name: 'Stop' });
    await write(2);
    await end('other');
    expect(await delivered()).toMatchObject([{ outcome: 'completed' }]);
    await end('other');
    expect(await delivered()).toHaveLength(1);
    expect(await findings()).toEqual([]);
  });

  it.each([
    [false, 'failed'],
    [true, 'completed'],
  ])(
    'is waited for no longer on behalf of its own children (its result is recorded: %s)',
    async (writes, status) => {
      await child();
      await start();
      await hook({ hook_event_name: 'Stop', last_assistant_message: 'I found 7.' });
      const grandchild = { session_name: 'grandchild', external: true, callback: true };
      must(await (await harness.as('kid')).sessions.create({ ...grandchild, heartbeat_timeout_ms: 0 }));
      await start();
      if (writes) await write();
      expect(await delivered()).toEqual([]);
      await end('other');
      await harness.pass(0);
      expect(await delivered()).toMatchObject([
        { outcome: 'completed', metadata: { state_update_status: status } },
      ]);
      expect(await kid()).toMatchObject({ status: 'finished' });
      await harness.pass(10 * 24 * HOUR);
      expect(await delivered()).toHaveLength(1);
    },
  );

  it('goes on under its name with the next conversation of the same window', async () => {
    await child();
    await start();
    await end('clear');
    expect(await delivered()).toEqual([]);
    await hook({ hook_event_name: 'SessionStart', source: 'clear', session_id: 'window-2' });
    // The one that was left behind says nothing any more.
    await end('other');
    expect(await kid()).toMatchObject({ status: 'running', executor_session_id: 'window-2' });
  });

  it('leaves a root in its generation, with the callbacks that it waits for', async () => {
    await child();
    await hook({ hook_event_name: 'SessionStart', source: 'startup' }, { session: 'root' });
    await hook({ hook_event_name: 'Stop' }, { session: 'root' });
    await end('other', { session: 'root' });
    const rootCompletion = async () => must(await harness.operator.sessions.completion('root'));
    expect(await rootCompletion()).toMatchObject({ released_at: null });
    await hook({ hook_event_name: 'SessionStart', source: 'resume' }, { session: 'root' });
    expect(must(await harness.operator.sessions.get('root'))).toMatchObject({ generation: 1 });
  });

  it('ends a root without a word to anybody', async () => {
    await hook({ hook_event_name: 'SessionStart', source: 'startup' }, { session: 'root' });
    await end('other', { session: 'root' });
    expect(must(await harness.operator.sessions.get('root'))).toMatchObject({ status: 'finished' });
    expect(await findings()).toEqual([]);
  });
});

describe('what comes late from a child that was taken for lost', () => {
  beforeEach(async () => {
    await child({ heartbeat_timeout_ms: MINUTE });
    await say('session_start');
    await harness.pass(2 * MINUTE);
    expect(await delivered()).toHaveLength(1);
  });

  it('is taken: a write is marked late, a result is kept, and nobody is told a second time', async () => {
    await write();
    const { events } = must(await harness.operator.states.events(stateId, {}));
    expect(events.at(-1)).toMatchObject({ late: true });
    expect(await hook({ hook_event_name: 'Stop', last_assistant_message: 'Seven.' })).toMatchObject({
      verdict: 'end',
      text: expect.stringContaining('counted as lost') as string,
    });
    expect(must(await harness.operator.sessions.result('kid'))).toMatchObject({ result_text: 'Seven.' });
    expect(await completion()).toMatchObject({ state_update_status: 'failed' });
    expect(await delivered()).toHaveLength(1);
    expect(await findings()).toHaveLength(1);
  });

  it('begins anew with a start, and its parent is told of that', async () => {
    await say('session_start');
    expect(await kid()).toMatchObject({ status: 'running', generation: 2 });
    expect(await findings()).toEqual([]);
    await write();
    await say('session_stop');
    await write(2);
    await say('session_stop');
    expect(await delivered()).toMatchObject([{ outcome: 'lost' }, { outcome: 'completed' }].reverse());
  });
});

describe('a heartbeat timeout', () => {
  it('is refused for a session that a runner runs', async () => {
    const before = harness.dump();
    const refused = failure(
      await harness.operator.sessions.create({ session_name: 'run', heartbeat_timeout_ms: 1000 }),
    );
    expect(refused).toMatchObject({ error: 'invalid_request' });
    expect(harness.dump()).toBe(before);
  });
});
