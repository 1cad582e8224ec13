// What becomes of a workflow state when the root of its tree is deleted.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { must, openHarness, failure, type Harness } from '../harness.js';

let harness: Harness;
let stateId: string;
beforeEach(async () => {
  harness = await openHarness({ stateBytesMax: 1000 });
  const { operator } = harness;
  must(await operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
  must(await operator.sessions.create({ session_name: 'root', external: true }));
  const root = await harness.as('root');
  stateId = must(await root.states.create({ schema_name: 'any', initial_data: { n: 1 } })).state_id;
});
afterEach(async () => {
  expect(must(await harness.operator.operations.doctor()).findings).toEqual([]);
  await harness.close();
});

const listed = async (orphaned: boolean) =>
  must(await harness.operator.states.list({ orphaned })).items.map((one) => one.state_id);

it('it stays, is listed as orphaned, and can be removed by itself', async () => {
  expect([await listed(true), await listed(false)]).toEqual([[], [stateId]]);
  must(await harness.operator.sessions.remove('root'));
  expect([await listed(true), await listed(false)]).toEqual([[stateId], []]);
  expect(must(await harness.operator.states.get(stateId)).current_data).toEqual({ n: 1 });
  must(await harness.operator.states.remove(stateId));
  expect(await listed(true)).toEqual([]);
});

it('with cascade it goes in the same commit, and whoever waits for it is told', async () => {
  const waiting = harness.operator.states.wait(stateId, {
    until: { required: ['never'] },
    timeout_ms: 20_000,
  });
  must(await harness.operator.sessions.remove('root', { cascade: true }));
  expect(failure(await waiting).error).toBe('state_not_found');
  expect(failure(await harness.operator.states.get(stateId)).error).toBe('state_not_found');
  expect([await listed(true), await listed(false)]).toEqual([[], []]);
});

it('with cascade it is no longer counted among the states that are close to their limit', async () => {
  const near = async () => (await harness.service.counts())['states'];
  must(await harness.operator.states.mergePatch(stateId, { text: 'x'.repeat(900) }, {}));
  expect(await near()).toEqual({ near_limit: 1 });
  must(await harness.operator.sessions.remove('root', { cascade: true }));
  expect(await near()).toEqual({ near_limit: 0 });
});
