// What a coordinator puts right when it takes a database over: numbers of rows that were edited, and the times of kept
// answers after the clock was set.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSource } from '../../src/store/copy/source.js';
import { keepStatements } from '../../src/store/sqlite/kept-statements.js';
import { openSqliteStore, type SqliteStore } from '../../src/store/sqlite/index.js';
import { write } from './conformance/subject.js';
import { aRunner, aSnapshot, aState, anEvent } from './records.js';

const HOUR_MS = 3_600_000;
const GREATEST = '9223372036854775807';

let path: string;
let now: number;
let warnings: unknown[];
const stores: SqliteStore[] = [];

beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), 'countersign-repairs-')), 'test.db');
  now = 1_750_000_000_000;
  warnings = [];
});
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
});

async function coordinate(): Promise<SqliteStore> {
  const log = (fields: unknown) => warnings.push(fields);
  const logger = { warn: log, error: log };
  const store = await openSqliteStore({ path, logger, coordinate: { now: () => now } });
  stores.push(store);
  return store;
}

/** Ends the coordinator, edits its database, and starts the next. */
async function edited(...sql: readonly string[]): Promise<SqliteStore> {
  await stores.pop()?.close();
  const db = keepStatements(new Database(path));
  for (const one of sql) db.exec(one);
  db.close();
  return coordinate();
}

const add = (store: SqliteStore, runnerId: string) =>
  write(store, { put: 'runner', record: aRunner({ runnerId }) });

/** The ids of the runners and their numbers, in their order. */
function numbered(): unknown {
  const db = keepStatements(new Database(path, { readonly: true }));
  const rows = db.prepare('select runner_id, seq from runners order by seq').raw().all();
  db.close();
  return rows;
}

describe('the number of a row', () => {
  beforeEach(async () => {
    const store = await coordinate();
    for (const id of ['a', 'b', 'c']) await add(store, id);
  });

  it.each([GREATEST, '9007199254740993', '0', '-7'])(
    'that was set to %s is its old one again',
    async (seq) => {
      const store = await edited(`update runners set seq = ${seq} where runner_id = 'b'`);
      expect(warnings).toContainEqual({ table: 'runners', rows: 1 });
      await add(store, 'd');
      expect(numbered()).toEqual([
        ['a', 1],
        ['b', 2],
        ['c', 3],
        ['d', 4],
      ]);
    },
  );

  it('follows the others where none is missing', async () => {
    await edited(
      `update runners set seq = ${GREATEST} where runner_id = 'a'`,
      "update runners set seq = -1 where runner_id = 'c'",
    );
    expect(numbered()).toEqual([
      ['b', 2],
      ['c', 4],
      ['a', 5],
    ]);
  });

  it.each([GREATEST, "'many'", '-1'])('can be given although the last given one says %s', async (seq) => {
    const store = await edited(`update sqlite_sequence set seq = ${seq} where name = 'runners'`);
    await add(store, 'd');
    expect(numbered()).toContainEqual(['d', 4]);
  });

  it.each([
    `update runners set seq = ${GREATEST} where runner_id = 'b'`,
    "update runners set seq = -7 where runner_id = 'b'",
    `update sqlite_sequence set seq = ${GREATEST} where name = 'runners'`,
    "update sqlite_sequence set seq = 'many' where name = 'runners'",
  ])('keeps a file from being copied after %s', async (sql) => {
    await stores.pop()?.close();
    const db = keepStatements(new Database(path));
    db.exec(sql);
    db.close();
    expect(() => openSource(path)).toThrow(/runners has a number of a row that the service never gives/);
    await coordinate();
    await stores.pop()?.close();
    openSource(path).close();
  });

  it('stays as it is where it is one that the service gives', async () => {
    await edited("update runners set seq = 4503599627370496 where runner_id = 'b'");
    expect(warnings).toEqual([]);
    expect(numbered()).toContainEqual(['b', 4_503_599_627_370_496]);
  });
});

describe('the number of a state', () => {
  const ids = ['wst_1', 'wst_2', 'wst_3'];
  const ofState = (stateId: string) => ({ stateId, rootSessionId: `ses_${stateId}` });
  beforeEach(async () => {
    const store = await coordinate();
    for (const stateId of ids)
      await write(
        store,
        { put: 'state', record: aState(ofState(stateId)) },
        { put: 'event', record: anEvent(ofState(stateId)) },
        { put: 'snapshot', record: aSnapshot({ ...ofState(stateId), text: `{"of":"${stateId}"}` }) },
      );
  });
  const moved = (from: number, to: string) =>
    ['state_events', 'state_snapshots'].map(
      (table) => `update ${table} set state_key = ${to} where state_key = ${String(from)}`,
    );
  const numberedTo = (stateId: string, seq: string) =>
    `update workflow_states set seq = ${seq} where state_id = '${stateId}'`;

  it.each<[string, readonly string[]]>([
    ['is that of its history where it is the newest state', [numberedTo('wst_3', GREATEST)]],
    [
      'is that of its history where others were edited, too',
      [numberedTo('wst_1', GREATEST), numberedTo('wst_2', '-1'), numberedTo('wst_3', '-2')],
    ],
    ['is moved with its history', [numberedTo('wst_1', GREATEST), ...moved(1, GREATEST)]],
    ['is moved with its history where it is negative', [numberedTo('wst_3', '-7'), ...moved(3, '-7')]],
    [
      'is not that of the history of a state that is not there',
      [
        "delete from workflow_states where state_id = 'wst_2'",
        numberedTo('wst_1', GREATEST),
        ...moved(1, GREATEST),
      ],
    ],
  ])('%s', async (_, edits) => {
    const store = await edited(...edits);
    const left = await Promise.all(ids.map((stateId) => store.read.state(stateId)));
    for (const { stateId } of left.filter((head) => head !== null)) {
      const { events } = await store.read.events(stateId, 0, 5, 1e6);
      expect(events.map(({ rootSessionId }) => rootSessionId)).toEqual([`ses_${stateId}`]);
      const document = await store.read.document(stateId);
      expect(document).toMatchObject({ snapshot: { text: `{"of":"${stateId}"}` } });
    }
  });
});

describe('the times of kept answers', () => {
  const receipt = (createdAt: string) =>
    `insert into receipts (receipt_id, fingerprint, created_at, value) values ('r', 'f', ${createdAt}, null)`;
  const createdAt = () => {
    const db = keepStatements(new Database(path, { readonly: true }));
    const at = db.prepare('select created_at from receipts').pluck().get();
    db.close();
    return Number(at);
  };

  it.each([48, -48])('move with a clock that was set by %d hours between two starts', async (hours) => {
    await coordinate();
    const start = now;
    await stores.pop()?.close();
    now += hours * HOUR_MS;
    await edited(receipt(String(start)));
    expect(Math.abs(now - createdAt())).toBeLessThan(60_000);
    // The next start sets nothing.
    await edited();
    expect(Math.abs(now - createdAt())).toBeLessThan(60_000);
  });

  it('stay where only time has passed', async () => {
    await coordinate();
    await edited(receipt('1700000000000'));
    expect(createdAt()).toBe(1_700_000_000_000);
  });
});

it.each(["'{}'", "'null'", `'{"serviceMs":"x","wallMs":1,"uptimeMs":1}'`, "x'ff'"])(
  'a last sign of life that says %s counts as missing',
  async (value) => {
    await coordinate();
    const store = await edited(`update settings set value = ${value} where name = 'coordinator_beat'`);
    expect(store.away).toBeNull();
  },
);
