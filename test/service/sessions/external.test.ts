import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { must, openHarness, type Harness } from '../harness.js';

describe('an external child of an external root', () => {
  let harness: Harness;
  let stateId: string;
  beforeEach(async () => {
    harness = await openHarness();
    const { operator } = harness;
    must(await operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
    must(await operator.sessions.create({ session_name: 'root', external: true }));
    const root = await harness.as('root');
    stateId = must(await root.states.create({ schema_name: 'any', initial_data: {} })).state_id;
    must(
      await root.sessions.create({
        session_name: 'kid',
        external: true,
        callback: true,
        completion: { contract: { pointer: '/kid', schema: { type: 'integer' } }, max_attempts: 2 },
      }),
    );
  });
  afterEach(async () => {
    expect(must(await harness.operator.operations.doctor()).findings).toEqual([]);
    await harness.close();
  });

  const stop = async (text?: string) => {
    const kid = await harness.as('kid');
    return must(
      await kid.sessions.report('kid', {
        type: 'session_stop',
        ...(text === undefined ? {} : { result_text: text }),
      }),
    );
  };
  const pulled = async () => must(await (await harness.as('root')).sessions.pullCallbacks('root', 0)).items;

  it('is handed a request in the answer to its stop, and released when it has written', async () => {
    const answer = await stop('what I found');
    expect(answer).toMatchObject({ state_update_status: 'pending', request: { attempt: 1, of: 2 } });
    expect(await pulled()).toEqual([]);
    const kid = await harness.as('kid');
    must(await kid.states.patch(stateId, [{ op: 'add', path: '/kid', value: 1 }], {}));
    await harness.pass(1);
    const [callback] = await pulled();
    expect(callback).toMatchObject({
      status: 'delivered',
      outcome: 'completed',
      metadata: { state_update_status: 'completed' },
    });
    expect(callback!.message).toContain('what I found');
    const root = await harness.as('root');
    expect(must(await root.callbacks.acknowledge(callback!.callback_id)).status).toBe('acknowledged');
    expect(await pulled()).toEqual([]);
  });

  it('ends an attempt with each further stop, and fails after the last with its first result kept', async () => {
    await stop('the work');
    expect((await stop('sorry')).request).toMatchObject({ attempt: 2, of: 2 });
    expect((await stop('no idea')).state_update_status).toBe('failed');
    const [callback] = await pulled();
    expect(callback!.message).toContain('the work');
    expect(callback!.message).not.toContain('sorry');
  });

  it('ends an attempt with the time-out too', async () => {
    await stop();
    await harness.pass(120_000);
    expect(must(await harness.operator.sessions.completion('kid'))).toMatchObject({
      attempt: 2,
      attempts: [{ outcome: 'timed_out' }, { outcome: 'open' }],
    });
    await harness.pass(120_000);
    expect(must(await harness.operator.sessions.completion('kid')).state_update_status).toBe('failed');
  });

  it('wakes a parent that waits', async () => {
    const root = await harness.as('root');
    await stop();
    await stop();
    const waiting = root.sessions.pullCallbacks('root', 5000);
    await stop();
    expect(must(await waiting).items).toHaveLength(1);
  });

  it('begins anew when it starts again after its release', async () => {
    must(await harness.operator.sessions.skip('kid', { reason: 'not needed' }));
    await stop();
    expect((await pulled())[0]).toMatchObject({ metadata: { state_update_status: 'skipped' } });
    const kid = await harness.as('kid');
    expect(must(await kid.sessions.report('kid', { type: 'session_start' })).state_update_status).toBeNull();
    expect(must(await harness.operator.sessions.get('kid'))).toMatchObject({
      generation: 2,
      status: 'running',
    });
    expect((await stop()).request).toMatchObject({ attempt: 1 });
  });
});

describe('an external session between its parent and its child', () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await openHarness();
    const { operator } = harness;
    must(await operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
    must(await operator.sessions.create({ session_name: 'top', external: true }));
    must(await (await harness.as('top')).states.create({ schema_name: 'any', initial_data: {} }));
  });
  afterEach(async () => {
    expect(must(await harness.operator.operations.doctor()).findings).toEqual([]);
    await harness.close();
  });

  const says = async (session: string, type: 'session_start' | 'session_stop', text?: string) =>
    must(
      await harness.operator.sessions.report(session, {
        type,
        ...(text === undefined ? {} : { result_text: text }),
      }),
    );
  const callbacksOf = async (child_session: string) =>
    must(await harness.operator.callbacks.list({ child_session })).items.map((one) => one.status);
  const pulledBy = async (session: string) =>
    must(await harness.operator.sessions.pullCallbacks(session, 0)).items.map((one) => one.message ?? '');

  /** A session that has ended its work while its child works. */
  const waiting = async (mode: 'never' | 'always') => {
    const child = { external: true, callback: true };
    const { sessions } = harness.operator;
    must(
      await sessions.create({
        session_name: 'mid',
        parent_session_name: 'top',
        completion: { mode },
        ...child,
      }),
    );
    await says('mid', 'session_start');
    must(
      await sessions.create({
        session_name: 'kid',
        parent_session_name: 'mid',
        completion: { mode: 'never' },
        ...child,
      }),
    );
    await says('kid', 'session_start');
    await says('mid', 'session_stop', 'I wait');
  };
  /** The session ends the work that it took up again. */
  const ends = async (mode: 'never' | 'always') => {
    const said = await says('mid', 'session_stop', 'all of it');
    expect(said.request?.attempt).toBe(mode === 'always' ? 1 : undefined);
    if (mode === 'always') must(await harness.operator.sessions.skip('mid', { reason: 'enough' }));
    expect(await pulledBy('top')).toEqual([expect.stringContaining('all of it')]);
  };

  it.each(['never', 'always'] as const)('is at work once it starts again (mode %s)', async (mode) => {
    await waiting(mode);
    await says('kid', 'session_stop', 'of the kid');
    await says('mid', 'session_start');
    expect(await pulledBy('mid')).toHaveLength(1);
    expect(await callbacksOf('mid')).toEqual(['held']);
    expect(must(await harness.operator.sessions.completion('mid'))).toMatchObject({ attempts: [] });
    await ends(mode);
  });

  it('is at work once it starts again before its child has ended', async () => {
    await waiting('never');
    await says('mid', 'session_start');
    await says('kid', 'session_stop', 'of the kid');
    expect(await pulledBy('mid')).toHaveLength(1);
    expect(await callbacksOf('mid')).toEqual(['held']);
    await ends('never');
  });

  it('is at work once it starts again after an operator has skipped its state update', async () => {
    await waiting('always');
    must(await harness.operator.sessions.skip('mid', { reason: 'not needed' }));
    await says('kid', 'session_stop', 'of the kid');
    await says('mid', 'session_start');
    expect(await pulledBy('mid')).toHaveLength(1);
    expect(await callbacksOf('mid')).toEqual(['held']);
    await ends('never');
  });

  it('goes on with the request that it has to answer when it starts again', async () => {
    await waiting('always');
    await says('kid', 'session_stop', 'of the kid');
    expect(await pulledBy('mid')).toHaveLength(1);
    await says('mid', 'session_start');
    expect(must(await harness.operator.sessions.completion('mid'))).toMatchObject({
      state_update_status: 'pending',
      attempts: [{ outcome: 'open' }],
    });
    expect((await says('mid', 'session_stop')).request?.attempt).toBe(2);
  });
});
