// A write-ahead log whose space is needed: where a disk is nearly full, and after a write that did not fit.
import { mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StoreLimits } from '../../../src/store/limits.js';
import { openSqliteStore, type SqliteStore } from '../../../src/store/sqlite/index.js';
import { eventually } from '../../support/eventually.js';
import { write } from '../conformance/subject.js';
import { aRunner } from '../records.js';

let path: string;
let warnings: string[];
const stores: SqliteStore[] = [];

beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), 'countersign-log-')), 'test.db');
  warnings = [];
});
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
});

async function open(limits: Partial<StoreLimits>): Promise<SqliteStore> {
  const log = (_: unknown, message: string) => warnings.push(message);
  const store = await openSqliteStore({ path, limits, logger: { warn: log, error: log } });
  stores.push(store);
  return store;
}

const add = (store: SqliteStore, runnerId: string) =>
  write(store, { put: 'runner', record: aRunner({ runnerId }) });
const runnerIds = async (store: SqliteStore) => (await store.read.runners()).map((runner) => runner.runnerId);

describe('a log of which the space is needed', () => {
  const logBytes = () => statSync(`${path}-wal`).size;

  it.each([1, 100])('is moved into the database (threads from %i records)', async (threadRecordsMin) => {
    const short = { shortBytes: Number.MAX_SAFE_INTEGER, shortLogBytes: 1, watchMs: 5 };
    const store = await open({ ...short, threadRecordsMin });
    for (let n = 0; n < 3; n += 1) {
      await add(store, `run_${String(n)}`);
      await eventually('the log is empty', () => logBytes() === 0);
    }
    expect(await runnerIds(store)).toEqual(['run_0', 'run_1', 'run_2']);
    expect(warnings).toEqual([]);
  });

  it('is moved into the database after a write that did not fit, which fits then', async () => {
    const store = await open({ shortBytes: 0, watchMs: 5 });
    await add(store, 'run_0');
    const pages = Number(store.pragma('page_count'));
    store.pragma(`max_page_count = ${String(pages)}`);
    expect(logBytes()).toBeGreaterThan(0);
    const large = {
      put: 'runner',
      record: aRunner({ runnerId: 'run_1', tags: ['x'.repeat(100_000)] }),
    } as const;
    await expect(write(store, large)).rejects.toMatchObject({ code: 'storage_full' });
    await eventually('the log is empty', () => logBytes() === 0);
    store.pragma(`max_page_count = ${String(pages + 100)}`);
    await write(store, large);
    expect(await runnerIds(store)).toEqual(['run_0', 'run_1']);
    expect(warnings).toEqual([]);
  });
});
