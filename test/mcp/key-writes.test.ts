// Tools that write a key: on what the session last read of it, so that the work of others in the same key is kept.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS, type Limits } from '../../src/domain/limits.js';
import type { JsonObject } from '../../src/domain/json/json.js';
import { TOOLS } from '../../src/mcp/index.js';
import { must, openHarness, failure, type Harness } from '../service/harness.js';

let harness: Harness;
let stateId: string;
let childId: string;

beforeEach(() => openTree());
afterEach(() => harness.close());

async function openTree(limits: Partial<Limits> = {}): Promise<void> {
  harness = await openHarness(limits);
  const { operator } = harness;
  must(await operator.sessions.create({ session_name: 'root', external: true }));
  const root = await harness.as('root');
  const initial_state = { parts: { base: 1 }, phase: 'plan' };
  stateId = must(await root.keys.open('root', { initial_state })).state_id;
  const child = { session_name: 'child', parent_session_name: 'root', external: true };
  childId = must(await operator.sessions.create(child)).session_id;
}

/** Calls a tool as the child, or as nobody. */
async function call(name: string, args: object, asChild = true) {
  const tool = TOOLS.find((one) => one.name === name);
  return tool!.run(args, {
    service: asChild ? await harness.as('child') : harness.operator,
    caller: asChild ? { session: childId, stateId: null } : { session: null, isNoSession: true, stateId },
    limits: DEFAULT_LIMITS,
    waiting: (work) => work(new AbortController().signal),
    progress: { during: (_message, work) => work() },
  });
}

const theirs = async (patch: JsonObject) =>
  must(await harness.operator.states.mergePatch(stateId, patch, {}));
const data = async () => must(await harness.operator.states.get(stateId)).current_data;

it('an operator tells what stands behind the last item now', async () => {
  await theirs({ tasks: [1] });
  const appended = must(await call('state_append', { pointer: '/tasks/-', items: ['x'] }, false));
  expect(appended).toMatchObject({ changed: true, length: 1 });
  const counted = must(await call('state_increment', { pointer: '/tasks/-', delta: 5 }, false));
  expect(counted).toMatchObject({ changed: true, value: 5 });
  expect(await data()).toMatchObject({ tasks: [1, ['x'], 5] });
});

describe.each(['state_get', 'state_read'])('after %s', (read) => {
  beforeEach(async () => {
    must(await call(read, read === 'state_get' ? { key: 'parts' } : {}));
    await theirs({ parts: { sibling: 2 } });
  });

  it('state_set keeps what others added to the key', async () => {
    const set = must(await call('state_set', { key: 'parts', value: { base: 1, mine: 3 } }));
    expect(set).toMatchObject({ changed: true, merged: true, global_version: 3 });
    expect(await data()).toEqual({ parts: { base: 1, sibling: 2, mine: 3 }, phase: 'plan' });
  });

  it('state_set again from memory keeps it too', async () => {
    must(await call('state_set', { key: 'parts', value: { base: 1, mine: 3 } }));
    must(await call('state_set', { key: 'parts', value: { base: 1, mine: 4 } }));
    expect(await data()).toMatchObject({ parts: { base: 1, sibling: 2, mine: 4 } });
  });

  it('state_set of a place that others changed differently is refused, and state_delete of what they changed', async () => {
    const before = await data();
    const set = await call('state_set', { key: 'parts', value: { base: 1, sibling: 9 } });
    expect(failure(set)).toMatchObject({ error: 'merge_conflict' });
    expect(failure(await call('state_delete', { key: 'parts' })).error).toBe('merge_conflict');
    expect(await data()).toEqual(before);
  });

  it('if_version takes the place of what was read', async () => {
    const set = await call('state_set', { key: 'parts', value: {}, if_version: 1 });
    expect(failure(set).error).toBe('version_conflict');
    must(await call('state_set', { key: 'parts', value: {}, if_version: 2 }));
    expect(await data()).toMatchObject({ parts: {} });
  });

  it('state_delete removes a key that was made since', async () => {
    await theirs({ late: 1 });
    must(await call('state_delete', { key: 'late' }));
    expect(await data()).not.toHaveProperty('late');
  });
});

it.each([true, false])(
  'with nothing read, a key is written as it comes (as a session: %s)',
  async (asChild) => {
    await theirs({ parts: { sibling: 2 } });
    const set = must(await call('state_set', { key: 'parts', value: { mine: 3 } }, asChild));
    expect(set).not.toHaveProperty('merged');
    must(await call('state_delete', { key: 'phase' }, asChild));
    expect(await data()).toEqual({ parts: { mine: 3 } });
  },
);

describe('after another key was read', () => {
  beforeEach(async () => {
    must(await call('state_get', { key: 'parts' }));
    await theirs({ phase: 'work', other: { x: 1 } });
  });

  it.each([
    ['phase', 'done'],
    ['other', { y: 1 }],
  ])('state_set of a key that the session does not know writes it as it comes (%s)', async (key, value) => {
    must(await call('state_set', { key, value }));
    expect(await data()).toMatchObject({ [key]: value });
    expect((await data())['other']).toEqual(key === 'other' ? value : { x: 1 });
  });
});

describe('after the version that was read is compacted', () => {
  it('state_get is enough for state_set of the same key', async () => {
    await harness.close();
    const limits = {
      historyVersionsMax: 10,
      eventsPerSnapshotMax: 4,
      retentionStepMs: 1,
      retentionRoundMs: 5,
    };
    await openTree({ ...limits, retentionRowsPerStepMax: 8 });
    must(await call('state_read', {}));
    for (let n = 0; n < 60; n += 1) await theirs({ phase: `step ${String(n)}` });
    for (let round = 0; round < 4; round += 1) await harness.pass(0);
    const refused = await call('state_set', { key: 'parts', value: {} });
    expect(failure(refused).error).toBe('version_compacted');
    must(await call('state_get', { key: 'parts' }));
    await theirs({ parts: { sibling: 2 } });
    must(await call('state_set', { key: 'parts', value: { base: 1, mine: 3 } }));
    expect(await data()).toMatchObject({ parts: { base: 1, sibling: 2, mine: 3 } });
  });
});
