// A session that exists keeps what it was created with; a request that gives it work says so, or agrees.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { failure, must, openHarness, PlayedRunner, type Harness } from '../harness.js';

let harness: Harness;
beforeEach(async () => {
  harness = await openHarness();
  const { sessions } = harness.operator;
  must(await sessions.create({ session_name: 'root', external: true }));
  must(await sessions.create({ session_name: 'child', parent_session_name: 'root', project_dir: '/src' }));
});
afterEach(() => harness.close());

const work = { session_name: 'child', prompt: 'Work.' };
const TYPES = ['start_session', 'resume_session'] as const;
const OTHER = {
  agent_name: 'critic',
  project_dir: '/other',
  parent_session_id: 'child',
  parent_session_name: 'child',
  delivery: 'pull',
  state_context: false,
  state_summary: false,
  record: false,
} as const;

it('refuses each member that the session does not have', async () => {
  const { session_id } = must(await harness.operator.sessions.get('child'));
  const before = harness.dump();
  for (const type of TYPES) {
    for (const [name, value] of Object.entries(OTHER)) {
      const body = { ...work, session_id, type, [name]: value };
      expect(failure(await harness.operator.runs.create(body))).toMatchObject({
        error: 'invalid_request',
        members: { errors: [{ pointer: `/${name}` }] },
      });
    }
  }
  expect(harness.dump()).toBe(before);
});

it('takes each member as the session has it', async () => {
  const { session_id, parent_session_id } = must(await harness.operator.sessions.get('child'));
  const same = {
    project_dir: '/src',
    ...(parent_session_id !== null && { parent_session_id }),
    parent_session_name: 'root',
    delivery: 'resume',
    state_context: true,
    state_summary: true,
    record: true,
  } as const;
  for (const type of TYPES) must(await harness.operator.runs.create({ ...work, session_id, type, ...same }));
});

it('holds the first run of a session that was created without one to the demands of its start', async () => {
  const [plain, special] = [
    await PlayedRunner.register(harness),
    await PlayedRunner.register(harness, ['special']),
  ];
  const { session_id } = must(await harness.operator.sessions.get('child'));
  const demands = { executor_type: 'special' };
  must(await harness.operator.runs.create({ ...work, session_id, type: 'start_session', demands }));
  expect(await plain.claim()).toEqual([]);
  expect(await special.claim()).toMatchObject([{ session_id }]);
});
