// What a decision costs on the way to PostgreSQL, and that it is made again if it was made on what is out of date.
import { afterEach, beforeEach, expect, test } from 'vitest';
import pg from 'pg';
import type { Changeset } from '../../../src/domain/transactions/changeset.js';
import { openPostgresStore, type PostgresStore } from '../../../src/store/postgres/index.js';
import { eventually } from '../../support/eventually.js';
import { execute, nameIn, newMigratedDatabase } from '../../support/postgres.js';
import { openRelay, type Relay } from '../../support/relay.js';
import { write } from '../conformance/subject.js';
import { NOW, aSession, aState, aTree, next } from '../records.js';

/** Long enough that nothing is looked for during a test. */
const NEVER_MS = 3_600_000;

let url: string;
let relay: Relay;
const stores: PostgresStore[] = [];

async function open(at: string): Promise<PostgresStore> {
  const limits = { commitPollMs: NEVER_MS, listenRetryMs: NEVER_MS };
  const store = await openPostgresStore({ url: at, limits });
  stores.push(store);
  await store.follow();
  return store;
}

beforeEach(async () => {
  url = await newMigratedDatabase();
  const server = new URL(url);
  relay = await openRelay(Number(server.port), false);
});

afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
  await relay.close();
});

/** A store that is reached through the relay. */
function throughRelay(): Promise<PostgresStore> {
  const near = new URL(url);
  const { hostname, port } = new URL(relay.url);
  Object.assign(near, { hostname, port });
  return open(near.href);
}

async function turnsOf(work: () => Promise<unknown>): Promise<number> {
  const before = relay.turns();
  await work();
  return relay.turns() - before;
}

/** Writes the next version of the state. @returns Its number. */
function writeNext(store: PostgresStore): Promise<number> {
  return store.transact([{ load: 'state', stateId: 'wst_1' }], ({ states }) => {
    const head = states.get('wst_1');
    if (head === undefined) throw new Error('The state is missing');
    const record = next(head, { version: head.version + 1 });
    return { changes: [{ put: 'state', record }], value: record.version };
  });
}

const look = (store: PostgresStore) =>
  store.transact([{ load: 'state', stateId: 'wst_1' }], ({ states }) => ({
    changes: [],
    value: states.get('wst_1')?.version,
  }));

const create = (store: PostgresStore) =>
  write(
    store,
    { put: 'tree', record: aTree({ stateId: 'wst_1' }) },
    { put: 'session', record: aSession() },
    { put: 'state', record: aState() },
  );

test('a decision on cached records costs one round trip, whether it writes or not', async () => {
  const store = await throughRelay();
  await create(store);
  await look(store);
  expect(await turnsOf(() => writeNext(store))).toBe(1);
  expect(await turnsOf(() => look(store))).toBe(1);
  expect(await turnsOf(() => Promise.all([writeNext(store), writeNext(store)]))).toBe(1);
  expect((await store.read.state('wst_1'))?.version).toBe(4);
});

test('one that has to look something up costs two', async () => {
  const store = await throughRelay();
  await create(store);
  await look(store);
  const named = { load: 'aggregateNamed', idOrName: 'nobody' } as const;
  const record = aTree({ stateId: 'wst_1', failuresInARow: 1, revision: 2 });
  const writes = () =>
    store.transact([named, { load: 'treeState', rootSessionId: 'ses_root' }], () => ({
      changes: [{ put: 'tree', record }],
      value: null,
    }));
  expect(await turnsOf(writes)).toBe(2);
});

test('so do several with idempotency records, which are looked up together', async () => {
  const store = await throughRelay();
  await create(store);
  await look(store);
  const aReceipt = (receiptId: string) => ({
    receiptId,
    rootSessionId: 'ses_root',
    fingerprint: 'f',
    value: null,
    createdAt: NOW,
  });
  const keyed = (receiptId: string) =>
    store.transact(
      [
        { load: 'receipt', receiptId, rootSessionId: 'ses_root' },
        { load: 'treeState', rootSessionId: 'ses_root' },
      ],
      ({ receipts }) => ({
        changes: receipts.has(receiptId) ? [] : [{ put: 'receipt', record: aReceipt(receiptId) }],
        value: receipts.has(receiptId),
      }),
    );
  const all = (ids: readonly string[]) => Promise.all(ids.map((id) => keyed(id)));
  let found: readonly boolean[] = [];
  const turns = await turnsOf(async () => (found = await all(['a', 'b', 'c', 'd'])));
  expect([turns, found]).toEqual([2, [false, false, false, false]]);
  expect(await all(['d', 'e'])).toEqual([true, false]);
});

test('beside another coordinator it costs one where this one has made the last commits', async () => {
  const store = await throughRelay();
  await create(store);
  const other = await open(url);
  const turns: number[] = [];
  for (let i = 0; i < 6; i += 1) turns.push(await turnsOf(() => writeNext(store)));
  expect(turns.at(-1)).toBe(1);
  // The other one is told all the same.
  expect(await look(other)).toBe(7);
  expect(await writeNext(other)).toBe(8);
  expect(await writeNext(store)).toBe(9);
});

test('it is made again on what is stored if another coordinator has written', async () => {
  const one = await open(url);
  await create(one);
  for (let version = 2; version < 6; version += 1) expect(await writeNext(one)).toBe(version);
  // The first does not know yet that it is not alone.
  const other = await open(url);
  expect(await writeNext(other)).toBe(6);
  expect(await writeNext(one)).toBe(7);
  for (let version = 8; version < 12; version += 1) expect(await writeNext(one)).toBe(version);
  expect(await writeNext(other)).toBe(12);
  // Neither what is decided without a change, nor what is written, is decided on version 11.
  expect(await look(one)).toBe(12);
  for (let version = 13; version < 17; version += 1) expect(await writeNext(one)).toBe(version);
  expect(await writeNext(other)).toBe(17);
  expect(await writeNext(one)).toBe(18);
});

test('the listeners look again first if the others have counted this coordinator as gone', async () => {
  const [one, other] = [await open(url), await open(url)];
  await create(one);
  for (let version = 2; version < 6; version += 1) expect(await writeNext(one)).toBe(version);
  await execute(url, "update coordinators set seen_at = seen_at - interval '1 hour'");
  expect(await writeNext(other)).toBe(6);
  const received: unknown[] = [];
  one.onMissedCommits(async () => {
    received.push((await one.read.state('wst_1'))?.version);
  });
  expect(await writeNext(one)).toBe(7);
  expect(received).toEqual([6]);
});

test('those that write at the same time through several coordinators lose nothing', async () => {
  const [one, other] = [await open(url), await open(url)];
  await create(one);
  const versions: number[] = [];
  const writer = async (store: PostgresStore, times: number, pauseMs: number) => {
    for (let i = 0; i < times; i += 1) {
      versions.push(await writeNext(store));
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  };
  // One writes mostly alone, so it expects its own commits; the other comes in between.
  await Promise.all([writer(one, 150, 0), writer(other, 15, 12)]);
  expect(versions.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 165 }, (_, i) => i + 2));
  expect((await one.read.state('wst_1'))?.version).toBe(166);
});

/** Two trees, each with its root session; the store has made the last commits of both. */
async function createTwoTrees(store: PostgresStore): Promise<void> {
  for (const id of ['ses_a', 'ses_k'])
    await write(
      store,
      { put: 'tree', record: aTree({ rootSessionId: id }) },
      {
        put: 'session',
        record: aSession({ sessionId: id, rootSessionId: id, sessionName: `name-of-${id}` }),
      },
    );
  for (let i = 0; i < 4; i += 1) for (const id of ['ses_a', 'ses_k']) await count(store, id, (n) => n);
}

/** Changes a number of a tree. @returns The new number. */
function count(store: PostgresStore, rootSessionId: string, by: (n: number) => number): Promise<number> {
  return store.transact([{ load: 'treeState', rootSessionId }], ({ trees }) => {
    const tree = trees.get(rootSessionId);
    if (tree === undefined) throw new Error('The tree is missing');
    const record = next(tree, { failuresInARow: by(tree.failuresInARow) });
    return { changes: [{ put: 'tree', record }], value: record.failuresInARow };
  });
}

/** A decision about the first tree that then needs the second, and then something that is not cached. */
function decideLate<T>(
  store: PostgresStore,
  end: (n: number) => { changes: Changeset; value: T },
): Promise<T> {
  let asked = false;
  return store.transact<T>([{ load: 'treeState', rootSessionId: 'ses_a' }], ({ trees }) => {
    const tree = trees.get('ses_k');
    if (tree === undefined) return { more: [{ load: 'treeState', rootSessionId: 'ses_k' }] };
    if (!asked) {
      asked = true;
      return { more: [{ load: 'receipt', receiptId: 'none', rootSessionId: null }] };
    }
    return end(tree.failuresInARow);
  });
}

/** While it is locked, transactions that look for a receipt wait. */
async function lockReceipts(): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('begin; lock table receipts in access exclusive mode');
  return async () => {
    await client.query('rollback');
    await client.end();
  };
}

const waiting = (count: number) =>
  eventually('transactions wait', async () => {
    const { rows } = await execute(
      url,
      "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = $1",
      [nameIn(url)],
    );
    return rows.length === count;
  });

test('what a decision needs later is locked in its transaction', async () => {
  const [one, other] = [await open(url), await open(url)];
  await createTwoTrees(one);
  const free = await lockReceipts();
  const late = decideLate(one, (number) => ({ changes: [], value: number }));
  await waiting(1);
  const foreign = count(other, 'ses_k', () => 100);
  await waiting(2);
  await free();
  expect(await Promise.all([late, foreign])).toEqual([0, 100]);
});

test.each([
  ['writes nothing', { isWritten: false }],
  ['fails', { isWritten: true }],
])('nobody decides on what a transaction had that %s', async (_, { isWritten }) => {
  const [one, other] = [await open(url), await open(url)];
  await createTwoTrees(one);
  const free = await lockReceipts();
  const late = decideLate(one, (number) => ({
    changes: isWritten
      ? [
          { put: 'tree', record: aTree({ rootSessionId: 'ses_k', failuresInARow: number + 1, revision: 6 }) },
          // Not at the revision that this replaces.
          { put: 'session', record: aSession({ sessionId: 'ses_a', rootSessionId: 'ses_a', revision: 9 }) },
        ]
      : [],
    value: number,
  })).catch((error: unknown) => error);
  await waiting(1);
  const foreign = count(other, 'ses_k', () => 100);
  await waiting(2);
  const own = count(one, 'ses_k', (n) => n + 1);
  await waiting(3);
  await free();
  if (isWritten) expect(await late).toBeInstanceOf(Error);
  expect(await foreign).toBe(100);
  const final = await count(one, 'ses_k', (n) => n);
  // In the order in which they got the lock.
  expect([
    [101, 101],
    [1, 100],
  ]).toContainEqual([await own, final]);
});

test('a decision without changes counts as no commit, whatever it looked at', async () => {
  const first = await open(url);
  await createTwoTrees(first);
  await first.close();
  const one = await open(url);
  const commits = async () => (await execute(url, 'select key, commits from tree_commits order by key')).rows;
  const before = await commits();
  for (let i = 0; i < 3; i += 1)
    for (const sessionId of ['ses_a', 'ses_k'])
      await one.transact([{ load: 'aggregate', sessionId }], () => ({ changes: [], value: null }));
  const named = { load: 'aggregateNamed', idOrName: 'name-of-ses_k' } as const;
  const found = await one.transact([{ load: 'treeState', rootSessionId: 'ses_a' }, named], (records) => ({
    changes: [],
    value: records.sessionIds.get('name-of-ses_k'),
  }));
  expect(found).toBe('ses_k');
  expect(await commits()).toEqual(before);
});
