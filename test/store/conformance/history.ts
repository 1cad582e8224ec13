// What a version is rebuilt from, and events.
import { expect, it } from 'vitest';
import { aSnapshot, aState, anEvent } from '../records.js';
import { write, type Subject } from './subject.js';

const patch = (version: number) => anEvent({ version }).patchText;

export function conformHistory({ store }: Subject): void {
  /** Versions 1 to 7, kept whole at 1 and 5; and another state that must not be mixed up with it. */
  const insert = async () => {
    await write(store(), {
      put: 'state',
      record: aState({ version: 7, snapshotVersion: 5 }),
    });
    for (let version = 1; version <= 7; version++)
      await write(store(), { put: 'event', record: anEvent({ version }) });
    await write(
      store(),
      { put: 'snapshot', record: aSnapshot() },
      { put: 'snapshot', record: aSnapshot({ version: 5, text: '{"n":5}' }) },
      { put: 'state', record: aState({ stateId: 'wst_2', rootSessionId: 'ses_2' }) },
      { put: 'event', record: anEvent({ stateId: 'wst_2', rootSessionId: 'ses_2' }) },
      {
        put: 'snapshot',
        record: aSnapshot({ stateId: 'wst_2', rootSessionId: 'ses_2', text: '{"other":true}' }),
      },
    );
  };

  it('rebuilds a version from the newest snapshot before it and the patches since', async () => {
    await insert();
    const { read } = store();
    expect(await read.document('wst_1', 1)).toEqual({ snapshot: aSnapshot(), patchTexts: [], version: 1 });
    expect(await read.document('wst_1', 4)).toEqual({
      snapshot: aSnapshot(),
      patchTexts: [2, 3, 4].map(patch),
      version: 4,
    });
    const fifth = aSnapshot({ version: 5, text: '{"n":5}' });
    expect(await read.document('wst_1', 5)).toEqual({ snapshot: fifth, patchTexts: [], version: 5 });
    expect(await read.document('wst_1')).toEqual({
      snapshot: fifth,
      patchTexts: [6, 7].map(patch),
      version: 7,
    });
    expect((await read.document('wst_2'))?.snapshot.text).toBe('{"other":true}');
  });

  it('has no document for a version that never was', async () => {
    await insert();
    expect(await store().read.document('wst_1', 0)).toBeNull();
    expect(await store().read.document('wst_1', 8)).toBeNull();
    expect(await store().read.document('wst_x')).toBeNull();
  });

  it('does not rebuild a version over a gap', async () => {
    await write(
      store(),
      { put: 'state', record: aState({ version: 3 }) },
      { put: 'snapshot', record: aSnapshot() },
      { put: 'event', record: anEvent({ version: 3 }) },
    );
    await expect(store().read.document('wst_1')).rejects.toThrow(/gap/);
  });

  it('gives events above a version, oldest first, with every member', async () => {
    await insert();
    const { events, hasMore } = await store().read.events('wst_1', 4, 10, 10_000);
    expect(events).toEqual([5, 6, 7].map((version) => anEvent({ version })));
    expect(hasMore).toBe(false);
    const full = anEvent({
      stateId: 'wst_2',
      rootSessionId: 'ses_2',
      version: 2,
      sessionId: 's',
      runId: 'r',
      tokenName: 't',
      late: true,
      kind: 'merge_patch',
    });
    await write(store(), { put: 'event', record: full });
    expect((await store().read.events('wst_2', 1, 10, 10_000)).events).toEqual([full]);
  });

  it('stops at the limit, or after so many bytes, but gives at least one event', async () => {
    await insert();
    const versions = async (since: number, limit: number, bytesMax: number) => {
      const { events, hasMore } = await store().read.events('wst_1', since, limit, bytesMax);
      return [events.map((event) => event.version), hasMore];
    };
    const bytes = patch(1).length;
    expect(await versions(0, 3, 10_000)).toEqual([[1, 2, 3], true]);
    expect(await versions(4, 3, 10_000)).toEqual([[5, 6, 7], false]);
    expect(await versions(0, 10, 2 * bytes)).toEqual([[1, 2], true]);
    expect(await versions(0, 10, 1)).toEqual([[1], true]);
    expect(await versions(6, 10, 1)).toEqual([[7], false]);
    expect(await versions(7, 10, 1)).toEqual([[], false]);
    expect((await store().read.events('wst_x', 0, 10, 10)).events).toEqual([]);
  });
}
