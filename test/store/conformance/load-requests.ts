// What each want loads.
import { expect, it } from 'vitest';
import type { Session } from '../../../src/domain/records/records.js';
import {
  NOW,
  aCallback,
  aCompletion,
  aRun,
  aRunner,
  aSchema,
  aSession,
  aState,
  aTree,
  childOf,
  next,
} from '../records.js';
import { load, write, type Subject } from './subject.js';

const root = aSession();
const child = childOf(root, 'ses_child', { callback: true, generation: 2, sessionName: 'worker' });
const grandchild = childOf(child, 'ses_grand', { callback: true });
const tree = aTree({ stateId: 'wst_1' });

const treeRecords = [
  { put: 'tree', record: tree },
  { put: 'session', record: root },
  { put: 'session', record: child },
  { put: 'session', record: grandchild },
] as const;

export function conformWants({ store }: Subject): void {
  const sessions = (...records: readonly Session[]) =>
    write(store(), ...records.map((record) => ({ put: 'session', record }) as const));

  it('leaves out what is not there', async () => {
    const found = await load(
      store(),
      { load: 'aggregate', sessionId: 'x' },
      { load: 'aggregateNamed', idOrName: 'x' },
      { load: 'openAggregates', rootSessionId: 'x' },
      { load: 'run', runId: 'x' },
      { load: 'callback', callbackId: 'x' },
      { load: 'runner', runnerId: 'x' },
      { load: 'state', stateId: 'x' },
      { load: 'schemaName', name: 'x', hash: 'x' },
      { load: 'schemaVersion', name: 'x', version: 1 },
      {
        load: 'claimable',
        now: NOW,
        hostname: 'x',
        executorTypes: [],
        tags: [],
        runsMax: 5,
        claimsMax: 5,
        onlySound: false,
      },
    );
    for (const map of [
      found.trees,
      found.aggregates,
      found.states,
      found.runs,
      found.runners,
      found.callbacks,
    ])
      expect(map.size).toBe(0);
    for (const map of [found.sessionIds, found.schemas, found.schemaUses]) expect(map.size).toBe(0);
    expect(found.claimable).toEqual([]);
  });

  it('loads a session with its ancestors up to the root, and the tree', async () => {
    await write(store(), ...treeRecords);
    const found = await load(store(), { load: 'aggregate', sessionId: 'ses_grand' });
    expect([...found.aggregates.values()].map((aggregate) => aggregate.session)).toEqual([
      grandchild,
      child,
      root,
    ]);
    expect([...found.trees.values()]).toEqual([tree]);
  });

  it('loads a session by id or name; the id wins', async () => {
    const namesake = aSession({ sessionId: 'ses_x', sessionName: 'ses_child' });
    await write(store(), ...treeRecords, { put: 'session', record: namesake });
    const found = await load(
      store(),
      { load: 'aggregateNamed', idOrName: 'ses_child' },
      { load: 'aggregateNamed', idOrName: 'worker' },
    );
    expect([...found.sessionIds]).toEqual([
      ['ses_child', 'ses_child'],
      ['worker', 'ses_child'],
    ]);
    expect(found.aggregates.has('ses_root')).toBe(true);
    expect(found.aggregates.has('ses_x')).toBe(false);
  });

  it('loads a deleted session by id, also as an ancestor, but not by name', async () => {
    await sessions(root, { ...child, deletedAt: 5 }, grandchild);
    const found = await load(
      store(),
      { load: 'aggregate', sessionId: 'ses_grand' },
      { load: 'aggregateNamed', idOrName: 'worker' },
    );
    expect([...found.aggregates.keys()]).toEqual(['ses_grand', 'ses_child', 'ses_root']);
    expect(found.sessionIds.has('worker')).toBe(false);
    const byId = await load(store(), { load: 'aggregateNamed', idOrName: 'ses_child' });
    expect(byId.sessionIds.size).toBe(0);
    expect(byId.aggregates.get('ses_child')?.session.deletedAt).toBe(5);
  });

  it('loads with the aggregate the completions and outbox of this generation and later ones', async () => {
    const first = { ...child, generation: 1 };
    const third = { ...child, generation: 3 };
    await write(
      store(),
      ...treeRecords,
      ...[third, child, first].flatMap(
        (session) =>
          [
            { put: 'completion', record: aCompletion(session) },
            { put: 'callback', record: aCallback(root, session) },
          ] as const,
      ),
    );
    const aggregate = (await load(store(), { load: 'aggregate', sessionId: 'ses_child' })).aggregates.get(
      'ses_child',
    )!;
    expect(aggregate.completions).toEqual([aCompletion(child), aCompletion(third)]);
    expect(aggregate.outbox).toEqual([aCallback(root, child), aCallback(root, third)]);
    expect(aggregate.inbox).toEqual([]);
  });

  it('shows an aggregate as it is now, whatever was written or undone since it was loaded last', async () => {
    const run = aRun(root, 'run_1', { status: 'running' });
    const callback = aCallback(root, child, { status: 'delivered', runId: 'run_1', childGeneration: 2 });
    await write(store(), ...treeRecords);
    const aggregate = async () =>
      (await load(store(), { load: 'aggregate', sessionId: 'ses_child' })).aggregates;
    const summary = async () => {
      const aggregates = await aggregate();
      const [own, parent] = [aggregates.get('ses_child')!, aggregates.get('ses_root')!];
      return [
        own.session.status,
        own.completions.length,
        own.outbox.length,
        parent.runs.length,
        parent.inbox.length,
      ];
    };
    expect(await summary()).toEqual(['running', 0, 0, 0, 0]);
    await write(store(), { put: 'completion', record: aCompletion(child) });
    expect(await summary()).toEqual(['running', 1, 0, 0, 0]);
    await write(store(), { put: 'callback', record: callback });
    expect(await summary()).toEqual(['running', 1, 1, 0, 0]);
    await write(store(), { put: 'run', record: run });
    expect(await summary()).toEqual(['running', 1, 1, 1, 1]);
    await expect(
      write(
        store(),
        { put: 'session', record: next(child, { status: 'failed' }) },
        { put: 'run', record: run },
      ),
    ).rejects.toThrow();
    expect(await summary()).toEqual(['running', 1, 1, 1, 1]);
    await write(
      store(),
      { put: 'session', record: next(child, { status: 'finished' }) },
      { put: 'run', record: next(run, { status: 'completed' }) },
    );
    expect(await summary()).toEqual(['finished', 1, 1, 0, 0]);
  });

  it('loads with the aggregate the runs that have not ended, oldest first', async () => {
    const runs = (
      ['completed', 'running', 'stopping', 'failed', 'claimed', 'pending', 'stopped', 'timed_out'] as const
    ).map((status) => aRun(child, `run_${status}`, { status }));
    await write(store(), ...treeRecords, ...runs.map((record) => ({ put: 'run', record }) as const));
    const { aggregates } = await load(store(), { load: 'aggregate', sessionId: 'ses_child' });
    expect(aggregates.get('ses_child')?.runs.map((run) => run.status)).toEqual([
      'running',
      'stopping',
      'claimed',
      'pending',
    ]);
    expect(aggregates.get('ses_root')?.runs).toEqual([]);
  });

  it('puts in the inbox what is held, queued, or delivered by a run under way, oldest first', async () => {
    const inbox = (
      [
        ['a', 'delivered', 'run_now'],
        ['b', 'queued', null],
        ['c', 'delivered', 'run_past'],
        ['d', 'delivered', null],
        ['e', 'acknowledged', 'run_now'],
        ['f', 'dead', 'run_now'],
        ['g', 'held', null],
        ['h', 'delivered', 'run_now'],
        ['i', 'queued', 'run_now'],
      ] as const
    ).map(([id, status, runId]) => aCallback(root, childOf(root, id), { callbackId: id, status, runId }));
    await write(
      store(),
      ...treeRecords,
      { put: 'run', record: aRun(root, 'run_past', { status: 'completed' }) },
      { put: 'run', record: aRun(root, 'run_now', { status: 'running' }) },
      ...inbox.map((record) => ({ put: 'callback', record }) as const),
    );
    const aggregate = (await load(store(), { load: 'aggregate', sessionId: 'ses_root' })).aggregates.get(
      'ses_root',
    )!;
    expect(aggregate.inbox.map((callback) => callback.callbackId).join('')).toBe('abghi');
    expect(aggregate.inbox[0]).toEqual(inbox[0]);
  });

  it('loads the aggregates of every session of a tree whose present completion is not over', async () => {
    const stranger = aSession({ sessionId: 'ses_stranger' });
    const old = childOf(root, 'ses_old', { generation: 2 });
    const retried = childOf(root, 'ses_retried');
    await write(
      store(),
      ...treeRecords,
      { put: 'session', record: stranger },
      { put: 'session', record: old },
      { put: 'session', record: retried },
      { put: 'completion', record: aCompletion(stranger) },
      { put: 'completion', record: aCompletion(child, { status: 'pending' }) },
      { put: 'completion', record: aCompletion(grandchild, { status: 'failed', releasedAt: NOW }) },
      { put: 'completion', record: aCompletion(old, { generation: 1 }) },
      { put: 'completion', record: aCompletion(old, { releasedAt: NOW }) },
      { put: 'completion', record: aCompletion(retried, { status: 'pending', releasedAt: NOW }) },
    );
    const found = await load(store(), { load: 'openAggregates', rootSessionId: 'ses_root' });
    expect([...found.aggregates.keys()]).toEqual(['ses_child', 'ses_root', 'ses_retried']);
    expect([...found.trees.keys()]).toEqual(['ses_root']);
  });

  it('loads a run, ended or not, with the aggregate of its session', async () => {
    const run = aRun(child, 'run_1', {
      status: 'failed',
      usage: { tokens: 3 },
      metadata: { a: [1] },
      error: 'no',
      cause: 'agent',
    });
    await write(store(), ...treeRecords, { put: 'run', record: run });
    const found = await load(store(), { load: 'run', runId: 'run_1' });
    expect(found.runs.get('run_1')).toEqual(run);
    expect([...found.aggregates.keys()]).toEqual(['ses_child', 'ses_root']);
    expect(found.aggregates.get('ses_child')?.runs).toEqual([]);
  });

  it('loads a callback with the aggregates of its parent and its child', async () => {
    const callback = aCallback(root, child, {
      status: 'dead',
      message: 'x',
      reason: 'gone',
      outcome: 'failed',
    });
    await write(store(), ...treeRecords, { put: 'callback', record: callback });
    const found = await load(store(), { load: 'callback', callbackId: callback.callbackId });
    expect(found.callbacks.get(callback.callbackId)).toEqual(callback);
    expect(new Set(found.aggregates.keys())).toEqual(new Set(['ses_root', 'ses_child']));
  });

  it('loads a runner, and a state with its tree', async () => {
    const runner = aRunner({ tags: ['gpu'] });
    const state = aState({ updatedBy: 'ses_root' });
    await write(
      store(),
      { put: 'tree', record: tree },
      { put: 'runner', record: runner },
      { put: 'state', record: state },
    );
    const found = await load(
      store(),
      { load: 'runner', runnerId: 'rnr_1' },
      { load: 'state', stateId: 'wst_1' },
    );
    expect(found.runners.get('rnr_1')).toEqual(runner);
    expect(found.states.get('wst_1')).toEqual(state);
    expect(found.trees.get('ses_root')).toEqual(tree);
  });

  it('loads the newest version of a schema name, the one with a content, and one with its uses', async () => {
    const versions = [1, 2, 3].map((version) =>
      aSchema({ schemaId: `sch_${version}`, version, hash: `hash ${version}` }),
    );
    await write(
      store(),
      ...versions.map((record) => ({ put: 'schema', record }) as const),
      {
        put: 'schema',
        record: aSchema({ schemaId: 'sch_other', name: 'other', version: 9, hash: 'hash 1' }),
      },
      { put: 'state', record: aState({ stateId: 'a', rootSessionId: 'a', schemaId: 'sch_2' }) },
      { put: 'state', record: aState({ stateId: 'b', rootSessionId: 'b', schemaId: 'sch_2' }) },
    );
    const byName = await load(store(), { load: 'schemaName', name: 'plan', hash: 'hash 1' });
    expect([...byName.schemas.values()]).toEqual([versions[2], versions[0]]);
    expect(byName.schemaUses.size).toBe(0);
    const byVersion = await load(
      store(),
      { load: 'schemaVersion', name: 'plan', version: 2 },
      { load: 'schemaVersion', name: 'plan', version: 1 },
    );
    expect([...byVersion.schemaUses]).toEqual([
      ['sch_2', 2],
      ['sch_1', 0],
    ]);
  });
}
