// Tools that write a key: on what the session last read of it, so that the work of others in the same key is kept.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/domain/limits.js';
import type { JsonObject } from '../../src/domain/json/json.js';
import { TOOLS } from '../../src/mcp/index.js';
import { must, openHarness, failure, type Harness } from '../service/harness.js';

let harness: Harness;
let stateId: string;
let childId: string;

beforeEach(async () => {
  harness = await openHarness();
  const { operator } = harness;
  must(await operator.sessions.create({ session_name: 'root', external: true }));
  const root = await harness.as('root');
  const initial_state = { parts: { base: 1 }, phase: 'plan' };
  stateId = must(await root.keys.open('root', { initial_state })).state_id;
  const child = { session_name: 'child', parent_session_name: 'root', external: true };
  childId = must(await operator.sessions.create(child)).session_id;
});
afterEach(() => harness.close());

/** Calls a tool as the child, or as nobody. */
async function call(name: string, args: object, asChild = true) {
  const tool = TOOLS.find((one) => one.name === name);
  return tool!.run(args, {
    service: asChild ? await harness.as('child') : harness.operator,
    caller: asChild ? { session: childId, stateId: null } : { session: null, isNoSession: true, stateId },
    limits: DEFAULT_LIMITS,
    signal: new AbortController().signal,
    progress: { during: (_message, work) => work() },
  });
}

const theirs = async (patch: JsonObject) =>
  must(await harness.operator.states.mergePatch(stateId, patch, {}));
const data = async () => must(await harness.operator.states.get(stateId)).current_data;

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
