// Whose a database is: one coordinator's, also where its lock file is gone, and nobody's where it is a copy.
import { copyFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { StoreLimits } from '../../../src/store/limits.js';
import { keepStatements } from '../../../src/store/sqlite/kept-statements.js';
import { lockDatabase, openSqliteStore, type SqliteStore } from '../../../src/store/sqlite/index.js';
import { WritingThread } from '../../../src/store/sqlite/thread/writing-thread.js';
import { eventually } from '../../support/eventually.js';
import { write } from '../conformance/subject.js';
import { bundleChild, startChild, type Child } from './processes.js';
import { aNotice, aRunner, aSession } from '../records.js';

const LONG = { leaseMs: 3_600_000 };

let path: string;
const stores: SqliteStore[] = [];
const children: Child[] = [];

beforeAll(() => bundleChild());
beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), 'countersign-lease-')), 'test.db');
});
afterEach(async () => {
  vi.restoreAllMocks();
  for (const child of children.splice(0)) child.process.kill('SIGKILL');
  for (const store of stores.splice(0)) await store.close();
});

async function coordinate(at = path, limits: Partial<StoreLimits> = LONG, now = () => Date.now()) {
  const store = await openSqliteStore({ path: at, limits: { ...limits, watchMs: 20 }, coordinate: { now } });
  stores.push(store);
  return store;
}

async function child(): Promise<Child> {
  const started = startChild('coordinate', path);
  children.push(started);
  await started.said(2);
  return started;
}

describe('the lease on a database', () => {
  it('is had by one process at a time, without any lock file', async () => {
    const { process: other } = await child();
    await expect(coordinate()).rejects.toThrow(
      new RegExp(`in use by another coordinator, process ${String(other.pid)} on`),
    );
    // A tool may read and write beside it.
    const tool = await openSqliteStore({ path });
    await write(tool, { put: 'runner', record: aRunner({ runnerId: 'of a tool' }) });
    await tool.close();
  });

  it('is free at once after its owner was killed, however long it had yet', async () => {
    const store = await coordinate();
    const row = store.pragma('page_count');
    expect(row).toBeGreaterThan(0);
    await stores.pop()?.close();
    const { process: other, ended } = await child();
    other.kill('SIGKILL');
    await ended;
    // The lease would last an hour.
    const next = await coordinate();
    await write(next, { put: 'runner', record: aRunner() });
    expect(next.away).toMatchObject({ clockShiftMs: expect.any(Number) as number });
  });

  it('is taken from an owner that stands still for longer, which then writes nothing more', async () => {
    const first = await child();
    expect(first.lines).toEqual(['held', 'taken']);
    first.process.kill('SIGSTOP');
    const second = await eventually('the lease has run out', () =>
      coordinate(path, { leaseMs: 300, busyMs: 50 }).catch((error: unknown) => {
        if (!String(error).includes('another process holds it')) return null;
        // It was stopped in the middle of a commit, and has the write lock for as long: once more.
        first.process.kill('SIGCONT');
        setTimeout(() => first.process.kill('SIGSTOP'), 15);
        return null;
      }),
    );
    const before = (await second.read.runners()).length;
    first.process.kill('SIGCONT');
    await first.said(3);
    expect(first.lines).toEqual(['held', 'taken', 'storage_lost']);
    expect((await second.read.runners()).length).toBe(before);
    await write(second, { put: 'runner', record: aRunner() });
    expect(first.lines.at(-1)).toBe('storage_lost');
  });

  it('is kept by an owner that lives, for longer than it lasts', async () => {
    const first = await child();
    await new Promise((resolve) => setTimeout(resolve, 700));
    await expect(coordinate(path, { leaseMs: 300 })).rejects.toThrow(/in use by another coordinator/);
    expect(first.lines).toEqual(['held', 'taken']);
  });

  it('is renewed between the batches of the writing thread, which refuses none of them', async () => {
    const write = vi.spyOn(WritingThread.prototype, 'write');
    const limits = { ...LONG, watchMs: 1, threadRecordsMin: 1 };
    const store = await openSqliteStore({ path, limits, coordinate: { now: () => Date.now() } });
    stores.push(store);
    const reader = keepStatements(new Database(path, { readonly: true }));
    const beat = reader.prepare(`select value from settings where name = 'coordinator_beat'`).pluck();
    const beats = new Set<unknown>();
    for (let at = 0; at < 300; at += 1) {
      await store.transact([], () => ({
        changes: [{ put: 'session', record: aSession({ sessionId: `ses_${at}`, sessionName: `s-${at}` }) }],
        value: null,
      }));
      beats.add(beat.get());
    }
    reader.close();
    expect(beats.size).toBeGreaterThan(5);
    const answers = await Promise.all(write.mock.settledResults.map(({ value }) => value));
    expect(answers.length).toBeGreaterThan(200);
    expect(answers.filter((answer) => answer !== 'written')).toEqual([]);
  });

  it('starts the writing thread with the first request, not with the first large group', async () => {
    const started = vi.fn();
    process.on('worker', started);
    try {
      const tool = await openSqliteStore({ path });
      await write(tool, { put: 'runner', record: aRunner() });
      await tool.close();
      expect(started).not.toHaveBeenCalled();
      const store = await coordinate();
      expect(started).not.toHaveBeenCalled();
      for (const runnerId of ['one', 'two'])
        await write(store, { put: 'runner', record: aRunner({ runnerId }) });
      expect(started).toHaveBeenCalledTimes(1);
    } finally {
      process.off('worker', started);
    }
  });

  it('does not go with a copy of the file, and goes with the file where that is moved', async () => {
    const first = await child();
    first.process.kill('SIGSTOP');
    const copy = `${path}.copy`;
    copyFileSync(path, copy);
    copyFileSync(`${path}-wal`, `${copy}-wal`);
    const store = await coordinate(copy);
    await write(store, { put: 'runner', record: aRunner() });
    for (const suffix of ['', '-wal', '-shm']) renameSync(`${path}${suffix}`, `${path}.moved${suffix}`);
    // Or it was stopped in the middle of a commit.
    await expect(coordinate(`${path}.moved`, { busyMs: 50 })).rejects.toThrow(
      /in use by another coordinator|another process holds it/,
    );
  });

  it('is given back at the end, and by nobody else', async () => {
    const store = await coordinate();
    await stores.pop()?.close();
    const raw = keepStatements(new Database(path));
    const owners = () =>
      raw.prepare("select count(*) from settings where name = 'coordinator'").pluck().get();
    expect(owners()).toBe(0);
    const next = await coordinate();
    expect(owners()).toBe(1);
    await store.close();
    expect(owners()).toBe(1);
    raw.close();
    await write(next, { put: 'runner', record: aRunner() });
  });

  it('tells how long nobody was there, and how far the clock was set meanwhile', async () => {
    for (const hours of [1, -1]) {
      let now = 1_750_000_000_000;
      await coordinate(path, LONG, () => now);
      await stores.pop()?.close();
      now += hours * 3_600_000;
      const { away } = await coordinate(path, LONG, () => now);
      await stores.pop()?.close();
      expect(away?.elapsedMs).toBeLessThan(30_000);
      expect(Math.abs((away?.clockShiftMs ?? 0) - hours * 3_600_000)).toBeLessThan(30_000);
      rmSync(path);
    }
  });

  describe('with an edited last sign of life', () => {
    const NOW = 1_750_000_000_000;
    const HOUR_MS = 3_600_000;
    const beatAt = (ms: number) =>
      JSON.stringify({ serviceMs: ms, wallMs: ms, uptimeMs: 1, boot: 'another' });

    it.each([
      ['in the future', beatAt(4_102_444_800_000), HOUR_MS],
      ['from before what was written since', beatAt(1), HOUR_MS],
      ['that is none', '[]', HOUR_MS],
      ['that is gone', null, HOUR_MS],
      ['that can be true', beatAt(NOW - 60_000), HOUR_MS + 60_000],
    ])('%s', async (_, value, elapsedMs) => {
      const store = await coordinate(path, LONG, () => NOW);
      await write(store, { put: 'notice', record: aNotice('ses_1', { createdAt: NOW }) });
      await stores.pop()?.close();
      const raw = keepStatements(new Database(path));
      if (value === null) raw.prepare("delete from settings where name = 'coordinator_beat'").run();
      else raw.prepare("update settings set value = ? where name = 'coordinator_beat'").run(value);
      raw.close();
      const { away } = await coordinate(path, LONG, () => NOW + HOUR_MS);
      expect(away).toEqual({ elapsedMs, clockShiftMs: 0 });
    });
  });

  it('is proved free by the lock file that its owner held', async () => {
    const hold = lockDatabase(path);
    const store = await coordinate();
    hold.release();
    // The lock can be had only where the owner has let it go; as another process sees it.
    const again = lockDatabase(path);
    await coordinate();
    await expect(write(store, { put: 'runner', record: aRunner() })).rejects.toMatchObject({
      code: 'storage_lost',
    });
    again.release();
  });
});
