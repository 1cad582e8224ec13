import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteStore, type SqliteStore } from '../../../src/store/sqlite/index.js';
import { newSeed } from '../../soak/random.js';
import { runs } from '../../support/runs.js';
import { problemsIn, workAtRandom } from '../random-work.js';
import { keepStatements } from '../../../src/store/sqlite/kept-statements.js';

const ROUNDS = runs(8);
/** Which thread writes a group depends on its size. */
const CASES = [
  { size: 1, others: 0 },
  { size: 6, others: 0 },
  { size: 1000, others: 0 },
  { size: 1, others: 1 },
];

let folder: string;
let store: SqliteStore;
let other: Database.Database;
let writing: NodeJS.Timeout | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-'));
});
afterEach(async () => {
  clearInterval(writing);
  other.close();
  await store.close();
});

/** A store on a copy of the database has nothing in memory. */
function openCopy(name: string): Promise<SqliteStore> {
  const copy = join(folder, name);
  const db = keepStatements(new Database(join(folder, 'test.db'), { readonly: true }));
  db.prepare('vacuum into ?').run(copy);
  db.close();
  return openSqliteStore({ path: copy });
}

describe('what the SQLite store has in memory', () => {
  it.each(CASES)(
    'is what is on disk: groups of $size on the thread, beside $others other programs',
    async (one) => {
      const path = join(folder, 'test.db');
      store = await openSqliteStore({ path, limits: { threadRecordsMin: one.size } });
      other = keepStatements(new Database(path));
      const write = other.prepare(
        `insert into settings (name, value) values ('other', '') on conflict do update set value = ''`,
      );
      if (one.others > 0) writing = setInterval(() => write.run(), 5);
      const seed = newSeed();
      for (let round = 0; round < ROUNDS; round += 1) {
        const errors = await workAtRandom([store], seed + round);
        const copy = await openCopy(`${String(round)}.db`);
        const problems = await problemsIn([store], copy);
        await copy.close();
        expect({ seed, round, errors, problems }).toEqual({ seed, round, errors: [], problems: [] });
      }
    },
  );
});
