import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../src/ports/store.js';
import { KnownRecords } from '../../src/service/known-records.js';
import { must, openHarness, type Harness } from './harness.js';

describe('known records', () => {
  let harness: Harness;
  let known: KnownRecords;
  let reads: string[];
  let store: Store;
  beforeEach(async () => {
    const opened: Store[] = [];
    harness = await openHarness({}, false, {}, undefined, (one) => {
      opened.push(one);
      return one;
    });
    reads = [];
    [store] = opened as [Store];
    const { read } = store;
    known = new KnownRecords(
      {
        session: (idOrName) => {
          reads.push(idOrName);
          return read.session(idOrName);
        },
        run: (id) => read.run(id),
        tree: (id) => read.tree(id),
        completion: (id) => read.completion(id),
      },
      10,
    );
    store.subscribe((changes) => known.hear(changes));
  });
  afterEach(() => harness.close());
  const create = async (name: string) =>
    must(await harness.operator.sessions.create({ session_name: name, external: true })).session_id;

  it('are read once, by id and by name', async () => {
    const id = await create('root');
    expect((await known.session('root'))?.sessionId).toBe(id);
    expect((await known.session(id))?.sessionName).toBe('root');
    expect(reads).toEqual([]);
    expect(await known.session('nobody')).toBeNull();
    expect(await known.session('nobody')).toBeNull();
    expect(reads).toEqual(['nobody', 'nobody']);
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

  it('show a state that is opened later', async () => {
    const id = await create('root');
    expect((await known.tree(id))?.stateId ?? null).toBeNull();
    const { state_id: stateId } = must(
      await harness.operator.keys.open('root', { initial_state: { phase: 'plan' } }),
    );
    expect((await known.tree(id))?.stateId).toBe(stateId);
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

  it('are not kept from a read that a commit has overtaken', async () => {
    await create('root');
    const stored = await store.read.session('root');
    let answer: (session: typeof stored) => void = () => undefined;
    const slow = new KnownRecords(
      {
        session: () => new Promise((resolve) => (answer = resolve)),
        run: () => Promise.resolve(null),
        tree: () => Promise.resolve(null),
        completion: () => Promise.resolve(null),
      },
      10,
    );
    const first = slow.session('root');
    slow.hear([]);
    answer(stored);
    expect(await first).toEqual(stored);
    expect(slow.session('root')).toBeInstanceOf(Promise);
  });
});
