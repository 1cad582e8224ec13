// Decisions that the SQLite store makes while its thread writes those before them.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openSqliteStore, type SqliteStore } from '../../../src/store/sqlite/index.js';
import { OtherCommits } from '../../../src/store/sqlite/writes/other-commits.js';
import { WritingThread } from '../../../src/store/sqlite/thread/writing-thread.js';
import { write } from '../conformance/subject.js';
import {
  NOW,
  aCallback,
  aRun,
  aSession,
  aSnapshot,
  aState,
  aTree,
  aWebhook,
  anEvent,
  childOf,
  next,
} from '../records.js';
import { keepStatements } from '../../../src/store/sqlite/kept-statements.js';

let path: string;
let store: SqliteStore;
/** What happened, in order. */
let log: string[];

/** More turns of the event loop than a decision needs to be made. */
const TURNS = 3;

beforeEach(async () => {
  path = join(mkdtempSync(join(tmpdir(), 'countersign-')), 'test.db');
  store = await openSqliteStore({ path, limits: { threadRecordsMin: 1 } });
  log = [];
  await write(
    store,
    { put: 'tree', record: aTree() },
    { put: 'session', record: aSession() },
    { put: 'state', record: aState() },
    { put: 'event', record: anEvent() },
    { put: 'snapshot', record: aSnapshot() },
  );
});

afterEach(() => store.close());

/** Writes the next version of the state. */
async function more(name: string): Promise<number> {
  const version = await store.transact([{ load: 'state', stateId: 'wst_1' }], ({ states }) => {
    const head = states.get('wst_1')!;
    log.push(`${name} decided on ${head.version}`);
    const event = anEvent({ version: head.version + 1 });
    const record = next(head, { version: event.version, lastHash: event.hash });
    return {
      changes: [
        { put: 'state' as const, record },
        { put: 'event' as const, record: event },
      ],
      value: event.version,
    };
  });
  log.push(`${name} answered`);
  return version;
}

/** Something that is written, so that the decision counts. */
const someRow = () => ({ put: 'snapshot' as const, record: aSnapshot({ version: 100 }) });

/** Reads an idempotency record in a decision that writes. */
function readsReceipt(receiptId: string): Promise<boolean> {
  return store.transact([{ load: 'receipt', receiptId, rootSessionId: null }], ({ receipts }) => {
    log.push(`${receiptId} read`);
    return { changes: [someRow()], value: receipts.has(receiptId) };
  });
}

/** Keeps back the answers of the thread, until the returned function is called. */
function keepAnswersBack(): () => void {
  const write = Object.getOwnPropertyDescriptors(WritingThread.prototype).write.value!;
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const spy = vi.spyOn(WritingThread.prototype, 'write').mockImplementation(async function (
    this: WritingThread,
    ...written
  ) {
    const answer = await write.apply(this, written);
    await released;
    return answer;
  });
  return () => {
    spy.mockRestore();
    release();
  };
}

/**
 * Starts a second decision when the first has been handed to the thread. The first is not answered before the second
 * has had the turns that it needs to be made, however busy the machine is.
 */
async function inTurn<A, B>(
  first: () => Promise<A>,
  second: () => Promise<B>,
): Promise<readonly [Promise<A>, Promise<B>]> {
  const release = keepAnswersBack();
  const started = first();
  await turn();
  const next = second();
  for (let i = 0; i < TURNS; i++) await turn();
  release();
  return [started, next];
}

const twoInTurn = () =>
  inTurn(
    () => more('first'),
    () => more('second'),
  );

/** A decision that notes when it is answered. */
async function first(decision: Promise<unknown>): Promise<void> {
  await decision;
  log.push('first answered');
}

const versionsOnDisk = () => {
  const reader = keepStatements(new Database(path, { readonly: true }));
  const versions = reader.prepare('select version from state_events order by version').pluck().all();
  reader.close();
  return versions;
};

describe('a decision that arrives while another is written', () => {
  it('is made at once, on what the other one writes, and answered after it', async () => {
    const [first, second] = await twoInTurn();
    expect(await Promise.all([first, second])).toEqual([2, 3]);
    expect(log).toEqual(['first decided on 1', 'second decided on 2', 'first answered', 'second answered']);
    expect(versionsOnDisk()).toEqual([1, 2, 3]);
  });

  it('shows nothing before it is on disk', async () => {
    const [first, second] = await twoInTurn();
    await first;
    expect(store.cachedHead('wst_1')?.version).toBe(2);
    await second;
    expect(store.cachedHead('wst_1')?.version).toBe(3);
  });

  it('is made again where the other one was not written, because another process had written before', async () => {
    await more('warm-up');
    const other = keepStatements(new Database(path));
    other.exec(`insert into settings (name, value) values ('of', 'others')`);
    other.close();
    log = [];
    const [first, second] = await twoInTurn();
    expect(await Promise.all([first, second])).toEqual([3, 4]);
    expect(log.filter((line) => line.startsWith('second decided'))).not.toEqual([]);
    expect(log.filter((line) => line.startsWith('first decided')).at(-1)).toBe('first decided on 2');
    expect(log.filter((line) => line.startsWith('second decided')).at(-1)).toBe('second decided on 3');
    expect(await store.read.doctor(NOW, 10)).toEqual([]);
  });

  it('goes to the thread with what the callers of the other one send next', async () => {
    const [first, second] = await twoInTurn();
    const written = vi.spyOn(WritingThread.prototype, 'write');
    const third = first.then(() => more('third'));
    expect(await Promise.all([first, second, third])).toEqual([2, 3, 4]);
    expect(written).toHaveBeenCalledTimes(1);
    written.mockRestore();
    expect(log).toEqual([
      'first decided on 1',
      'second decided on 2',
      'first answered',
      'third decided on 3',
      'second answered',
      'third answered',
    ]);
  });

  it('is made again where this process writes something else before it goes to the thread', async () => {
    const [first, second] = await twoInTurn();
    const other = first.then(() => store.setting('of', () => 'this process'));
    expect(await Promise.all([first, second, other])).toEqual([2, 3, 'this process']);
    expect(log.filter((line) => line.startsWith('second decided'))).toEqual(
      Array(2).fill('second decided on 2'),
    );
    expect(versionsOnDisk()).toEqual([1, 2, 3]);
    expect(await store.read.doctor(NOW, 10)).toEqual([]);
  });

  it('is one half of many that come at once: it is made while the first half is written', async () => {
    await more('warm-up');
    log = [];
    const written = vi.spyOn(WritingThread.prototype, 'write');
    const versions = await Promise.all(Array.from({ length: 40 }, (_, i) => more(String(i))));
    const sizes = written.mock.calls.map(([rows]) => rows.size);
    written.mockRestore();
    expect(versions).toEqual(Array.from({ length: 40 }, (_, i) => i + 3));
    expect(sizes).toHaveLength(2);
    expect(sizes[0]).toBe(sizes[1]);
    expect(log.findIndex((line) => line.endsWith('answered'))).toBe(40);
  });

  it('waits for the other one if it needs records that are not found by their ids', async () => {
    const readTokens = () =>
      store.transact([{ load: 'tokens' }], ({ tokens }) => {
        log.push('tokens read');
        return { changes: [], value: tokens.size };
      });
    expect(await Promise.all(await inTurn(() => more('first'), readTokens))).toEqual([2, 0]);
    expect(log).toEqual(['first decided on 1', 'first answered', 'tokens read']);
  });

  it.each([
    ['reads an idempotency record that the other one does not write', 'own', 0, false],
    ['waits for the other one if it reads the idempotency record that that one writes', 'same', 1, true],
  ])('%s', async (_, id, at, isThere) => {
    const receipt = { receiptId: 'same', rootSessionId: null, fingerprint: 'f', value: null, createdAt: NOW };
    const puts = () =>
      first(
        store.transact([], () => ({ changes: [{ put: 'receipt' as const, record: receipt }], value: null })),
      );
    const [, found] = await Promise.all(await inTurn(puts, () => readsReceipt(id)));
    expect(found).toBe(isThere);
    expect(log.indexOf(`${id} read`)).toBe(at);
    expect(log).toContain('first answered');
  });

  it('finds the runs that a runner may claim, but for one that the other one makes available', async () => {
    const put = (id: string) => ({ put: 'run' as const, record: aRun(aSession(), id) });
    await write(store, put('run_1'));
    const puts = () => first(store.transact([], () => ({ changes: [put('run_2')], value: null })));
    const wanted = {
      now: NOW,
      hostname: 'h',
      executorTypes: ['command'],
      tags: [],
      runsMax: 10,
      claimsMax: 10,
    };
    const looks = () =>
      store.transact([{ load: 'claimable', ...wanted, onlySound: false }], (records) => {
        log.push('looked');
        return { changes: [someRow()], value: records.claimable.map(({ runId }) => runId) };
      });
    const [, found] = await Promise.all(await inTurn(puts, looks));
    expect(log).toEqual(['looked', 'first answered']);
    expect(found).toEqual(['run_1']);
  });

  it.each([
    [
      'finds what a parent was handed, while the other one changes callbacks of another parent',
      'ses_b',
      0,
      1,
    ],
    ['waits for the other one if that one changes a callback of the same parent', 'ses_a', 1, 2],
  ])('%s', async (_, asked, at, count) => {
    const root = aSession();
    const [a, b] = [childOf(root, 'ses_a'), childOf(root, 'ses_b')];
    const handed = (parent: typeof a, id: string) => ({
      put: 'callback' as const,
      record: aCallback(parent, childOf(parent, `ses_${id}`), { status: 'delivered', callbackId: id }),
    });
    await write(store, { put: 'session', record: a }, { put: 'session', record: b });
    await write(store, handed(a, 'cb_a'), handed(b, 'cb_b'));
    const puts = () => first(store.transact([], () => ({ changes: [handed(a, 'cb_more')], value: null })));
    const looks = () =>
      store.transact([{ load: 'handed', sessionId: asked, callbacksMax: 10 }], ({ callbacks }) => {
        log.push('looked');
        return { changes: [someRow()], value: callbacks.size };
      });
    const [, found] = await Promise.all(await inTurn(puts, looks));
    expect(found).toBe(count);
    expect(log.indexOf('looked')).toBe(at);
    expect(log).toContain('first answered');
  });

  it('waits for a webhook that the other one creates: it has to send to it', async () => {
    store.subscribe((changes) => {
      if (changes.some((change) => 'put' in change && change.put === 'webhook')) log.push('heard of it');
    });
    const webhook = { put: 'webhook' as const, record: aWebhook() };
    const create = () => store.transact([], () => ({ changes: [webhook], value: null }));
    await Promise.all(await inTurn(create, () => more('second')));
    expect(log).toEqual(['heard of it', 'second decided on 1', 'second answered']);
  });

  it('finds a session that the other one creates, by its name', async () => {
    const child = childOf(aSession(), 'a');
    const create = () =>
      store.transact([{ load: 'aggregate', sessionId: 'ses_1' }], () => ({
        changes: [{ put: 'session' as const, record: child }],
        value: null,
      }));
    const find = () =>
      store.transact(
        [{ load: 'aggregateNamed', idOrName: child.sessionName }],
        ({ sessionIds, aggregates }) => {
          const id = sessionIds.get(child.sessionName) ?? '';
          const session = aggregates.get(id)?.session;
          return {
            changes: session === undefined ? [] : [{ put: 'session' as const, record: next(session, {}) }],
            value: session?.revision,
          };
        },
      );
    expect(await Promise.all(await inTurn(create, find))).toEqual([null, 1]);
    expect((await store.read.session(child.sessionId))?.revision).toBe(2);
  });
});

describe('a decision after one whose changes to a session are only known once they are on disk', () => {
  const root = aSession();
  const child = childOf(root, 'ses_child');
  const callback = aCallback(root, child, { status: 'delivered' });

  beforeEach(() => write(store, { put: 'session', record: child }, { put: 'callback', record: callback }));

  /** Only the database has the place of a callback that comes back into the inbox. */
  const redeliver = () =>
    store.transact([{ load: 'callback', callbackId: callback.callbackId }], ({ callbacks, aggregates }) => {
      const { session } = aggregates.get(root.sessionId)!;
      const again = next(callbacks.get(callback.callbackId)!, { status: 'queued' as const });
      return {
        changes: [
          { put: 'callback' as const, record: again },
          { put: 'session' as const, record: next(session, { generation: 2 }) },
        ],
        value: null,
      };
    });

  /** Changes nothing that the first one has changed. */
  const startRun = () =>
    store.transact([{ load: 'aggregate', sessionId: root.sessionId }], ({ aggregates }) => {
      const { session, inbox } = aggregates.get(root.sessionId)!;
      return {
        changes: [{ put: 'run' as const, record: aRun(session, 'run_1') }],
        value: { generation: session.generation, waiting: inbox.length },
      };
    });

  const ways = [
    ['in one group with it', () => [redeliver(), startRun()] as const],
    ['while it is written', () => inTurn(redeliver, startRun)],
  ] as const;
  it.each(ways)('is made on what is on disk: %s', async (_, inThatWay) => {
    const [redelivered, started] = await inThatWay();
    await redelivered;
    expect(await started).toEqual({ generation: 2, waiting: 1 });
    const known = await store.transact(
      [{ load: 'aggregate', sessionId: root.sessionId }],
      ({ aggregates }) => ({ changes: [], value: aggregates.get(root.sessionId) }),
    );
    expect(known?.session).toEqual(await store.read.session(root.sessionId));
  });
});

describe('a decision on records that are not as they are on disk, whatever the cause', () => {
  it('is made again on those on disk', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'countersign-')), 'small.db');
    const small = await openSqliteStore({ path: file });
    const rename = (name: string) =>
      small.transact([{ load: 'aggregate', sessionId: 'ses_root' }], ({ aggregates }) => {
        const { session } = aggregates.get('ses_root')!;
        log.push(`${name} decided on ${session.revision}`);
        return {
          changes: [{ put: 'session' as const, record: next(session, { agentName: name }) }],
          value: session.revision,
        };
      });
    await write(small, { put: 'tree', record: aTree() }, { put: 'session', record: aSession() });
    await rename('a');
    const unheard = vi.spyOn(OtherCommits.prototype, 'look').mockReturnValue();
    const other = keepStatements(new Database(file));
    other.exec('update sessions set revision = revision + 1');
    other.close();
    expect(await rename('b')).toBe(3);
    unheard.mockRestore();
    expect(log).toEqual(['a decided on 1', 'b decided on 2', 'b decided on 3']);
    await small.close();
  });
});

describe('work on the database alone', () => {
  it('gets its turn while decisions follow each other without a pause', async () => {
    let isDone = false;
    const writing = Promise.all(
      ['a', 'b'].map(async (name) => {
        while (!isDone) await more(name);
      }),
    );
    await turn();
    await Promise.all([1, 2, 3].map((n) => store.setting(`name ${n}`, () => `${n}`)));
    isDone = true;
    await writing;
    expect(await store.read.doctor(NOW, 10)).toEqual([]);
    const versions = versionsOnDisk();
    expect(versions).toEqual(versions.map((_, i) => i + 1));
  });
});
