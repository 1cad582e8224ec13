// Records that contradict two others: they are found, and a repair restores them.
import { expect, it } from 'vitest';
import type { Change } from '../../../src/domain/transactions/changeset.js';
import { NOW, aCallback, aCompletion, aRun, aSession, aTree, childOf } from '../records.js';
import { load, write, type Subject } from './subject.js';

const ROOT = 'ses_root';
const root = aSession();
const other = aSession({ sessionId: 'ses_other', sessionName: 'other', rootSessionId: 'ses_other' });
const kid = childOf(root, 'kid');
const completion = aCompletion(kid, { dueAt: 20 });
const callback = aCallback(root, kid);
const run = aRun(kid, 'run_kid', { dueAt: 20 });

interface Edited {
  readonly kid?: Partial<typeof kid>;
  readonly completion?: Partial<typeof completion>;
  readonly callback?: Partial<typeof callback>;
  readonly run?: Partial<typeof run>;
}

const EDITS: readonly [what: string, kind: string, edited: Edited][] = [
  ['the generation of a session', 'session', { kid: { generation: 7 } }],
  ['the generation of a completion', 'completion', { completion: { generation: 7 } }],
  ['the generation of a callback', 'callback', { callback: { childGeneration: 7 } }],
  ['the child of a callback', 'callback', { callback: { childSessionId: ROOT } }],
  ['the parent of a callback', 'callback', { callback: { parentSessionId: 'ses_other' } }],
  ['the parent of a session', 'session', { kid: { parentSessionId: 'kid' } }],
  ['the parent of a session, which is none,', 'session', { kid: { parentSessionId: null } }],
  ['the tree of a session', 'session', { kid: { rootSessionId: 'nobody' } }],
  ['the tree of a completion', 'completion', { completion: { rootSessionId: 'ses_other' } }],
  ['the tree of a run', 'run', { run: { rootSessionId: 'ses_other' } }],
  ['the tree of a callback', 'callback', { callback: { rootSessionId: 'ses_other' } }],
  ['the status of a callback (queued)', 'callback', { callback: { status: 'queued', queuedAt: 5 } }],
  ['the status of a callback (delivered)', 'callback', { callback: { status: 'delivered', deliveredAt: 5 } }],
  ['the status of a callback (acknowledged)', 'callback', { callback: { status: 'acknowledged' } }],
];

export function conformRestoredReferences({ store }: Subject): void {
  const insert = (edited: Edited) => {
    const all: readonly Change[] = [
      ...[root, other, { ...kid, ...edited.kid }].map((record) => ({ put: 'session', record }) as const),
      ...[ROOT, 'ses_other'].map(
        (rootSessionId) => ({ put: 'tree', record: aTree({ rootSessionId }) }) as const,
      ),
      { put: 'completion', record: aCompletion(root, { dueAt: 20 }) },
      { put: 'completion', record: { ...completion, ...edited.completion } },
      { put: 'run', record: { ...run, ...edited.run } },
      { put: 'callback', record: { ...callback, ...edited.callback } },
    ];
    return write(store(), ...all);
  };
  const repair = (id: string) => load(store(), { load: 'repaired', kind: 'tree', id, now: NOW });

  it('leaves records that agree as they are', async () => {
    await insert({});
    expect(await store().read.unattended(10)).toEqual([]);
    expect((await repair(ROOT)).repaired.filter(({ isRestored }) => isRestored)).toEqual([]);
  });

  it.each(EDITS.filter(([, kind]) => kind !== 'run'))(
    'finds a callback that would not be released where %s was edited',
    async (_what, _kind, edited) => {
      await insert(edited);
      const { callbackId } = callback;
      expect(await store().read.unattended(10)).toContainEqual(expect.objectContaining({ callbackId }));
    },
  );

  it.each(EDITS)('restores %s that was edited', async (_what, kind, edited) => {
    await insert(edited);
    const trees = [ROOT, edited.callback?.rootSessionId, edited.completion?.rootSessionId];
    const repaired = [];
    for (const id of [...trees, edited.run?.rootSessionId])
      if (id !== undefined) repaired.push(...(await repair(id)).repaired);
    expect(repaired).toContainEqual(expect.objectContaining({ kind, isRestored: true }));
    const { read } = store();
    const { parentSessionId, rootSessionId } = kid;
    expect(await read.session('kid')).toMatchObject({ parentSessionId, rootSessionId });
    const generation = (await read.session('kid'))?.generation;
    expect(await read.completion('kid', generation)).toMatchObject({ rootSessionId });
    expect(await read.run('run_kid')).toMatchObject({ rootSessionId });
    expect(await read.callback(callback.callbackId)).toMatchObject({
      rootSessionId,
      parentSessionId,
      childSessionId: 'kid',
      childGeneration: generation,
      status: 'held',
      queuedAt: null,
      deliveredAt: null,
    });
    expect(await read.unattended(10)).toEqual([]);
  });
}
