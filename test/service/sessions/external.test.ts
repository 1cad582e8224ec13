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
