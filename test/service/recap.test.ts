// A client that has lost its conversation is told what the session was asked, and what it said.
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ClaimedRun } from '../../src/ports/api/index.js';
import { must, openHarness, type Harness } from './harness.js';

let harness: Harness;
let runnerId: string;
beforeEach(async () => {
  harness = await openHarness();
  const able = { hostname: 'host', executor_types: ['command', 'gemini'] };
  runnerId = must(await harness.operator.runners.register(able)).runner_id;
});
afterEach(() => harness.close());

const ask = (type: 'start_session' | 'resume_session', prompt: string) =>
  harness.operator.runs.create({ type, session_name: 'kid', prompt });

const lease = ({ attempt, lease_token }: ClaimedRun) => ({ runner_id: runnerId, attempt, lease_token });

async function complete(run: ClaimedRun) {
  const body = { ...lease(run), result_text: 'It stands.' };
  must(await harness.operator.runners.completed(run.run_id, body));
}

/** The session's next run, in the hands of a client; a command line is told of by itself. */
async function next(executor_type = 'gemini') {
  const [run] = must(await harness.operator.runners.poll({ runnerId, waitMs: 0 })).runs;
  if (run === undefined) throw new Error('no run waits');
  const body = { ...lease(run), executor_type, executor_session_id: 'c-1' };
  must(await harness.operator.runners.started(run.run_id, body));
  return run;
}

it('stands in each run that goes on, with the first and the last thing that was asked before', async () => {
  must(await ask('start_session', 'Review the bridge.'));
  const first = await next();
  expect(first.recap).toBeUndefined();
  const failure = { ...lease(first), error: 'the model refused', cause: 'agent' } as const;
  must(await harness.operator.runners.failed(first.run_id, failure));

  must(await ask('resume_session', 'Try again.'));
  const second = await next();
  expect(second.recap).toEqual({ prompts: ['Review the bridge.'], result_text: null });
  await complete(second);

  must(await ask('resume_session', 'And the piers?'));
  expect((await next()).recap).toEqual({
    prompts: ['Review the bridge.', 'Try again.'],
    result_text: 'It stands.',
  });
});

it('stands in a request for the result, with what the child said', async () => {
  must(await harness.operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
  must(await harness.operator.sessions.create({ session_name: 'root', external: true }));
  const state = { schema_name: 'any', initial_data: {}, root_session_name: 'root' };
  must(await harness.operator.states.create(state));
  const child = { session_name: 'kid', parent_session_name: 'root', prompt: 'Review the bridge.' };
  must(await harness.operator.runs.create({ type: 'start_session', ...child }));
  await complete(await next());
  const update = await next();
  expect(update.purpose).toBe('state_update');
  expect(update.recap).toEqual({ prompts: ['Review the bridge.'], result_text: 'It stands.' });
});

it('is not made for a command line, which keeps no conversation', async () => {
  must(await ask('start_session', 'Review the bridge.'));
  await complete(await next('command'));
  must(await ask('resume_session', 'And the piers?'));
  expect((await next('command')).recap).toBeUndefined();
});
