// Contracts are looked at with every commit: a sibling that destroys a recorded result is seen, whatever it writes with.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/domain/json/json.js';
import { must, openHarness, PlayedRunner, type Harness } from '../harness.js';

type RunClaimed = Awaited<ReturnType<PlayedRunner['take']>>;

const CONTRACT = { type: 'object', required: ['files'] };

describe('a recorded result', () => {
  let harness: Harness;
  let runner: PlayedRunner;
  let stateId: string;
  let rootRun: RunClaimed;
  let workOfA: RunClaimed;

  beforeEach(async () => {
    harness = await openHarness();
    runner = await PlayedRunner.register(harness);
    must(await harness.operator.schemas.register({ name: 'free', json_schema: { type: 'object' } }));
    must(
      await harness.operator.runs.create({
        type: 'start_session',
        session_name: 'root',
        prompt: 'orchestrate',
      }),
    );
    const root = await harness.as('root');
    stateId = must(await root.states.create({ schema_name: 'free', initial_data: { tasks: {} } })).state_id;
    rootRun = await runner.take('root');
    for (const name of ['a', 'b']) {
      const contract = { pointer: `/tasks/${name}`, schema: CONTRACT };
      must(
        await root.runs.create({
          type: 'start_session',
          session_name: name,
          prompt: 'work',
          callback: true,
          completion: { contract },
        }),
      );
      if (name === 'a') workOfA = await runner.take('a');
    }
  });
  afterEach(async () => {
    expect(must(await harness.operator.operations.doctor()).findings).toEqual([]);
    await harness.close();
  });

  const put = async (session: string | null, path: string, value: JsonValue) => {
    const service = session === null ? harness.operator : await harness.as(session);
    return must(await service.states.patch(stateId, [{ op: 'add', path, value }], {}));
  };
  const completion = async (session: string) => must(await harness.operator.sessions.completion(session));
  const recorded = { files: 7 };

  it('that moves to another place with the items before it is seen at once', async () => {
    await put(null, '/list', [{ n: 0 }, { n: 1 }]);
    const root = await harness.as('root');
    const contract = { pointer: '/list/1', schema: CONTRACT };
    const create = { session_name: 'c', external: true, completion: { contract } } as const;
    must(await root.sessions.create({ ...create, callback: true, delivery: 'pull' }));
    await put('c', '/list/1/files', 7);
    expect((await completion('c')).contract_broken).toBeNull();
    must(await harness.operator.states.patch(stateId, [{ op: 'remove', path: '/list/0' }], {}));
    expect((await completion('c')).contract_broken).toMatchObject({ errors: [{ pointer: '/list/1' }] });
    must(await harness.operator.states.patch(stateId, [{ op: 'add', path: '/list/0', value: 0 }], {}));
    expect((await completion('c')).contract_broken).toBeNull();
    await runner.complete(workOfA, 'done');
    await put('a', '/tasks/a', recorded);
  });

  it('that a sibling destroys while its child is at work is seen at once, and told in the prompt', async () => {
    await put('a', '/tasks/a', recorded);
    expect((await completion('a')).contract_broken).toBeNull();
    const { version } = await put('b', '/tasks', {});
    expect(await completion('a')).toMatchObject({
      state_update_status: null,
      contract_broken: { by: 'b', version, errors: [{ pointer: '/tasks/a' }] },
    });
    await runner.complete(workOfA, 'done');
    const { prompt } = await runner.take('a');
    expect(prompt).toContain(`the session b changed that place in version ${String(version)}`);
    expect(prompt).toContain('/tasks/a');
  });

  it('that is destroyed after it was recorded in the update run is told to the parent, by name', async () => {
    await runner.complete(workOfA, 'done');
    await runner.complete(rootRun, 'sleeping');
    const update = await runner.take('a');
    await put('a', '/tasks/a', recorded);
    await put('b', '/tasks/a', 'mine');
    expect(await completion('a')).toMatchObject({
      state_update_status: 'completed',
      contract_broken: { by: 'b' },
    });
    await runner.complete(update, 'recorded');
    const { prompt } = await runner.take('root');
    expect(prompt).toMatch(/broken|no longer/i);
    expect(prompt).toContain('b');
  });

  it('is watched until its release, also where further work waits with a contract of its own', async () => {
    await runner.complete(workOfA, 'done');
    const update = await runner.take('a');
    await put('a', '/tasks/a', recorded);
    const root = await harness.as('root');
    const contract = { pointer: '/tasks/a', schema: {} };
    const more = {
      type: 'resume_session',
      session_name: 'a',
      prompt: 'more',
      completion: { contract },
    } as const;
    must(await root.runs.create(more));
    await put('b', '/tasks/a', 'mine');
    expect(await completion('a')).toMatchObject({
      generation: 1,
      contract: { schema: CONTRACT },
      contract_broken: { by: 'b', errors: [{ pointer: '/tasks/a' }] },
    });
    await put('b', '/tasks/a', recorded);
    expect((await completion('a')).contract_broken).toBeNull();
    await runner.complete(update, 'recorded');
    const again = await runner.take('a');
    await put('a', '/tasks/a', { files: 9 });
    await put('b', '/tasks/a', 'mine');
    expect(await completion('a')).toMatchObject({ generation: 2, contract_broken: null });
    await runner.complete(again, 'done');
  });

  it('is not broken any more where further work is given with another contract', async () => {
    await put('a', '/tasks/a', recorded);
    await put('b', '/tasks/a', 'mine');
    const root = await harness.as('root');
    const resume = { type: 'resume_session', session_name: 'a', prompt: 'more' } as const;
    must(await root.runs.create({ ...resume, completion: { max_attempts: 2 } }));
    expect((await completion('a')).contract_broken).not.toBeNull();
    const contract = { pointer: '/tasks/a', schema: { type: 'string' } };
    must(await root.runs.create({ ...resume, completion: { contract } }));
    expect((await completion('a')).contract_broken).toBeNull();
    await runner.complete(workOfA, 'done');
    await runner.complete(await runner.take('a'), 'done');
    await runner.complete(await runner.take('a'), 'done');
    const { purpose, prompt } = await runner.take('a');
    expect(purpose).toBe('state_update');
    expect(prompt).not.toContain('changed that place');
    expect(prompt).not.toContain('still missing');
  });

  it('that is made whole again is whole', async () => {
    await put('a', '/tasks/a', recorded);
    await put('b', '/tasks/a', null);
    await put('b', '/tasks/b', recorded);
    expect((await completion('a')).contract_broken).not.toBeNull();
    await put('b', '/tasks/a', { files: 8 });
    expect((await completion('a')).contract_broken).toBeNull();
    await put('b', '/tasks/a', 'gone');
    await put('a', '/tasks/a', recorded);
    expect((await completion('a')).contract_broken).toBeNull();
  });

  it('is watched for writes of every form, and for those of the operator', async () => {
    const operator = harness.operator.states;
    const destroy: readonly (() => Promise<unknown>)[] = [
      () => operator.replace(stateId, { tasks: {} }, {}),
      () => operator.mergePatch(stateId, { tasks: { a: null } }, {}),
      () => operator.patch(stateId, [{ op: 'move', from: '/tasks/a', path: '/kept' }], {}),
      () => operator.patch(stateId, [{ op: 'copy', from: '/tasks', path: '/tasks/a' }], {}),
      () => operator.ops(stateId, [{ op: 'delete', pointer: '/tasks/a' }], {}),
      () => operator.revert(stateId, 1, {}),
    ];
    for (const write of destroy) {
      await put('a', '/tasks', { a: recorded });
      expect((await completion('a')).contract_broken).toBeNull();
      await write();
      expect((await completion('a')).contract_broken).toMatchObject({ by: null });
    }
  });

  it('that is destroyed in the same commit as it was recorded is seen', async () => {
    await Promise.all([put('a', '/tasks/a', recorded), put('b', '/tasks/a', 1)]);
    expect((await completion('a')).contract_broken).toMatchObject({ by: 'b' });
  });

  it('that was never there is not broken by anyone', async () => {
    await put('b', '/tasks/a', 'noise');
    expect(await completion('a')).toMatchObject({ contract_broken: null, state_update_status: null });
  });

  it('is watched after a restart too', async () => {
    await put('a', '/tasks/a', recorded);
    await harness.restart();
    await put('b', '/tasks/a', 0);
    expect((await completion('a')).contract_broken).toMatchObject({ by: 'b' });
  });
});
