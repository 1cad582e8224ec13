// The feed of what happened, and histories that are cut.
import { expect, it } from 'vitest';
import { snapshotHash } from '../../../src/domain/evidence/hashes.js';
import type { DomainEvent } from '../../../src/domain/records/domain-event.js';
import { FEED_START, type FeedFilter, type FeedPosition } from '../../../src/ports/storage/feed.js';
import { NOW, aChain, aNotice, aSession, aSnapshot, aState, anEvent, next } from '../records.js';
import { all, write, type Subject } from './subject.js';

const KEEP = { keptMax: 1000, before: 0, receiptsBefore: 0, archivesBefore: 0, rowsMax: 1000 };

export function conformFeed({ store }: Subject): void {
  const notice = (subjectId: string, over: Partial<DomainEvent> = {}) =>
    ({ put: 'notice', record: aNotice(subjectId, over) }) as const;
  const other = { stateId: 'wst_2', rootSessionId: 'ses_2' };

  /** What a page holds, in short. */
  const pageOf = async (
    after: FeedPosition = FEED_START,
    filter: FeedFilter = {},
    limit = 100,
    bytes = 1e6,
  ) => {
    const page = await store().read.feed(after, filter, limit, bytes);
    const names = page.items.map((item) =>
      'event' in item ? `${item.event.stateId}@${item.event.version}` : item.notice.subjectId,
    );
    return { ...page, names };
  };

  /** Two states and notices among their events, in five commits. */
  const happen = async () => {
    const states = [aState(), aState(other)];
    await write(store(), ...states.map((record) => ({ put: 'state', record }) as const));
    await write(store(), notice('a'), { put: 'event', record: anEvent() });
    await write(store(), { put: 'event', record: anEvent(other) }, notice('b', { rootSessionId: 'ses_2' }));
    await write(store(), notice('c'), notice('d'));
    await write(store(), { put: 'event', record: anEvent({ version: 2 }) });
    await write(store(), notice('wst_2', { kind: 'state', rootSessionId: 'ses_2' }));
  };
  const ALL = ['wst_1@1', 'a', 'wst_2@1', 'b', 'c', 'd', 'wst_1@2', 'wst_2'];

  it('gives events and notices in the order of their commits, with every member', async () => {
    await happen();
    const page = await pageOf();
    expect(page.names).toEqual(ALL);
    expect(page.hasMore).toBe(false);
    expect(page.items[0]).toMatchObject({ event: anEvent() });
    expect(page.items[1]).toMatchObject({ notice: aNotice('a') });
    expect(page.next).toEqual(page.newest);
    expect(await store().read.feedEnd()).toEqual(page.newest);
  });

  it('begins at its start', async () => {
    expect(await store().read.feedEnd()).toEqual(FEED_START);
  });

  it('goes on after any place without a gap and without anything twice, whatever the size of the pages', async () => {
    await happen();
    for (const [limit, bytes] of [
      [1, 1e6],
      [2, 1e6],
      [3, 1e6],
      [100, 1],
      [5, 1],
    ] as const) {
      const names: string[] = [];
      for (let after = FEED_START, more = true; more;) {
        const page = await pageOf(after, {}, limit, bytes);
        names.push(...page.names);
        [after, more] = [page.next, page.hasMore];
      }
      expect(names, `${limit} items, ${bytes} bytes`).toEqual(ALL);
    }
    const { items } = await pageOf();
    for (const [i, { position }] of items.entries()) {
      expect((await pageOf(position)).names).toEqual(ALL.slice(i + 1));
    }
  });

  it('gives the part that is asked for', async () => {
    await happen();
    const root = { rootSessionId: 'ses_root' };
    expect((await pageOf(FEED_START, root)).names).toEqual(['wst_1@1', 'a', 'c', 'd', 'wst_1@2']);
    expect((await pageOf(FEED_START, { rootSessionId: 'ses_2' })).names).toEqual(['wst_2@1', 'b', 'wst_2']);
    expect((await pageOf(FEED_START, { stateId: 'wst_2' })).names).toEqual(['wst_2@1', 'wst_2']);
    expect((await pageOf(FEED_START, { stateId: 'wst_x' })).names).toEqual([]);
    const { items } = await pageOf(FEED_START, root);
    for (const [i, { position }] of items.entries()) {
      expect((await pageOf(position, root)).names).toHaveLength(items.length - i - 1);
    }
  });

  it('leads past what is not asked for', async () => {
    await happen();
    const page = await pageOf(FEED_START, { rootSessionId: 'ses_none' });
    expect([page.names, page.next]).toEqual([[], page.newest]);
  });

  it('never gives a place twice, also where the newest state is deleted', async () => {
    await happen();
    await write(store(), { put: 'event', record: anEvent({ ...other, version: 2 }) });
    const { newest } = await pageOf();
    await write(store(), { remove: 'state', id: 'wst_2' }, notice('gone', { kind: 'state' }));
    const after = await pageOf(newest);
    expect(after.names).toEqual(['gone']);
    // A reader of another tree stands there, and goes on.
    expect(after.newest.events).toBeGreaterThanOrEqual(newest.events);
    await write(store(), { put: 'event', record: anEvent({ version: 3 }) });
    expect((await pageOf(newest)).names).toEqual(['gone', 'wst_1@3']);
    expect(await store().read.doctor(NOW, 10)).not.toContainEqual(
      expect.objectContaining({ subject: 'wst_2' }),
    );
  });

  it('keeps the newest notices, and says from where on it is whole', async () => {
    await happen();
    const { newest } = await pageOf();
    for (const [name, createdAt] of [
      ['e', NOW + 5],
      ['f', NOW + 9],
    ] as const)
      await write(store(), notice(name, { createdAt }));
    expect((await pageOf()).oldest).toEqual(FEED_START);
    const prune = (over: object) => store().prune([], { ...KEEP, ...over });
    expect(await prune({ before: NOW + 5, rowsMax: 3 })).toEqual({
      events: 0,
      notices: 3,
      receipts: 0,
      receiptsOfOwner: 0,
      archives: 0,
    });
    expect(await prune({ before: NOW + 5 })).toEqual({
      events: 0,
      notices: 2,
      receipts: 0,
      receiptsOfOwner: 0,
      archives: 0,
    });
    const page = await pageOf();
    expect(page.names).toEqual(['wst_1@1', 'wst_2@1', 'wst_1@2', 'e', 'f']);
    expect(page.oldest).toEqual({ events: 0, notices: newest.notices });
    expect((await pageOf(page.oldest)).names.slice(-2)).toEqual(['e', 'f']);
    await prune({ keptMax: 0 });
    expect((await pageOf()).names).toContain('f');
  });

  /** Versions 1 to 7, one second apart, kept whole at 1 and 5. */
  const seven = aChain(...[1, 2, 3, 4, 5, 6, 7].map((version) => ({ createdAt: NOW + version * 1000 })));
  const snapshotOf = (version: number) => {
    const of = { stateId: 'wst_1', version, text: `{"n":${String(version)}}` };
    const eventHash = seven[version - 1]?.hash ?? '';
    return aSnapshot({ ...of, eventHash, hash: snapshotHash({ ...of, eventHash }) });
  };
  const insertSeven = async () => {
    const lastHash = seven.at(-1)?.hash ?? '';
    await write(store(), {
      put: 'state',
      record: aState({ version: 7, snapshotVersion: 5, lastHash }),
    });
    for (const record of seven) await write(store(), { put: 'event', record });
    await write(
      store(),
      { put: 'snapshot', record: snapshotOf(1) },
      { put: 'snapshot', record: snapshotOf(5) },
    );
  };

  it('cuts a history at the newest snapshot at or below the version, and rebuilds what is kept', async () => {
    await insertSeven();
    const { read } = store();
    expect(await store().prune([{ stateId: 'wst_1', version: 4 }], KEEP)).toEqual({
      events: 0,
      notices: 0,
      receipts: 0,
      receiptsOfOwner: 0,
      archives: 0,
    });
    expect(await read.oldestVersion('wst_1')).toBe(1);
    expect(await store().prune([{ stateId: 'wst_1', version: 6 }], KEEP)).toEqual({
      events: 4,
      notices: 0,
      receipts: 0,
      receiptsOfOwner: 0,
      archives: 0,
    });
    expect(await read.oldestVersion('wst_1')).toBe(5);
    expect(await read.document('wst_1', 4)).toBeNull();
    expect(await read.document('wst_1', 5)).toMatchObject({ snapshot: { text: '{"n":5}' }, patchTexts: [] });
    expect((await read.document('wst_1'))?.patchTexts).toHaveLength(2);
    const { events } = await read.events('wst_1', 0, 10, 10_000);
    expect(events.map(({ version, previousHash }) => [version, previousHash])).toEqual([
      [5, seven[3]?.hash],
      [6, seven[4]?.hash],
      [7, seven[5]?.hash],
    ]);
    expect(await read.doctor(NOW, 10)).toEqual([]);
    expect(await store().prune([{ stateId: 'wst_1', version: 7 }], KEEP)).toEqual({
      events: 0,
      notices: 0,
      receipts: 0,
      receiptsOfOwner: 0,
      archives: 0,
    });
  });

  it('says from where on the feed is whole where a history was cut, to those whom it concerns', async () => {
    await insertSeven();
    await write(store(), { put: 'state', record: aState(other) }, { put: 'event', record: anEvent(other) });
    const before = (await pageOf(FEED_START, {}, 4)).next;
    await store().prune([{ stateId: 'wst_1', version: 7 }], KEEP);
    for (const filter of [{}, { stateId: 'wst_1' }, { rootSessionId: 'ses_root' }]) {
      expect((await pageOf(before, filter)).oldest).toEqual(before);
    }
    expect((await pageOf(before, { stateId: 'wst_2' })).oldest).toEqual(FEED_START);
    expect((await pageOf(before)).names).toEqual(['wst_1@5', 'wst_1@6', 'wst_1@7', 'wst_2@1']);
  });

  it('forgets the cut with the state', async () => {
    await insertSeven();
    await store().prune([{ stateId: 'wst_1', version: 7 }], KEEP);
    await write(store(), { remove: 'state', id: 'wst_1' });
    expect(await store().read.oldestVersion('wst_1')).toBe(1);
    expect((await pageOf()).oldest).toEqual(FEED_START);
    expect(await store().prune([{ stateId: 'wst_1', version: 7 }], KEEP)).toEqual({
      events: 0,
      notices: 0,
      receipts: 0,
      receiptsOfOwner: 0,
      archives: 0,
    });
  });

  it('tells how far histories reach, and which versions are aged', async () => {
    await insertSeven();
    await write(store(), { put: 'state', record: aState(other) }, { put: 'event', record: anEvent(other) });
    const ranges = async (agedBefore: number) =>
      (await all((page) => store().read.historyRanges(agedBefore, page), 1)).map((one) => [
        one.stateId,
        one.oldestVersion,
        one.version,
        one.agedVersion,
      ]);
    expect(await ranges(0)).toEqual([
      ['wst_1', 1, 7, 0],
      ['wst_2', 1, 1, 0],
    ]);
    for (let version = 0; version <= 7; version++) {
      const aged = (await ranges(NOW + version * 1000 + 1))[0]?.[3];
      expect(aged).toBe(version);
    }
    await store().prune([{ stateId: 'wst_1', version: 7 }], KEEP);
    expect((await ranges(NOW + 6001))[0]).toEqual(['wst_1', 5, 7, 6]);
    expect((await ranges(NOW))[0]).toEqual(['wst_1', 5, 7, 0]);
  });

  it('tells subscribers of notices as of every change', async () => {
    const heard: string[] = [];
    store().subscribe((changes) =>
      heard.push(...changes.map((change) => ('put' in change ? change.put : change.remove))),
    );
    await write(store(), { put: 'session', record: aSession() }, notice('a'));
    await write(store(), { put: 'session', record: next(aSession()) });
    expect(heard).toEqual(['session', 'notice', 'session']);
  });
}
