import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../src/ports/storage/store.js';
import { KnownRecords } from '../../src/service/known-records.js';
import { must, openHarness, PlayedRunner, type Harness } from './harness.js';

const asItIs = { repairing: <T>(_: unknown, work: () => Promise<T>) => work() };

describe('known records', () => {
  let harness: Harness;
  let known: KnownRecords;
  let store: Store;
  beforeEach(async () => {
    const opened: Store[] = [];
    harness = await openHarness({}, false, {}, undefined, (one) => {
      opened.push(one);
      return one;
    });
    [store] = opened as [Store];
    known = new KnownRecords(store, asItIs);
  });
  afterEach(() => harness.close());
  const create = async (name: string) =>
    must(await harness.operator.sessions.create({ session_name: name, external: true })).session_id;

  it('come from memory, by id and by name', async () => {
    const id = await create('root');
    expect(known.session('root')).toMatchObject({ sessionId: id });
    expect(known.session(id)).toMatchObject({ sessionName: 'root' });
    expect(known.tree(id)).toMatchObject({ rootSessionId: id });
    expect(known.terms(id)).toMatchObject({ generation: 1 });
    expect(await known.session('nobody')).toBeNull();
    expect(await known.tree('ses_none')).toBeNull();
  });

  it('follow what is committed: a deleted session is unknown, and its name is free for another', async () => {
    const first = await create('root');
    must(await harness.operator.sessions.remove('root', {}));
    expect(await known.session('root')).toBeNull();
    expect(await known.session(first)).toBeNull();
    const second = await create('root');
    expect((await known.session('root'))?.sessionId).toBe(second);
    expect(await known.session(first)).toBeNull();
  });

  it('are looked up by name where another coordinator may have given the name away', async () => {
    const id = await create('root');
    const read: string[] = [];
    const beside = new KnownRecords(
      {
        known: store.known,
        isSoleCoordinator: false,
        read: {
          session: (idOrName) => {
            read.push(idOrName);
            return store.read.session(idOrName);
          },
          run: (runId) => store.read.run(runId),
          tree: (rootSessionId) => store.read.tree(rootSessionId),
          completion: (sessionId) => store.read.completion(sessionId),
        },
      },
      asItIs,
    );
    expect((await beside.session('root'))?.sessionId).toBe(id);
    expect((await beside.session(id))?.sessionId).toBe(id);
    expect(read).toEqual(['root']);
    expect((await known.session('root'))?.sessionId).toBe(id);
  });

  it('follow what another process writes', async () => {
    const id = await create('root');
    expect(known.session('root')).toMatchObject({ sessionId: id });
    harness.tamper("update sessions set session_name = 'renamed'");
    await new Promise(setImmediate);
    expect(await known.session('root')).toBeNull();
    expect(known.session('renamed')).toMatchObject({ sessionId: id });
    expect(known.session(id)).toMatchObject({ sessionName: 'renamed' });
  });

  it('are found where a record beside them is damaged', async () => {
    const id = await create('root');
    harness.tamper("update completions set attempts = '{'");
    await new Promise(setImmediate);
    expect(await known.session('root')).toMatchObject({ sessionId: id });
    await expect(known.terms(id)).rejects.toThrow(/damaged/);
  });

  it('show a state that is opened later', async () => {
    const id = await create('root');
    expect((await known.tree(id))?.stateId ?? null).toBeNull();
    const { state_id: stateId } = must(
      await harness.operator.keys.open('root', { initial_state: { phase: 'plan' } }),
    );
    expect((await known.tree(id))?.stateId).toBe(stateId);
  });

  it('show a run until it has ended, and after', async () => {
    const runner = await PlayedRunner.register(harness);
    must(await harness.operator.runs.create({ type: 'start_session', session_name: 'worker', prompt: 'go' }));
    const { session_id: sessionId } = must(await harness.operator.sessions.get('worker'));
    const run = await runner.take('worker');
    const runId = must(await harness.operator.runs.list({})).items[0]?.run_id ?? '';
    expect(known.run(sessionId, runId)).toMatchObject({ runId, completedAt: null });
    await runner.complete(run);
    expect((await known.run(sessionId, runId))?.completedAt).toEqual(expect.any(Number));
    expect(await known.run(sessionId, 'run_none')).toBeNull();
  });

  it('give the terms of the present generation', async () => {
    await create('root');
    const settings = { contract: { pointer: '/n', schema: { type: 'integer' } } };
    must(await harness.operator.keys.open('root', { initial_state: { n: 1 } }));
    const { session_id: child } = must(
      await harness.operator.sessions.create({
        session_name: 'child',
        parent_session_name: 'root',
        external: true,
        callback: true,
        completion: settings,
      }),
    );
    const stored = await store.read.completion(child);
    expect(await known.terms(child)).toEqual({ generation: 1, settings: stored?.settings });
    expect(await known.terms('ses_00000000000000000000')).toBeNull();
  });
});
