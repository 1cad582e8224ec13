// What happens to a database's files while it is open, and who may read them: real files, and real other processes.
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdtempSync,
  openSync,
  closeSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StoreLimits } from '../../../src/store/limits.js';
import { keepStatements } from '../../../src/store/sqlite/kept-statements.js';
import { openSqliteStore, type SqliteStore } from '../../../src/store/sqlite/index.js';
import { eventually, pause } from '../../support/eventually.js';
import { write } from '../conformance/subject.js';
import { aRunner } from '../records.js';

/** No look at the files comes between two commits of a test. */
const NO_TICKS = { watchMs: 3_600_000 };

let folder: string;
let path: string;
let warnings: { fields: Readonly<Record<string, unknown>>; message: string }[];
const stores: SqliteStore[] = [];

beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'countersign-files-')), 'data');
  renameSync(mkdtempSync(join(tmpdir(), 'countersign-files-')), folder);
  path = join(folder, 'test.db');
  warnings = [];
});
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
});

async function open(limits: Partial<StoreLimits> = NO_TICKS): Promise<SqliteStore> {
  const log = (fields: Readonly<Record<string, unknown>>, message: string) =>
    warnings.push({ fields, message });
  const store = await openSqliteStore({ path, limits, logger: { warn: log, error: log } });
  stores.push(store);
  return store;
}

const add = (store: SqliteStore, runnerId: string) =>
  write(store, { put: 'runner', record: aRunner({ runnerId }) });
const runnerIds = async (store: SqliteStore) => (await store.read.runners()).map((runner) => runner.runnerId);

function replace(): void {
  const other = keepStatements(new Database(join(folder, 'other.db')));
  other.exec('create table theirs (a)');
  other.close();
  renameSync(join(folder, 'other.db'), path);
}

describe('a write after the files were touched', () => {
  it.each<[string, () => void, string]>([
    ['the database was removed', () => rmSync(path), 'gone from its path'],
    ['all files were removed', () => rmSync(folder, { recursive: true }), 'gone from its path'],
    ['another file was put in its place', replace, 'Another file'],
    ['its folder was renamed', () => renameSync(folder, `${folder}-elsewhere`), 'gone from its path'],
    ['the database was truncated', () => truncateSync(path, 0), 'truncated'],
    ['the database was cut short', () => truncateSync(path, 8192), 'truncated'],
    ['the log was removed', () => rmSync(`${path}-wal`), 'log of the database is gone'],
    ['the log was truncated', () => truncateSync(`${path}-wal`, 0), 'log was truncated'],
  ])('is not acknowledged where %s', async (_, damage, what) => {
    for (const threadRecordsMin of [1, 100]) {
      rmSync(folder, { recursive: true, force: true });
      renameSync(mkdtempSync(join(tmpdir(), 'countersign-files-')), folder);
      rmSync(`${folder}-elsewhere`, { recursive: true, force: true });
      // So that its tables are in the file, and not in the log alone.
      await (await open()).close();
      const store = await open({ ...NO_TICKS, threadRecordsMin });
      await add(store, 'before');
      const heard: unknown[] = [];
      store.subscribe((changes) => heard.push(changes));
      damage();
      const error: unknown = await add(store, 'after').catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'storage_lost' });
      expect((error as Error).message).toContain(what);
      expect((error as Error).message).not.toContain(folder);
      // From then on nothing is even tried.
      await expect(add(store, 'later')).rejects.toMatchObject({ code: 'storage_lost' });
      await expect(
        store.prune([], { keptMax: 1, before: 0, receiptsBefore: 0, archivesBefore: 0, rowsMax: 1 }),
      ).rejects.toThrow();
      expect(await store.health()).toBe('lost');
      expect(heard).toEqual([]);
      await store.close();
    }
  });

  it('is refused by a look where nobody writes, also where the shared memory alone was removed', async () => {
    const store = await open({ watchMs: 10 });
    await add(store, 'before');
    rmSync(`${path}-shm`);
    await eventually('the loss is seen', () => warnings.length > 0);
    await expect(add(store, 'after')).rejects.toMatchObject({ code: 'storage_lost' });
    expect(await runnerIds(store)).toEqual(['before']);
  });

  it('is refused where the path leads to the same database by another name', async () => {
    const store = await open({ watchMs: 10 });
    await add(store, 'before');
    const moved = join(folder, 'moved.db');
    renameSync(path, moved);
    symlinkSync(moved, path);
    await eventually('the loss is seen', () => warnings.length > 0);
    await expect(add(store, 'after')).rejects.toMatchObject({ code: 'storage_lost' });
    expect(await runnerIds(store)).toEqual(['before']);
  });

  it('leaves what was acknowledged to be read, and in the database where only the log was removed', async () => {
    const store = await open();
    await add(store, 'before');
    rmSync(`${path}-wal`);
    await expect(add(store, 'after')).rejects.toMatchObject({ code: 'storage_lost' });
    expect(await runnerIds(store)).toContain('before');
    expect(warnings).toMatchObject([{ fields: { db: path, brought_over: true } }]);
    // As a process that is killed now leaves it.
    const copy = join(folder, 'copy.db');
    copyFileSync(path, copy);
    const after = keepStatements(new Database(copy));
    expect(after.prepare('select runner_id from runners').pluck().all()).toContain('before');
    after.close();
  });

  it.each([1, 100])(
    'leaves the database whole where the log was truncated (threads from %i)',
    async (min) => {
      const before = await open();
      await add(before, 'in the database');
      await before.close();
      const store = await open({ ...NO_TICKS, threadRecordsMin: min });
      await add(store, 'in the log');
      truncateSync(`${path}-wal`, 0);
      await expect(add(store, 'after')).rejects.toMatchObject({ code: 'storage_lost' });
      expect(warnings).toMatchObject([{ fields: { db: path, brought_over: false } }]);
      await store.close();
      const after = keepStatements(new Database(path));
      expect(after.pragma('integrity_check', { simple: true })).toBe('ok');
      expect(after.prepare('select runner_id from runners').pluck().all()).toContain('in the database');
      after.close();
    },
  );

  it('is taken again once the same files are back', async () => {
    const store = await open({ watchMs: 10 });
    await add(store, 'before');
    renameSync(folder, `${folder}-elsewhere`);
    await expect(add(store, 'away')).rejects.toMatchObject({ code: 'storage_lost' });
    renameSync(`${folder}-elsewhere`, folder);
    await eventually('writes are taken', () =>
      add(store, 'back').then(
        () => true,
        () => false,
      ),
    );
    expect(await runnerIds(store)).toEqual(expect.arrayContaining(['before', 'back']));
    expect(await store.health()).toBe('ok');
    expect(warnings.map(({ message }) => message).at(-1)).toContain('back');
  });

  it('is taken after another program has made the file smaller, or has emptied the log', async () => {
    const store = await open();
    for (let i = 0; i < 20; i += 1) await add(store, `runner-${String(i)}-${'x'.repeat(5000)}`);
    const other = keepStatements(new Database(path));
    other.pragma('wal_checkpoint(TRUNCATE)');
    const before = statSync(path).size;
    other.exec('delete from runners');
    other.exec('VACUUM');
    other.pragma('wal_checkpoint(TRUNCATE)');
    expect(statSync(`${path}-wal`).size).toBe(0);
    await add(store, 'after');
    other.exec('delete from settings');
    other.pragma('wal_checkpoint(TRUNCATE)');
    expect(statSync(path).size).toBeLessThan(before);
    other.close();
    await add(store, 'again');
    expect(await runnerIds(store)).toEqual(['after', 'again']);
    expect(warnings).toEqual([]);
  });
});

describe('the files of a database', () => {
  const modes = () =>
    Object.fromEntries(
      readdirSync(folder).map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]),
    );

  it("are their owner's alone", async () => {
    await add(await open(), 'one');
    expect(modes()).toEqual({ 'test.db': '600', 'test.db-shm': '600', 'test.db-wal': '600' });
  });

  it('that others could read are closed to them, with a warning', async () => {
    await (await open()).close();
    stores.length = 0;
    chmodSync(path, 0o644);
    await add(await open(), 'one');
    expect(modes()).toEqual({ 'test.db': '600', 'test.db-shm': '600', 'test.db-wal': '600' });
    expect(warnings.map(({ fields }) => fields)).toContainEqual({ file: path, mode: '0644' });
  });

  it.each<[string, () => void, RegExp]>([
    ['the database', () => chmodSync(path, 0o444), /it cannot be written/],
    ['the log', () => writeFileSync(`${path}-wal`, '', { mode: 0o444 }), /-wal cannot be written/],
    ['the folder', () => chmodSync(folder, 0o555), /its folder .* cannot be written/],
    [
      'the database, which has two names,',
      () => linkSync(path, join(folder, 'same.db')),
      /another name \(a hard link\)/,
    ],
  ])('are refused at the start where %s may not be written, whoever asks', async (_, forbid, sentence) => {
    await (await open()).close();
    stores.length = 0;
    forbid();
    const before = readdirSync(folder);
    await expect(open()).rejects.toThrow(sentence);
    expect(readdirSync(folder)).toEqual(before);
    chmodSync(folder, 0o755);
  });
});

describe('another program that holds the write lock', () => {
  it.each([1, 100])(
    'holds up writes alone, and these in their order (thread from %i)',
    async (threadRecordsMin) => {
      const store = await open({ ...NO_TICKS, threadRecordsMin });
      await add(store, 'first');
      const other = keepStatements(new Database(path));
      other.exec('BEGIN IMMEDIATE');
      let turns = 0;
      const ticking = setInterval(() => (turns += 1), 5);
      const done: string[] = [];
      const writes = ['a', 'b', 'c'].map((id) => add(store, id).then(() => done.push(id)));
      await pause(30);
      writes.push(add(store, 'd').then(() => done.push('d')));
      // Neither needs the lock, which is held all the while.
      expect(await runnerIds(store)).toEqual(['first']);
      expect(await store.transact([], () => ({ changes: [], value: 'read' }))).toBe('read');
      await pause(200);
      expect(done).toEqual([]);
      expect(turns).toBeGreaterThan(5);
      other.exec('ROLLBACK');
      await Promise.all(writes);
      clearInterval(ticking);
      expect(done).toEqual(['a', 'b', 'c', 'd']);
      expect(await runnerIds(store)).toEqual(['first', 'a', 'b', 'c', 'd']);
      other.close();
    },
  );

  it('makes them fail after a bound, settings and retention too, and nothing is written', async () => {
    const store = await open({ ...NO_TICKS, busyMs: 100 });
    const other = keepStatements(new Database(path));
    other.exec('BEGIN IMMEDIATE');
    const all = [
      add(store, 'a'),
      store.setting('name', () => 'value'),
      store.prune([], { keptMax: 1, before: 0, receiptsBefore: 0, archivesBefore: 0, rowsMax: 1 }),
    ];
    for (const one of await Promise.allSettled(all)) {
      expect(one).toMatchObject({ status: 'rejected', reason: { code: 'storage_busy' } });
    }
    expect(await store.health()).toBe('not_writable');
    other.exec('ROLLBACK');
    expect(await runnerIds(store)).toEqual([]);
    await add(store, 'b');
    expect(await store.health()).toBe('ok');
    other.close();
  });

  it('does not hold the thread while a store is opened', async () => {
    await (await open()).close();
    stores.length = 0;
    const other = keepStatements(new Database(path));
    other.exec('BEGIN IMMEDIATE');
    const opening = open();
    let turns = 0;
    const ticking = setInterval(() => (turns += 1), 5);
    await pause(150);
    expect(turns).toBeGreaterThan(3);
    other.exec('ROLLBACK');
    other.close();
    await opening;
    clearInterval(ticking);
  });
});

describe('a file that is damaged', () => {
  it('fails what touches the damage, as storage_failed, and nothing else', async () => {
    const first = await open();
    await add(first, 'one');
    const root = Number(first.pragma(`page_size`));
    await stores.pop()?.close();
    const raw = keepStatements(new Database(path));
    const page = raw
      .prepare("select rootpage from sqlite_schema where name = 'runners'")
      .pluck()
      .get() as number;
    raw.close();
    const file = openSync(path, 'r+');
    writeSync(file, Buffer.alloc(root, 0xa5), 0, root, (page - 1) * root);
    closeSync(file);
    const store = await open();
    await expect(store.read.runners()).rejects.toMatchObject({ code: 'storage_failed' });
    await expect(add(store, 'two')).rejects.toMatchObject({ code: 'storage_failed' });
    expect(await store.setting('name', () => 'kept')).toBe('kept');
    expect(existsSync(path)).toBe(true);
  });
});

describe('the health of a database', () => {
  it('shows that the renewal of the lease cannot be written, until it can', async () => {
    const log = () => undefined;
    const store = await openSqliteStore({
      path,
      limits: { watchMs: 10 },
      logger: { warn: log, error: log },
      coordinate: { now: () => performance.now() },
    });
    stores.push(store);
    const other = keepStatements(new Database(path));
    // As where the file system fails every write, and everything else works.
    other.exec(`create trigger fails before update on settings begin select raise(abort, 'no'); end`);
    await add(store, 'a');
    await eventually('it shows', async () => (await store.health()) === 'not_writable');
    other.exec('drop trigger fails');
    expect(await store.health()).toBe('ok');
    other.close();
  });
});
