// The SQLite store: the suite of every store, and what only a file on a disk can do.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { keepStatements } from '../../../src/store/sqlite/kept-statements.js';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CommitUnknownError } from '../../../src/ports/storage/storage.js';
import { DEFAULT_STORE_LIMITS } from '../../../src/store/limits.js';
import { connect } from '../../../src/store/sqlite/db.js';
import { SqliteReader } from '../../../src/store/sqlite/reads/reader.js';
import { WritingThread } from '../../../src/store/sqlite/thread/writing-thread.js';
import {
  DatabaseNewerError,
  DatabaseUnusableError,
  lockDatabase,
  openSqliteStore,
  type SqliteStore,
} from '../../../src/store/sqlite/index.js';
import { databaseIn } from '../../support/database-file.js';
import { storeConformance } from '../conformance.js';
import { load, write } from '../conformance/subject.js';
import { bundleChild, startChild } from './processes.js';
import type { Completion } from '../../../src/domain/records/records.js';
import { completionColumns } from '../../../src/store/sqlite/tables/rows.js';
import { completions } from '../../../src/store/sqlite/tables/tables.js';
import {
  NOW,
  aChain,
  aCompletion,
  aRun,
  aTree,
  aRunner,
  aSession,
  aSnapshot,
  aState,
  anEvent,
  childOf,
  next,
} from '../records.js';

const PATCH_LENGTH = anEvent().patchText.length;

const newFolder = () => mkdtempSync(join(tmpdir(), 'countersign-'));

// How all tables come to be in a file has tests of its own.
storeConformance('SQLite', async (options) =>
  openSqliteStore({ path: await databaseIn(newFolder()), ...options }),
);

describe('a SQLite file', () => {
  let folder: string;
  let path: string;
  beforeAll(() => bundleChild());
  beforeEach(() => {
    folder = newFolder();
    path = join(folder, 'test.db');
  });

  it('is synced to the disk with each commit, also on a connection that has written', async () => {
    const store = await openSqliteStore({ path });
    await write(store, { put: 'runner', record: aRunner() });
    await write(store, { put: 'session', record: aSession() });
    expect(store.pragma('synchronous')).toBe(2);
    expect(store.pragma('journal_mode')).toBe('wal');
    await store.close();
  });

  it('holds everything in one file once it is closed', async () => {
    const store = await openSqliteStore({ path });
    await write(store, { put: 'runner', record: aRunner() });
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
    await store.close();
    await store.close();
    expect(existsSync(`${path}-wal`)).toBe(false);
  });

  it('keeps its records and settings when it is opened again', async () => {
    const first = await openSqliteStore({ path });
    await write(first, { put: 'runner', record: aRunner() });
    await first.setting('secret', () => 'first');
    await first.close();
    const second = await openSqliteStore({ path });
    expect(await second.read.runner('rnr_1')).toEqual(aRunner());
    expect(await second.setting('secret', () => 'second')).toBe('first');
    await second.close();
  });

  it.each([
    ['in between', { version: 4, patchBytesSinceSnapshot: 3 * PATCH_LENGTH }],
    ['with a migration', { version: 4, patchBytesSinceSnapshot: 3 * PATCH_LENGTH, schemaId: 'sch_2' }],
    ['with a snapshot', { version: 4, snapshotVersion: 4, patchBytesSinceSnapshot: 0 }],
  ])('tells the head of a state whose row was last written %s', async (_, changed) => {
    const first = await openSqliteStore({ path });
    const created = aState();
    await write(
      first,
      { put: 'state', record: created },
      { put: 'event', record: anEvent() },
      { put: 'snapshot', record: aSnapshot() },
    );
    const [, two, three, four] = aChain(
      {},
      { createdAt: NOW + 1 },
      { createdAt: NOW + 2 },
      { createdAt: NOW + 3, sessionId: 'ses_root' },
    );
    const second = {
      version: 2,
      lastHash: two!.hash,
      patchBytesSinceSnapshot: PATCH_LENGTH,
      updatedAt: NOW + 1,
    };
    const written = next(created, second);
    await write(first, { put: 'state', record: written }, { put: 'event', record: two! });
    const last = next(written, {
      ...changed,
      lastHash: four!.hash,
      updatedAt: NOW + 3,
      updatedBy: 'ses_root',
    });
    await write(
      first,
      { put: 'state', record: last },
      { put: 'event', record: three! },
      { put: 'event', record: four! },
      ...(last.snapshotVersion === 4
        ? [{ put: 'snapshot' as const, record: aSnapshot({ version: 4 }) }]
        : []),
    );
    await first.close();

    const store = await openSqliteStore({ path });
    const head = { ...last, revision: expect.any(Number) };
    expect(await store.read.state('wst_1')).toEqual(head);
    expect((await load(store, { load: 'state', stateId: 'wst_1' })).states.get('wst_1')).toEqual(head);
    const listed = await store.read.states({ updatedSince: NOW + 3 }, { limit: 10, cursor: null });
    expect(listed.items).toEqual([head]);
    const later = next(last, { version: 5, lastHash: 'of version 5' });
    await write(store, { put: 'state', record: later }, { put: 'event', record: anEvent({ version: 5 }) });
    expect((await store.read.state('wst_1'))?.version).toBe(5);
    await store.close();
  });

  it('holds every acknowledged write after its process was killed', async () => {
    const child = startChild('write', path);
    await child.said(500);
    child.process.kill('SIGKILL');
    await child.ended;
    const store = await openSqliteStore({ path });
    const kept = new Set((await store.read.runners()).map((runner) => runner.runnerId));
    expect(child.lines.filter((line) => !kept.has(line))).toEqual([]);
    await store.close();
  });

  it('is brought up to date once where many open it at the same time', async () => {
    const children = Array.from({ length: 3 }, () => startChild('open', path));
    const stores = await Promise.all(Array.from({ length: 3 }, () => openSqliteStore({ path })));
    expect(await Promise.all(children.map((child) => child.ended))).toEqual([0, 0, 0]);
    await Promise.all(stores.map((store) => store.close()));
    const raw = keepStatements(new Database(path));
    const times = raw.prepare('select created_at from __drizzle_migrations').pluck().all();
    expect(new Set(times).size).toBe(times.length);
    expect(times.length).toBeGreaterThan(0);
    raw.close();
  });

  it('is seen as another connection has changed it', async () => {
    const [here, there] = [await openSqliteStore({ path }), await openSqliteStore({ path })];
    const session = aSession();
    const status = async () =>
      (await load(here, { load: 'aggregate', sessionId: 'ses_root' })).aggregates.get('ses_root')?.session
        .status;
    await write(here, { put: 'session', record: session });
    expect(await status()).toBe('running');
    await write(there, { put: 'session', record: next(session, { status: 'stopped' }) });
    expect(await status()).toBe('stopped');
    expect(
      await Promise.all([here, there].map((store, i) => store.setting('secret', () => `made ${i}`))),
    ).toEqual(['made 0', 'made 0']);
    await here.close();
    await there.close();
  });

  it('is seen by decisions for the writing thread as another connection has changed it', async () => {
    const limits = { threadRecordsMin: 1 };
    const stores = [await openSqliteStore({ path, limits }), await openSqliteStore({ path, limits })];
    await write(
      stores[0]!,
      { put: 'tree', record: aTree() },
      { put: 'state', record: aState() },
      { put: 'event', record: anEvent() },
      { put: 'snapshot', record: aSnapshot() },
    );
    const more = (store: SqliteStore) =>
      store.transact([{ load: 'state', stateId: 'wst_1' }], ({ states }) => {
        const head = states.get('wst_1')!;
        const version = head.version + 1;
        const event = anEvent({ version });
        return {
          changes: [
            { put: 'state', record: next(head, { version, lastHash: event.hash }) },
            { put: 'event', record: event },
          ],
          value: version,
        };
      });
    const versions: number[] = [];
    for (const store of [...stores, ...stores, ...stores]) {
      versions.push(...(await Promise.all([more(store), more(store)])));
    }
    expect(versions).toEqual(Array.from({ length: 12 }, (_, i) => i + 2));
    expect(await stores[0]!.read.doctor(NOW, 10)).toEqual([]);
    for (const store of stores) await store.close();
  });

  it('gets decisions about different runs in one commit, and each decision about one run sees the one before', async () => {
    const store = await openSqliteStore({ path, limits: { threadRecordsMin: 1 } });
    const sessions = ['a', 'b', 'c'].map((id) => childOf(aSession(), id));
    const runs = sessions.map((session) => aRun(session, `run_${session.sessionId}`, { dueAt: NOW }));
    await write(
      store,
      { put: 'tree', record: aTree() },
      ...[aSession(), ...sessions].map((record) => ({ put: 'session', record }) as const),
      ...runs.map((record) => ({ put: 'run', record }) as const),
    );
    const later = (runId: string) =>
      store.transact([{ load: 'run', runId }], (records) => {
        const run = records.runs.get(runId)!;
        return { changes: [{ put: 'run', record: next(run, { dueAt: run.dueAt! + 1 }) }], value: null };
      });
    const [first, ...others] = [...runs, runs[0]!].map(({ runId }) => later(runId));
    await first;
    const reader = keepStatements(new Database(path, { readonly: true }));
    const dueTimes = reader.prepare('select due_at from runs order by run_id').pluck();
    expect(dueTimes.all()).toEqual([NOW + 1, NOW + 1, NOW + 1]);
    await Promise.all(others);
    expect(dueTimes.all()).toEqual([NOW + 2, NOW + 1, NOW + 1]);
    reader.close();
    await store.close();
  });

  it.each([
    ['by the store itself', {}],
    ['by its thread', { threadRecordsMin: 1 }],
  ])('gets only the columns of a record that changed, written %s', async (_, limits) => {
    const store = await openSqliteStore({ path, limits });
    const session = aSession();
    await write(
      store,
      { put: 'session', record: session },
      { put: 'completion', record: aCompletion(session) },
      { put: 'tree', record: aTree() },
    );
    const other = keepStatements(new Database(path));
    other.exec(`create table written (name text) strict;
      create trigger of_status after update of status on completions begin insert into written values ('status'); end;
      create trigger of_result after update of result_text on completions begin insert into written values ('result'); end;`);
    const written = other.prepare('select group_concat(name) from written').pluck();
    const change = (over: Partial<Completion>) =>
      store.transact([{ load: 'aggregate', sessionId: session.sessionId }], ({ aggregates }) => ({
        changes: [
          { put: 'completion', record: next(aggregates.get(session.sessionId)!.completions[0]!, over) },
        ],
        value: null,
      }));
    // Writes a cached record again: what others have written discards the caches.
    await change({ attempt: 1 });
    await change({ status: 'pending' });
    await change({ attempt: 2 });
    expect(written.get()).toBe('status');
    await change({ resultText: 'done' });
    expect(written.get()).toBe('status,result');
    other.close();
    await store.close();
  });

  it('keeps a record right whichever of its columns change, beyond the statements that are kept', async () => {
    const store = await openSqliteStore({ path });
    const session = aSession();
    let record = aCompletion(session);
    await write(
      store,
      { put: 'session', record: session },
      { put: 'completion', record },
      { put: 'tree', record: aTree() },
    );
    const overs: Partial<Completion>[] = [
      { attempt: 1 },
      { reason: 'because' },
      { causeFingerprint: 'abc' },
      { wrote: true },
      { resultData: { n: 1 } },
      { lastWriteVersion: 3 },
      { dueAt: NOW },
    ];
    // Every combination of these, each replacing the one before.
    for (let bits = 1; bits < 2 ** overs.length; bits += 1) {
      const plain = { ...aCompletion(session), revision: record.revision };
      record = next(plain, Object.assign({}, ...overs.filter((_, at) => (bits >> at) % 2 === 1)));
      await store.transact([{ load: 'aggregate', sessionId: session.sessionId }], () => ({
        changes: [{ put: 'completion', record }],
        value: null,
      }));
      const stored = keepStatements(new Database(path, { readonly: true }));
      const [row] = connect(stored).select(completionColumns).from(completions).all();
      stored.close();
      expect(row).toEqual(record);
    }
    await store.close();
  });

  it('is noticed to have been written by others in the very turn in which the thread gets its rows', async () => {
    const store = await openSqliteStore({ path, limits: { threadRecordsMin: 2 } });
    for (const id of ['1', '2', '3']) {
      const of = { stateId: `wst_${id}`, rootSessionId: `ses_${id}` };
      await write(
        store,
        { put: 'tree', record: aTree(of) },
        { put: 'state', record: aState(of) },
        { put: 'event', record: anEvent({ ...of, eventId: `evt_${id}` }) },
        { put: 'snapshot', record: aSnapshot(of) },
      );
    }
    const more = (stateId: string) =>
      store.transact(
        [{ load: 'state', stateId }],
        ({ states }) => {
          const head = states.get(stateId)!;
          const { rootSessionId, version } = head;
          const event = anEvent({
            stateId,
            rootSessionId,
            eventId: `evt_of_${stateId}`,
            version: version + 1,
          });
          const record = next(head, { version: event.version, lastHash: event.hash });
          return {
            changes: [
              { put: 'state' as const, record },
              { put: 'event' as const, record: event },
            ],
            value: null,
          };
        },
        true,
      );
    await more('wst_3');
    // The second of two single records is written by the store's own connection: that hides from the thread what others
    // write after it.
    await write(store, { put: 'session', record: aSession() });
    await write(store, { put: 'runner', record: aRunner() });
    expect(store.cachedHead('wst_3')?.version).toBe(2);
    const other = keepStatements(new Database(path));
    other.exec(`insert into settings (name, value) values ('of', 'others')`);
    await Promise.all([more('wst_1'), more('wst_2')]);
    expect(store.cachedHead('wst_3')).toBeUndefined();
    other.close();
    await store.close();
  });

  it('is read as of one moment though others write between two statements', async () => {
    const store = await openSqliteStore({ path });
    await write(
      store,
      { put: 'tree', record: aTree() },
      { put: 'state', record: aState() },
      { put: 'event', record: anEvent() },
      { put: 'snapshot', record: aSnapshot() },
    );
    await store.close();
    const other = keepStatements(new Database(path));
    const row = other.prepare('select * from state_events').get() as Record<string, unknown>;
    const names = Object.keys(row);
    const insert = other.prepare(
      `insert into state_events (${names.join()}) values (${names.map((name) => `@${name}`).join()})`,
    );
    let version = 1;
    let isReading = false;
    const client = keepStatements(
      new Database(path, {
        verbose: (statement) => {
          if (!isReading || !String(statement).startsWith('select')) return;
          version += 1;
          const next = anEvent({ version });
          const chained = { previous_hash: next.previousHash, hash: next.hash, patch: next.patchText };
          insert.run({
            ...{ ...row, ...chained, kind: next.kind },
            ...{ seq: version, version, event_id: next.eventId },
          });
        },
      }),
    );
    const reader = new SqliteReader(connect(client));
    for (const filter of [{}, { stateId: 'wst_1' }, { rootSessionId: 'ses_root' }]) {
      isReading = true;
      const { items, next } = await reader.feed({ events: 0, notices: 0 }, filter, 1000, 1_000_000);
      isReading = false;
      expect(items.length).toBeGreaterThan(0);
      expect(next.events).toBe(items.at(-1)?.position.events);
    }
    client.close();
    other.close();
  });

  it.each([
    ['has no folder', ['no such folder', 'test.db']],
    ['was removed', ['removed.db']],
  ])('is written here, and the thread creates no file, where the database %s', async (_title, names) => {
    const missing = join(folder, ...names);
    const thread = new WritingThread(missing, DEFAULT_STORE_LIMITS, null);
    expect(await thread.write(thread.batch(), false)).toBe('failed');
    expect(thread.usable).toBe(false);
    expect(existsSync(missing)).toBe(false);
    await thread.close();
  });

  it('is not known to have been written where the thread ends meanwhile', async () => {
    await (await openSqliteStore({ path })).close();
    const thread = new WritingThread(path, DEFAULT_STORE_LIMITS, null);
    expect(await thread.write(thread.batch(), false)).toBe('written');
    const batch = thread.batch();
    const statement = { sql: 'insert into settings (name, value) values (?, ?)', values: () => [] };
    for (let i = 0; i < 300; i += 1) batch.row(statement, [`name ${i}`, `${i}`.repeat(500_000)]);
    await expect(thread.write(batch, false)).rejects.toThrow(CommitUnknownError);
    expect(thread.usable).toBe(false);
    await thread.close();
  });

  it('refuses writes while another process holds it, and goes on afterwards', async () => {
    const store = await openSqliteStore({ path, limits: { busyMs: 10 } });
    const other = keepStatements(new Database(path));
    other.exec('BEGIN IMMEDIATE');
    expect(await store.health()).toBe('not_writable');
    const results = await Promise.allSettled(
      ['a', 'b'].map((runnerId) => write(store, { put: 'runner', record: aRunner({ runnerId }) })),
    );
    expect(results.map((result) => result.status)).toEqual(['rejected', 'rejected']);
    other.close();
    await write(store, { put: 'runner', record: aRunner() });
    expect(await store.read.runners()).toHaveLength(1);
    await store.close();
  });
});

describe('a full disk', () => {
  const big = (i: number) =>
    [
      { put: 'state', record: aState({ stateId: `w${i}`, rootSessionId: `r${i}` }) },
      {
        put: 'snapshot',
        record: aSnapshot({ stateId: `w${i}`, rootSessionId: `r${i}`, text: 'x'.repeat(10_000) }),
      },
    ] as const;
  const limit = (store: SqliteStore, pages: number) =>
    store.pragma(`max_page_count = ${Number(store.pragma('page_count')) + pages}`);

  it('fails the writes that do not fit, loses none that were acknowledged, and is got over', async () => {
    const path = join(newFolder(), 'test.db');
    const store = await openSqliteStore({ path });
    limit(store, 20);
    const kept: string[] = [];
    let full = 0;
    for (let group = 0; group < 6; group++) {
      const wanted = [0, 1, 2].map((i) => group * 3 + i);
      const results = await Promise.allSettled(wanted.map((i) => write(store, ...big(i))));
      results.forEach((result, i) => {
        if (result.status === 'fulfilled') kept.push(`w${wanted[i]}`);
        else {
          full++;
          expect(result.reason).toMatchObject({ code: 'storage_full' });
        }
      });
    }
    expect(kept.length).toBeGreaterThan(0);
    expect(full).toBeGreaterThan(0);
    expect(await store.health()).toBe('not_writable');
    const states = async (of: SqliteStore) =>
      (await of.read.states({}, { limit: 100, cursor: null })).items.map((state) => state.stateId);
    expect(await states(store)).toEqual(kept);

    limit(store, 1000);
    expect(await store.health()).toBe('ok');
    await write(store, ...big(99));
    await store.close();
    const again = await openSqliteStore({ path });
    expect(await states(again)).toEqual([...kept, 'w99']);
    await again.close();
  });

  it('fails a setting', async () => {
    const store = await openSqliteStore({ path: join(newFolder(), 'test.db') });
    limit(store, 0);
    await expect(store.setting('big', () => 'x'.repeat(100_000))).rejects.toMatchObject({
      code: 'storage_full',
    });
    await store.close();
  });
});

describe('a file that cannot be used', () => {
  const cause = async (path: string) => {
    const error: unknown = await openSqliteStore({ path }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(DatabaseUnusableError);
    const { message } = error as Error;
    expect(message).toContain(path);
    return message;
  };

  it('is refused where the folder is missing', async () => {
    expect(await cause(join(newFolder(), 'none', 'test.db'))).toMatch(/there is no folder/);
  });

  it('is refused where it is no database', async () => {
    const path = join(newFolder(), 'test.db');
    writeFileSync(
      path,
      'some text that is long enough to be taken for a header of SQLite, but is none of that kind'.repeat(20),
    );
    expect(await cause(path)).toMatch(/not an SQLite database/);
  });

  it('is refused where it is a folder', async () => {
    const path = join(newFolder(), 'test.db');
    mkdirSync(path);
    expect(await cause(path)).toMatch(/is a folder/);
  });

  it('is refused where it cannot be written', async () => {
    const folder = newFolder();
    const path = join(folder, 'test.db');
    writeFileSync(path, '', { mode: 0o444 });
    chmodSync(folder, 0o755);
    // Permissions do not hold root back, so root becomes nobody for a moment.
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) process.seteuid?.(65534);
    try {
      expect(await cause(path)).toMatch(/cannot be written/);
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  });

  it('is refused, untouched, where it belongs to another program', async () => {
    const path = join(newFolder(), 'test.db');
    const raw = keepStatements(new Database(path));
    raw.exec('create table theirs (a)');
    expect(await cause(path)).toMatch(/another program/);
    expect(raw.prepare('select name from sqlite_schema').pluck().all()).toEqual(['theirs']);
    expect(raw.pragma('journal_mode', { simple: true })).toBe('delete');
    raw.close();
  });

  it('is refused where a newer program wrote it', async () => {
    const path = join(newFolder(), 'test.db');
    await (await openSqliteStore({ path })).close();
    const raw = keepStatements(new Database(path));
    raw.prepare('insert into __drizzle_migrations (hash, created_at) values (?, ?)').run('x', Date.now() * 2);
    raw.close();
    const error: unknown = await openSqliteStore({ path }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(DatabaseNewerError);
    expect((error as Error).message).toContain(path);
  });

  it.each([
    ['has a time that is none', "update __drizzle_migrations set created_at = 'x' where id = 2"],
    ['has a time that no version had', 'update __drizzle_migrations set created_at = 7 where id = 2'],
    ['lacks one of the first', 'delete from __drizzle_migrations where id = 2'],
    [
      'lacks the last',
      'delete from __drizzle_migrations where id = (select max(id) from __drizzle_migrations)',
    ],
    ['is empty', 'delete from __drizzle_migrations'],
    ['is gone', 'drop table __drizzle_migrations'],
  ])('is refused, untouched, where its list of migrations %s', async (_, edit) => {
    const path = join(newFolder(), 'test.db');
    await (await openSqliteStore({ path })).close();
    const raw = keepStatements(new Database(path));
    raw.exec(edit);
    const tables = () => raw.prepare('select name from sqlite_schema').pluck().all();
    const before = tables();
    expect(await cause(path)).toMatch(/its list of migrations was edited/);
    expect(tables()).toEqual(before);
    raw.close();
  });
});

describe('a hold on a database', () => {
  beforeAll(() => bundleChild());

  it('is had by one at a time, also by another path to the same file', async () => {
    const folder = newFolder();
    const path = join(folder, 'test.db');
    symlinkSync(folder, `${folder}-link`);
    const hold = lockDatabase(path);
    expect(() => lockDatabase(path)).toThrow(/in use by another coordinator/);
    expect(() => lockDatabase(join(`${folder}-link`, 'test.db'))).toThrow(DatabaseUnusableError);
    const store = await openSqliteStore({ path });
    await write(store, { put: 'runner', record: aRunner() });
    await store.close();
    hold.release();
    hold.release();
    lockDatabase(path).release();
  });

  it('is freed when its process is killed', async () => {
    const path = join(newFolder(), 'test.db');
    const child = startChild('hold', path);
    await child.said(1);
    expect(() => lockDatabase(path)).toThrow(/in use by another coordinator/);
    child.process.kill('SIGKILL');
    await child.ended;
    lockDatabase(path).release();
  });

  it('is not needed for a database in memory', () => {
    const holds = [lockDatabase(':memory:'), lockDatabase(':memory:')];
    for (const hold of holds) hold.release();
    expect(existsSync(':memory:.lock')).toBe(false);
  });

  it('is refused where the folder is missing', () => {
    expect(() => lockDatabase(join(newFolder(), 'none', 'test.db'))).toThrow(/there is no folder/);
  });
});
