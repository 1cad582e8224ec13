// What is kept of invocations that were moved out of workflow records.
import { expect, it } from 'vitest';
import { anArchive, anEvent, aSnapshot, aState, NOW } from '../records.js';
import { write, type Subject } from './subject.js';

export function conformArchives({ store }: Subject): void {
  it('gives one back as it was put, and none that was not written', async () => {
    await write(store(), { put: 'archive', record: anArchive('arc_1') });
    expect(await store().read.archive('arc_1')).toEqual(anArchive('arc_1'));
    expect(await store().read.archive('arc_2')).toBeNull();
  });

  it('writes one once: the second undoes its changeset', async () => {
    await write(store(), { put: 'archive', record: anArchive('arc_1') });
    const again = write(
      store(),
      { put: 'archive', record: anArchive('arc_2') },
      { put: 'archive', record: anArchive('arc_1', { invocations: [] }) },
    );
    await expect(again).rejects.toThrow();
    expect(await store().read.archive('arc_2')).toBeNull();
    expect(await store().read.archive('arc_1')).toEqual(anArchive('arc_1'));
  });

  it('removes those of a state with the state, and no others', async () => {
    await write(
      store(),
      { put: 'state', record: aState() },
      { put: 'event', record: anEvent() },
      { put: 'snapshot', record: aSnapshot() },
      { put: 'archive', record: anArchive('arc_1') },
      { put: 'archive', record: anArchive('arc_2', { stateId: 'wst_2' }) },
    );
    await write(store(), { remove: 'state', id: 'wst_1' });
    expect(await store().read.archive('arc_1')).toBeNull();
    expect(await store().read.archive('arc_2')).not.toBeNull();
  });

  it('removes the old ones, the oldest first, so many at once', async () => {
    for (const [at, id] of ['a', 'b', 'c', 'd'].entries())
      await write(store(), { put: 'archive', record: anArchive(id, { createdAt: NOW + at }) });
    const bounds = { keptMax: 0, before: 0, receiptsBefore: 0, archivesBefore: NOW + 3 };
    const prune = async (rowsMax: number) => (await store().prune([], { ...bounds, rowsMax })).archives;
    expect([await prune(2), await prune(2), await prune(2)]).toEqual([2, 1, 0]);
    const left = await Promise.all(['a', 'b', 'c', 'd'].map(async (id) => store().read.archive(id)));
    expect(left.map((one) => one?.archiveId)).toEqual([undefined, undefined, undefined, 'd']);
  });

  it('keeps one whose time is damaged, so that it can be found', async () => {
    await write(store(), { put: 'archive', record: anArchive('arc_1', { createdAt: -1 }) });
    const bounds = { keptMax: 0, before: 0, receiptsBefore: 0, archivesBefore: NOW, rowsMax: 1 };
    expect((await store().prune([], bounds)).archives).toBe(0);
  });
}
