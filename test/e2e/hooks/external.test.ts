import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually, STORY_MS_MAX } from '../../support/eventually.js';
import { must, Stage } from '../../support/stage.js';

describe('an external child of an external parent', { timeout: STORY_MS_MAX }, () => {
  let stage: Stage;
  let count = 0;
  let parent = '';
  let child = '';
  let stateId = '';
  beforeAll(async () => {
    stage = await Stage.open({ runner: null });
    must(await stage.operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
  });
  afterAll(async () => {
    const doctor = await stage.command('doctor');
    await stage.close();
    expect(doctor).toMatchObject({ code: 0, stdout: 'All is well.\n' });
  });
  beforeEach(async () => {
    count += 1;
    parent = `parent-${String(count)}`;
    child = `child-${String(count)}`;
    must(await stage.operator.sessions.create({ session_name: parent, external: true }));
    const state = await stage.as(parent).states.create({ schema_name: 'any', initial_data: {} });
    stateId = must(state).state_id;
  });

  const begin = async (timeoutMs = 60_000) =>
    must(
      await stage.as(parent).sessions.create({
        session_name: child,
        external: true,
        callback: true,
        completion: { max_attempts: 2, timeout_ms: timeoutMs },
      }),
    );
  const stops = async (text: string) =>
    must(await stage.as(child).sessions.report(child, { type: 'session_stop', result_text: text }));
  const pull = async (waitMs: number) =>
    must(await stage.as(parent).sessions.pullCallbacks(parent, waitMs)).items;

  it('is handed the same request by the answer to its stop and by its completion', async () => {
    await begin();
    must(await stage.as(child).sessions.report(child, { type: 'session_start' }));
    const answer = await stops('what I found');
    expect(answer).toMatchObject({ state_update_status: 'pending', request: { attempt: 1, of: 2 } });
    const asked = must(await stage.as(child).sessions.completion(child));
    expect(asked.request).toEqual(answer.request);
    expect(asked.request!.prompt).toContain('<state-update-request attempt="1" of="2"');
  });

  it('wakes its parent that pulls as soon as it has written', async () => {
    await begin();
    await stops('what I found');
    expect(await pull(0)).toEqual([]);
    const pulled = pull(15_000);
    must(await stage.as(child).states.patch(stateId, [{ op: 'add', path: '/child', value: 1 }], {}));
    const [callback] = await pulled;
    expect(callback).toMatchObject({
      status: 'delivered',
      metadata: { callback_source: child, state_update_status: 'completed', workflow_state_version: 2 },
    });
    expect(callback!.message).toContain('what I found');
    must(await stage.as(parent).callbacks.acknowledge(callback!.callback_id));
    expect(await pull(0)).toEqual([]);
  });

  it('is asked again by each further stop, until it has failed with the result of its work', async () => {
    await begin();
    await stops('the work');
    expect((await stops('sorry')).request).toMatchObject({ attempt: 2, of: 2 });
    expect(await stops('no idea')).toEqual({ state_update_status: 'failed' });
    const [callback] = await pull(15_000);
    expect(callback!.metadata.state_update_status).toBe('failed');
    expect(callback!.message).toContain('the work');
    expect(callback!.message).not.toContain('sorry');
  });

  it('has an attempt ended by the time that it may take', async () => {
    await begin(300);
    await stops('the work');
    const completion = await eventually('both attempts are over', async () => {
      const now = must(await stage.operator.sessions.completion(child));
      return now.state_update_status === 'failed' && now;
    });
    expect(completion.attempts.map((one) => one.outcome)).toEqual(['timed_out', 'timed_out']);
    expect((await pull(15_000))[0]!.message).toContain('the work');
  });

  it('is known again, with its request, after the coordinator was killed', async () => {
    await begin();
    const { request } = await stops('the work');
    await stage.coordinator.end('SIGKILL');
    await stage.startCoordinator();
    expect(must(await stage.as(child).sessions.completion(child)).request).toEqual(request);
    must(await stage.as(child).states.patch(stateId, [{ op: 'add', path: '/child', value: 1 }], {}));
    expect((await pull(15_000))[0]!.metadata.state_update_status).toBe('completed');
  });
});
