// Writes and ended runs minute by minute.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { failure, must, openHarness, type Harness } from '../harness.js';

let harness: Harness;
beforeEach(async () => {
  harness = await openHarness();
});
afterEach(() => harness.close());

const minutes = async () => must(await harness.operator.operations.activity()).items;

it('counts accepted writes in the minute of their commit, and no refused ones', async () => {
  const { operator } = harness;
  must(await operator.sessions.create({ session_name: 'root', external: true }));
  const { state_id } = must(await (await harness.as('root')).keys.open('root', { initial_state: { n: 1 } }));
  must(await operator.states.mergePatch(state_id, { n: 2 }, {}));
  expect((await operator.states.mergePatch(state_id, { n: 3 }, { expectedVersion: 1 })).ok).toBe(false);
  expect((await minutes()).map(({ writes }) => writes)).toEqual([2]);
  await harness.pass(120_000);
  must(await operator.states.mergePatch(state_id, { n: 4 }, {}));
  expect((await minutes()).map(({ writes }) => writes)).toEqual([2, 0, 1]);
  await harness.pass(61 * 60_000);
  const later = await minutes();
  expect(later).toHaveLength(60);
  expect(later.every(({ writes }) => writes === 0)).toBe(true);
});

it('says how long runs waited and took, and how many failed', async () => {
  const { operator } = harness;
  const run = async (name: string) =>
    must(await operator.runs.create({ type: 'start_session', session_name: name, prompt: 'Go.' }));
  await run('one');
  await run('two');
  const { runner_id } = must(
    await operator.runners.register({ hostname: 'h', executor_types: ['command'], max_concurrent: 2 }),
  );
  await harness.pass(1000);
  const { runs } = must(await operator.runners.poll({ runnerId: runner_id, waitMs: 0 }));
  const leases = runs.map(({ run_id, attempt, lease_token }) => ({
    run_id,
    lease: { runner_id, attempt, lease_token },
  }));
  for (const { run_id, lease } of leases) must(await operator.runners.started(run_id, lease));
  await harness.pass(500);
  const [first, second] = leases;
  must(await operator.runners.completed(first!.run_id, first!.lease));
  must(await operator.runners.failed(second!.run_id, { ...second!.lease, error: 'no', cause: 'agent' }));
  expect(await minutes()).toMatchObject([{ runs_ended: 2, runs_failed: 1, run_wait_ms: 1000, run_ms: 500 }]);
});

it('is not for sessions', async () => {
  must(await harness.operator.sessions.create({ session_name: 'root', external: true }));
  const root = await harness.as('root');
  expect(failure(await root.operations.activity()).error).toBe('forbidden');
});
