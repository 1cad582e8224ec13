// Runs of another generation than the present one: they change nothing of its completion.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ClaimedRun } from '../../../src/ports/api/index.js';
import { failure, must, openHarness, PlayedRunner, type Harness } from '../harness.js';

const CONTRACT = { pointer: '/c', schema: { type: 'integer' } };

let harness: Harness;
let runner: PlayedRunner;
let stateId: string;

beforeEach(async () => {
  harness = await openHarness();
  const { operator } = harness;
  must(await operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
  must(await operator.sessions.create({ session_name: 'root', external: true }));
  const root = await harness.as('root');
  stateId = must(await root.states.create({ schema_name: 'any', initial_data: {} })).state_id;
  runner = await PlayedRunner.register(harness);
});
afterEach(() => harness.close());

async function start(completion: object): Promise<ClaimedRun> {
  must(
    await (
      await harness.as('root')
    ).runs.create({
      type: 'start_session',
      session_name: 'kid',
      prompt: 'go',
      callback: true,
      completion: { contract: CONTRACT, ...completion },
    }),
  );
  return runner.take('kid');
}

const resume = async () =>
  must(await harness.operator.runs.create({ type: 'resume_session', session_name: 'kid', prompt: 'more' }));

const completion = async () => must(await harness.operator.sessions.completion('kid'));

/** The child as one of its runs. */
async function as(run: ClaimedRun) {
  const { COUNTERSIGN_TOKEN: token } = run.environment;
  const actor = await harness.service.identify({ bearer: token ?? '', sessionId: null, sessionName: null });
  return harness.service.as(must(actor)).states;
}

const set = (value: number) => [{ op: 'add', path: '/c', value }] as const;

describe('a run of the next generation that is stopped in the queue', () => {
  it('leaves the request of the present generation as it is', async () => {
    await runner.complete(await start({}));
    const update = await runner.take('kid');
    const next = await resume();
    must(await harness.operator.runs.stop(next.run_id, {}));
    expect((await completion()).state_update_status).toBe('pending');
    must(await (await as(update)).patch(stateId, set(1), {}));
    await runner.complete(update);
    const { items } = must(await harness.operator.callbacks.list({ child_session: 'kid' }));
    expect(items[0]).toMatchObject({
      outcome: 'completed',
      metadata: { state_update_status: 'completed' },
    });
  });

  it('leaves a completion that is retried, also over a start', async () => {
    await runner.complete(await start({ max_attempts: 1 }));
    await runner.complete(await runner.take('kid'));
    expect((await completion()).state_update_status).toBe('failed');
    must(await harness.operator.sessions.retry('kid', {}));
    must(await harness.operator.runs.stop((await resume()).run_id, {}));
    await harness.restart();
    harness.clock.advance(60_000);
    const update = await runner.take('kid');
    must(await (await as(update)).patch(stateId, set(1), {}));
    await runner.complete(update);
    expect(must(await harness.operator.runs.get(update.run_id))).toMatchObject({
      status: 'completed',
      error: null,
    });
    expect(must(await harness.operator.operations.doctor()).findings).toEqual([]);
  });
});

describe('a run of an earlier generation that goes on writing', () => {
  it('neither completes the present one by a repeated value, nor adds errors to its attempt', async () => {
    await runner.complete(await start({ mode: 'always' }));
    const early = await runner.take('kid');
    must(await harness.operator.sessions.skip('kid', {}));
    await resume();
    await runner.complete(early);
    const work = await runner.take('kid');
    must(await (await as(work)).patch(stateId, set(2), {}));
    await runner.complete(work);
    const update = await runner.take('kid');
    const before = await completion();
    expect(before.state_update_status).toBe('pending');
    const old = await as(early);
    failure(await old.patch(stateId, [{ op: 'test', path: '/none', value: 1 }], {}));
    expect(must(await old.patch(stateId, set(2), {})).changed).toBe(false);
    expect(await completion()).toEqual(before);
    must(await (await as(update)).patch(stateId, set(2), {}));
    expect((await completion()).state_update_status).toBe('completed');
  });
});
