// How long the token of a run counts. With the tokens that a runner hands out.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { must, openHarness, PlayedRunner, failure, type Harness } from '../harness.js';

const GRACE_MS = 60_000;

describe('the token of a run, with --auth', () => {
  let harness: Harness;
  let runner: PlayedRunner;
  beforeEach(async () => {
    harness = await openHarness({ sessionTokenGraceMs: GRACE_MS }, true);
    const { operator } = harness;
    must(await operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
    must(await operator.runs.create({ type: 'start_session', session_name: 'root', prompt: 'go' }));
    must(await operator.states.create({ schema_name: 'any', initial_data: {}, root_session_name: 'root' }));
    runner = await PlayedRunner.register(harness);
  });
  afterEach(() => harness.close());

  const tokenOf = (run: { environment: Readonly<Record<string, string>> }) =>
    run.environment['COUNTERSIGN_TOKEN']!;
  const identify = (bearer: string) =>
    harness.service.identify({ bearer, sessionId: null, sessionName: null });
  const as = async (bearer: string) => harness.service.as(must(await identify(bearer)));
  const startChild = async () => {
    const child = { type: 'start_session' as const, session_name: 'child', parent_session_name: 'root' };
    must(await harness.operator.runs.create({ ...child, prompt: 'go' }));
    return runner.take('child');
  };
  const isOver = async (bearer: string) => {
    expect(failure(await identify(bearer)).error).toBe('unauthorized');
  };

  it('counts until the completion is released, and for a grace', async () => {
    await runner.take('root');
    const work = await startChild();
    const first = tokenOf(work);
    await runner.complete(work);
    // Asked for its result: the work is not over, however long that takes.
    harness.clock.advance(GRACE_MS + 1);
    const update = await runner.take('child');
    const second = tokenOf(update);
    const state = must(await harness.operator.sessions.state('root')).state_id;
    for (const bearer of [first, second]) {
      must(await (await as(bearer)).states.patch(state, [{ op: 'add', path: '/a', value: bearer }], {}));
    }
    await runner.complete(update);
    harness.clock.advance(GRACE_MS);
    must(await identify(first));
    must(await identify(second));
    harness.clock.advance(1);
    await isOver(first);
    await isOver(second);
    // Late writes are taken from who may still make them.
    must(await harness.operator.states.patch(state, [{ op: 'add', path: '/b', value: 1 }], {}));
  });

  it('is checked at once when its signature and its session are known', async () => {
    const run = await runner.take('root');
    const bearer = tokenOf(run);
    const actor = must(await identify(bearer));
    expect(identify(bearer)).toEqual({ ok: true, value: actor });
    const { session_id: sessionId } = must(await harness.operator.sessions.get('root'));
    expect(actor).toMatchObject({ kind: 'session', sessionId, rootSessionId: sessionId });
    await runner.complete(run);
    harness.clock.advance(GRACE_MS + 1);
    await isOver(bearer);
  });

  it('ends with a session that was stopped, and with a root', async () => {
    const root = await runner.take('root');
    const work = await startChild();
    must(await harness.operator.sessions.stop('child'));
    must(await harness.operator.runners.stopped(work.run_id, runner.lease(work)));
    await runner.complete(root);
    must(await identify(tokenOf(work)));
    must(await identify(tokenOf(root)));
    harness.clock.advance(GRACE_MS + 1);
    await isOver(tokenOf(work));
    await isOver(tokenOf(root));
  });

  it('counts for a piece of work alone: a resume has a token of its own, and so has a retry', async () => {
    const root = await runner.take('root');
    await runner.complete(root);
    harness.clock.advance(GRACE_MS + 1);
    const more = { type: 'resume_session' as const, session_name: 'root', prompt: 'more' };
    must(await harness.operator.runs.create(more));
    const resumed = await runner.take('root');
    must(await identify(tokenOf(resumed)));
    await isOver(tokenOf(root));
    const work = await startChild();
    await runner.complete(work);
    must(await harness.operator.sessions.skip('child', {}));
    harness.clock.advance(GRACE_MS + 1);
    await isOver(tokenOf(work));
    must(await harness.operator.sessions.retry('child', {}));
    must(await identify(tokenOf(await runner.take('child'))));
  });

  it('of a root that nobody runs ends when its heartbeats do, and counts again with the next', async () => {
    const HOUR_MS = 3_600_000;
    const { operator } = harness;
    const hook = async (service: typeof operator, name: string, more: object) => {
      const input = { hook_event_name: name, session_id: 'c-2', ...more };
      return must(await service.hooks.answer('claude-code', input, { session: 'root-by-hand' }));
    };
    const bash = { tool_name: 'Bash', tool_input: { command: 'make' } };
    const begun = await hook(operator, 'SessionStart', { source: 'startup' });
    const bearer = begun.environment?.['COUNTERSIGN_TOKEN'] ?? '';
    const state = { schema_name: 'any', initial_data: {}, root_session_name: 'root-by-hand' };
    must(await operator.states.create(state));
    // Its client sends none: nothing is known of how it is.
    harness.clock.advance(2 * HOUR_MS);
    const own = await as(bearer);
    // One with the token itself could not bring it back: it is no reason to end it either.
    await hook(own, 'PreToolUse', bash);
    harness.clock.advance(2 * HOUR_MS);
    must(await identify(bearer));
    await hook(operator, 'PreToolUse', bash);
    harness.clock.advance(HOUR_MS / 2);
    // Whatever it asks for is a sign of life.
    must(await identify(bearer));
    await harness.pass(1);
    harness.clock.advance(HOUR_MS - 1);
    const before = harness.dump();
    must(await identify(bearer));
    harness.clock.advance(HOUR_MS + 1);
    await isOver(bearer);
    await hook(operator, 'PreToolUse', bash);
    must(await identify(bearer));
    expect(harness.dump()).not.toBe(before);
  });
});
