import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/domain/json/json.js';
import type { HookOptions } from '../../../src/ports/hook-service.js';
import { must, openHarness, type Harness } from '../harness.js';

const START = { hook_event_name: 'SessionStart', session_id: 'c-1', cwd: '/work', source: 'startup' };
const STOP = { hook_event_name: 'Stop', session_id: 'c-1', stop_hook_active: false };
const AGAIN = { ...STOP, stop_hook_active: true };
const END = { verdict: 'end', text: null };

let harness: Harness;
let stateId = '';
beforeEach(async () => {
  harness = await openHarness();
  must(await harness.operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
  must(await harness.operator.sessions.create({ session_name: 'root', external: true }));
});
afterEach(async () => {
  expect(must(await harness.operator.operations.doctor()).findings).toEqual([]);
  await harness.close();
});

const hook = async (input: JsonObject, options: HookOptions) =>
  must(await harness.operator.hooks.answer('claude-code', input, options));
const wake = (invocation: string, waitMs = 5000) =>
  hook(STOP, { session: 'root', wake: true, invocation, waitMs });
/** The process that wakes the session has the answer. */
const heard = (invocation: string) => hook(STOP, { session: 'root', wake: true, invocation, heard: true });
const stop = (input: JsonObject = STOP) => hook(input, { session: 'root' });
const statuses = async () =>
  must(await harness.operator.callbacks.list({})).items.map(({ status }) => status);

async function tree(...kids: readonly string[]): Promise<void> {
  const root = await harness.as('root');
  stateId = must(await root.states.create({ schema_name: 'any', initial_data: {} })).state_id;
  for (const name of kids) {
    const completion = { contract: { pointer: `/${name}`, schema: { type: 'integer' } } };
    must(await root.sessions.create({ session_name: name, external: true, callback: true, completion }));
  }
  await hook(START, { session: 'root' });
}

/** The child records its result, so that its callback is due. */
async function records(name: string): Promise<void> {
  const child = await harness.as(name);
  must(await child.sessions.report(name, { type: 'session_stop', result_text: `what ${name} found` }));
  must(await child.states.patch(stateId, [{ op: 'add', path: `/${name}`, value: 1 }], {}));
  await harness.pass(1);
}

describe('wake', () => {
  it('ends at once where nothing is waited for, and writes nothing', async () => {
    const before = harness.dump();
    expect(await wake('w-1')).toEqual(END);
    expect(harness.dump()).toBe(before);
  });

  it('hands over what comes, which the next stop acknowledges; the last that waits is the one', async () => {
    await tree('kid');
    expect(await hook(STOP, { session: 'root', waitMs: 0 })).toMatchObject({
      verdict: 'end',
      text: expect.stringContaining('kid, children of this session, are still at work') as string,
    });
    const first = wake('w-1');
    const second = wake('w-2');
    expect(await first).toEqual(END);
    await records('kid');
    expect(await second).toMatchObject({
      verdict: 'go_on',
      text: expect.stringContaining('<agent-callback') as string,
    });
    // One that was replaced wakes nobody, whenever it asks again.
    expect(await wake('w-1')).toEqual(END);
    expect(await heard('w-1')).toEqual(END);
    expect(await heard('w-2')).toEqual(END);
    expect(await stop(AGAIN)).toEqual(END);
    expect(await statuses()).toEqual(['acknowledged']);
    expect(await wake('w-3')).toEqual(END);
  });

  it('hands over again what the same process did not hear, and no other', async () => {
    await tree('kid');
    await records('kid');
    const lost = await wake('w-1');
    expect(lost.verdict).toBe('go_on');
    expect(await wake('w-1')).toEqual(lost);
    expect(await wake('w-1')).toEqual(lost);
    await heard('w-1');
    expect(await stop(AGAIN)).toEqual(END);
    expect(await statuses()).toEqual(['acknowledged']);
    expect(await wake('w-1')).toEqual(END);
  });

  it('hands over again what was lost in a restart, and is acknowledged as any other', async () => {
    await tree('one', 'two');
    await records('one');
    expect((await wake('w-1')).text).toContain('what one found');
    await harness.restart();
    expect(await wake('w-2', 0)).toEqual({ verdict: 'waiting', text: null });
    await harness.restart();
    await records('two');
    const again = await wake('w-1');
    expect(again.text).toContain('what one found');
    expect(again.text).not.toContain('what two found');
    await harness.restart();
    await heard('w-1');
    expect((await stop(AGAIN)).text).toContain('what two found');
    expect((await statuses()).sort()).toEqual(['acknowledged', 'delivered']);
  });

  it('waits no more for what somebody else acknowledged after it was lost', async () => {
    await tree('one', 'two');
    await records('one');
    await wake('w-1');
    const root = await harness.as('root');
    for (const one of must(await root.callbacks.list({ status: 'delivered' })).items)
      must(await root.callbacks.acknowledge(one.callback_id));
    expect(await wake('w-1', 0)).toEqual({ verdict: 'waiting', text: null });
    await records('two');
    expect((await wake('w-1')).text).toContain('what two found');
  });

  it('that is heard several times counts once', async () => {
    await tree('kid');
    await records('kid');
    await wake('w-1');
    for (let times = 0; times < 5; times += 1) await heard('w-1');
    expect((await stop()).verdict).toBe('go_on');
    expect(await stop(AGAIN)).toEqual(END);
  });

  it('is not acknowledged by a turn that went on for another reason', async () => {
    await tree('one', 'two');
    await records('one');
    expect((await stop()).text).toContain('what one found');
    await records('two');
    expect((await wake('w-1')).text).toContain('what two found');
    // The process ended before it had the answer.
    expect((await stop(AGAIN)).text).toContain('what two found');
    expect((await statuses()).sort()).toEqual(['acknowledged', 'delivered']);
    expect(await stop(AGAIN)).toEqual(END);
    expect(await statuses()).toEqual(['acknowledged', 'acknowledged']);
  });

  it('in a turn that went on leaves what the refusal handed over to be acknowledged', async () => {
    await tree('one', 'two');
    await records('one');
    expect((await stop()).text).toContain('what one found');
    await records('two');
    expect((await wake('w-1')).text).toContain('what two found');
    await heard('w-1');
    expect(await stop(AGAIN)).toEqual(END);
    expect(await statuses()).toEqual(['acknowledged', 'acknowledged']);
  });

  it('that was not heeded is handed over by the next stops, and not for ever', async () => {
    await tree('kid');
    await records('kid');
    expect((await wake('w-1')).verdict).toBe('go_on');
    await heard('w-1');
    const verdicts: string[] = [];
    for (let stops = 0; stops < 5; stops += 1) verdicts.push((await stop()).verdict);
    expect(verdicts).toEqual(['go_on', 'go_on', 'end', 'end', 'end']);
    expect((await wake('w-2')).verdict).toBe('end');
  });
});
