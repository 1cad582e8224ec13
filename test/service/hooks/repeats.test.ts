import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/domain/json/json.js';
import type { HookOptions } from '../../../src/ports/hook-service.js';
import { must, openHarness, type Harness } from '../harness.js';

const STOP = { hook_event_name: 'Stop', session_id: 'c-1', stop_hook_active: false };
const AGAIN = { ...STOP, stop_hook_active: true };

let harness: Harness;
let stateId = '';
beforeEach(async () => {
  harness = await openHarness();
  must(await harness.operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
  must(await harness.operator.sessions.create({ session_name: 'root', external: true }));
  const root = await harness.as('root');
  stateId = must(await root.states.create({ schema_name: 'any', initial_data: {} })).state_id;
});
afterEach(async () => {
  expect(must(await harness.operator.operations.doctor()).findings).toEqual([]);
  await harness.close();
});

const hook = async (input: JsonObject, options: HookOptions) =>
  must(await harness.operator.hooks.answer('claude-code', input, options));
const statuses = async () =>
  must(await harness.operator.callbacks.list({})).items.map(({ status }) => status);
const completion = async (name: string) => must(await harness.operator.sessions.completion(name));

async function kid(name = 'kid', parent = 'root'): Promise<void> {
  const completion = { contract: { pointer: `/${name}`, schema: { type: 'integer' } } };
  const body = {
    session_name: name,
    parent_session_name: parent,
    external: true,
    callback: true,
    completion,
  };
  must(await harness.operator.sessions.create(body));
}

/** A child that has recorded its result, so that its callback is due. */
async function recorded(name = 'kid', parent = 'root'): Promise<void> {
  await kid(name, parent);
  const child = await harness.as(name);
  must(await child.sessions.report(name, { type: 'session_stop', result_text: `what ${name} found` }));
  must(await child.states.patch(stateId, [{ op: 'add', path: `/${name}`, value: 1 }], {}));
  await harness.pass(1);
}

describe('callbacks whose hand-over was not heard', () => {
  it('are handed over again, with the same id, until the agent comes back from them', async () => {
    await recorded();
    const first = await hook(STOP, { session: 'root' });
    const [, id = ''] = /callback="([^"]+)"/.exec(first.text ?? '') ?? [];
    expect(id).toMatch(/^cb_/);
    expect(await hook(STOP, { session: 'root' })).toEqual(first);
    expect(await statuses()).toEqual(['delivered']);
    expect(await hook(AGAIN, { session: 'root' })).toEqual({ verdict: 'end', text: null });
    expect(await statuses()).toEqual(['acknowledged']);
    expect(await hook(STOP, { session: 'root' })).toEqual({ verdict: 'end', text: null });
  });

  it('are handed over again after a restart', async () => {
    await recorded();
    const first = await hook(STOP, { session: 'root' });
    await harness.restart();
    expect(await hook(AGAIN, { session: 'root' })).toEqual(first);
    expect(await hook(AGAIN, { session: 'root' })).toMatchObject({ verdict: 'end' });
    expect(await statuses()).toEqual(['acknowledged']);
  });

  it('are not acknowledged by the same stop that is asked about again', async () => {
    await recorded();
    await kid('kid-2');
    expect((await hook(STOP, { session: 'kid-2', invocation: 'a' })).text).toContain('attempt="1"');
    const hookResult = await hook(AGAIN, { session: 'root', invocation: 'b' });
    expect(await hook(AGAIN, { session: 'root', invocation: 'b' })).toEqual(hookResult);
    expect(await statuses()).toEqual(['delivered', 'held']);
    await hook(AGAIN, { session: 'root', invocation: 'c' });
    expect(await statuses()).toEqual(['acknowledged', 'held']);
  });

  it('do not hold a client back that never comes back from them, and can still be pulled', async () => {
    await recorded();
    for (let n = 0; n < 3; n += 1) expect((await hook(STOP, { session: 'root' })).verdict).toBe('go_on');
    expect((await hook(STOP, { session: 'root' })).verdict).toBe('end');
    await recorded('kid-2');
    expect((await hook(STOP, { session: 'root' })).text).toContain('child="kid-2"');
    expect((await hook(STOP, { session: 'root' })).verdict).toBe('end');
    const pulled = must(await (await harness.as('root')).sessions.pullCallbacks('root', 0));
    expect(pulled.items).toHaveLength(2);
  });

  it('leave the parent its work: it is asked for its result when it has heard', async () => {
    await kid();
    const options = { session: 'kid', waitMs: 0 };
    const child = await harness.as('kid');
    must(await child.sessions.create({ session_name: 'grandkid', external: true, callback: true }));
    expect((await hook(STOP, options)).verdict).toBe('end');
    const grandkid = await harness.as('grandkid');
    must(await grandkid.sessions.report('grandkid', { type: 'session_stop' }));
    must(await grandkid.states.patch(stateId, [{ op: 'add', path: '/g', value: 1 }], {}));
    await harness.pass(1);
    expect((await hook(STOP, options)).text).toContain('<agent-callback child="grandkid"');
    expect(await completion('kid')).toMatchObject({ state_update_status: null, attempt: 0 });
    expect((await hook(AGAIN, options)).text).toContain('attempt="1"');
  });
});

describe('more callbacks than a message may hold', () => {
  it('are handed over in parts, and the rest is told of', async () => {
    await harness.close();
    harness = await openHarness({ callbackHandOverBytesMax: 1 });
    must(await harness.operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
    must(await harness.operator.sessions.create({ session_name: 'root', external: true }));
    const root = await harness.as('root');
    stateId = must(await root.states.create({ schema_name: 'any', initial_data: {} })).state_id;
    await recorded('one');
    await recorded('two');
    const first = await hook(STOP, { session: 'root' });
    expect(first.text).toContain('child="one"');
    expect(first.text).not.toContain('child="two"');
    expect(first.text).toContain('1 more wait: they are handed over when you next end your turn.');
    expect(await statuses()).toEqual(['delivered', 'queued']);
    const second = await hook(AGAIN, { session: 'root' });
    expect(second.text).toContain('child="two"');
    expect(second.text).not.toContain('more wait');
    expect(await hook(AGAIN, { session: 'root' })).toEqual({ verdict: 'end', text: null });
    expect(await statuses()).toEqual(['acknowledged', 'acknowledged']);
  });
});

describe('a start that is heard of again', () => {
  it('opens new work once', async () => {
    await recorded();
    const start = { hook_event_name: 'SessionStart', session_id: 'c-1', source: 'startup' };
    for (let n = 0; n < 2; n += 1) {
      expect((await hook(start, { session: 'kid' })).verdict).toBe('begin');
      const { generation, executor_session_id } = must(await harness.operator.sessions.get('kid'));
      expect([generation, executor_session_id]).toEqual([2, 'c-1']);
    }
  });
});

describe('a stop that is asked about again', () => {
  it.each(['the same coordinator', 'one that was started anew'])(
    'costs no second attempt, and has the same answer from %s',
    async (whom) => {
      await kid();
      const again = async (input: JsonObject, invocation: string) => {
        const answer = await hook(input, { session: 'kid', invocation });
        if (whom !== 'the same coordinator') await harness.restart();
        const before = harness.dump();
        expect(await hook(input, { session: 'kid', invocation })).toEqual(answer);
        expect(harness.dump()).toBe(before);
        return answer;
      };
      expect((await again({ ...STOP, last_assistant_message: 'the work' }, 'a')).text).toContain(
        'attempt="1"',
      );
      expect((await again(AGAIN, 'b')).text).toContain('attempt="2"');
      expect(await completion('kid')).toMatchObject({ attempt: 2 });
      expect((await again(AGAIN, 'c')).text).toContain('attempt="3"');
      expect((await again(AGAIN, 'd')).text).toContain('state update failed');
    },
  );

  it('does not use up the client’s cap', async () => {
    await kid();
    const options = { session: 'kid', refusalsMax: 2 };
    await hook(STOP, { ...options, invocation: 'a' });
    for (let n = 0; n < 3; n += 1) {
      expect((await hook(AGAIN, { ...options, invocation: 'b' })).verdict).toBe('go_on');
    }
    expect((await hook(AGAIN, { ...options, invocation: 'c' })).text).toContain('no more refusals');
    expect((await hook(AGAIN, { ...options, invocation: 'c' })).text).toContain('no more refusals');
  });

  it('of a sub-agent is the same too', async () => {
    const input = { ...STOP, hook_event_name: 'SubagentStop', agent_id: 'a-1', agent_type: 'reviewer' };
    const options = { session: 'root', agents: ['reviewer'], invocation: 'a' };
    const first = await hook(input, options);
    const before = harness.dump();
    expect(await hook(input, options)).toEqual(first);
    expect(harness.dump()).toBe(before);
  });
});
