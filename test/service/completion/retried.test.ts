// A completion that an operator retries is open again, although its parent was told before.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { must, openHarness, PlayedRunner, failure, type Harness } from '../harness.js';

const OPEN = { type: 'object' };
const CLOSED = { type: 'object', properties: { other: {} }, additionalProperties: false };
const CONTRACT = { pointer: '/child', schema: { type: 'integer' } };

describe('a completion that is retried', () => {
  let harness: Harness;
  let runner: PlayedRunner;

  beforeEach(async () => {
    harness = await openHarness();
    runner = await PlayedRunner.register(harness);
    for (const json_schema of [OPEN, CLOSED])
      must(await harness.operator.schemas.register({ name: 's', json_schema }));
    must(await harness.operator.sessions.create({ session_name: 'root', external: true }));
  });
  afterEach(async () => {
    expect(must(await harness.operator.operations.doctor()).findings).toEqual([]);
    await harness.close();
  });

  const openState = () =>
    harness.operator.states.create({
      schema_name: 's',
      schema_version: 1,
      initial_data: {},
      root_session_name: 'root',
    });
  const completion = async () => must(await harness.operator.sessions.completion('child'));
  const failsAndIsRetried = async () => {
    must(
      await harness.operator.runs.create({
        type: 'start_session',
        session_name: 'child',
        parent_session_name: 'root',
        callback: true,
        prompt: 'Work.',
        completion: { contract: CONTRACT, max_attempts: 1, retry_delay_ms: 0 },
      }),
    );
    await runner.complete(await runner.take('child'));
    await runner.complete(await runner.take('child'));
    expect(await completion()).toMatchObject({
      state_update_status: 'failed',
      released_at: expect.any(String),
    });
    must(await harness.operator.sessions.retry('child', {}));
  };
  it('is skipped with the state, and asked to write to no other one with the old prompt', async () => {
    const { state_id: first } = must(await openState());
    must(await harness.operator.states.mergePatch(first, { other: 1 }, {}));
    await failsAndIsRetried();
    expect((await completion()).state_update_status).toBe('pending');
    must(await harness.operator.states.remove(first));
    expect(await completion()).toMatchObject({
      state_update_status: 'skipped',
      reason: 'The workflow state was deleted.',
    });
    const { state_id: second } = must(await openState());
    expect(await runner.claim()).toEqual([]);
    const child = await harness.as('child');
    const write = child.states.replace(second, { child: 1 }, { baseVersion: 'last_read' });
    expect(failure(await write).error).toBe('base_unknown');
  });

  it('is stopped with the state where a runner has its request', async () => {
    const { state_id } = must(await openState());
    await failsAndIsRetried();
    const update = await runner.take('child');
    expect(update.metadata).toMatchObject({ shown_state_version: 1, shown_state_id: state_id });
    must(await harness.operator.states.remove(state_id));
    const { run_id, attempt, lease_token } = update;
    const { stop_runs } = must(
      await harness.operator.runners.heartbeat({
        runner_id: runner.runnerId,
        runs: [{ run_id, attempt, lease_token }],
      }),
    );
    expect(stop_runs).toEqual([run_id]);
    must(await harness.operator.runners.stopped(run_id, runner.lease(update)));
    expect((await completion()).state_update_status).toBe('skipped');
  });

  it('holds a migration to its contract', async () => {
    const { state_id } = must(await openState());
    await failsAndIsRetried();
    const migrate = () => harness.operator.states.migrate(state_id, { schema_version: 2 }, {});
    expect(failure(await migrate())).toMatchObject({
      error: 'contract_impossible',
      members: { session: 'child' },
    });
    must(await harness.operator.sessions.skip('child', {}));
    must(await migrate());
  });
});
