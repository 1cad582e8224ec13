// Numbers of all records in one answer.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { failure, must, openHarness, type Harness } from '../harness.js';

let harness: Harness;
beforeEach(async () => {
  harness = await openHarness();
});
afterEach(() => harness.close());

const NOTHING = {
  trees: { active: 0 },
  workflow_states: { all: 0 },
  sessions: {},
  completions: {},
  runs: {},
  callbacks: {},
  webhook_deliveries: {},
  runners: { all: 0, max_concurrent: 0, active_runs: 0 },
};

it('counts nothing where there is nothing', async () => {
  expect(must(await harness.operator.operations.overview())).toEqual(NOTHING);
});

it('counts records by status, and trees with work', async () => {
  const { operator } = harness;
  must(await operator.sessions.create({ session_name: 'root', external: true }));
  must(await operator.sessions.create({ session_name: 'kid', parent_session_name: 'root', external: true }));
  must(await operator.sessions.create({ session_name: 'alone', external: true }));
  must(await operator.runs.create({ type: 'start_session', session_name: 'other', prompt: 'Go.' }));
  must(await operator.runners.register({ hostname: 'h', executor_types: ['command'], max_concurrent: 3 }));
  must(await (await harness.as('root')).keys.open('root', { initial_state: {} }));
  must(await operator.sessions.report('alone', { type: 'session_stop' }));
  expect(must(await operator.operations.overview())).toMatchObject({
    trees: { active: 2 },
    workflow_states: { all: 1 },
    runs: { pending: 1 },
    runners: { all: 1, max_concurrent: 3, active_runs: 0 },
  });
});

it('is not for sessions', async () => {
  must(await harness.operator.sessions.create({ session_name: 'root', external: true }));
  const root = await harness.as('root');
  expect(failure(await root.operations.overview()).error).toBe('forbidden');
});
