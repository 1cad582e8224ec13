import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteStore, type SqliteStore } from '../../src/store/sqlite/index.js';
import { newSeed } from '../soak/random.js';
import { knownOtherwise, workAtRandom } from './random-work.js';

const ROUNDS = 8;
/** Which thread writes a group depends on its size. */
const SIZES = [1, 6, 1000];

let folder: string;
let store: SqliteStore;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-'));
});
afterEach(() => store.close());

/** A store on a copy of the database has nothing in memory. */
function openCopy(name: string): Promise<SqliteStore> {
  const copy = join(folder, name);
  const db = new Database(join(folder, 'test.db'), { readonly: true });
  db.prepare('vacuum into ?').run(copy);
  db.close();
  return openSqliteStore({ path: copy });
}

describe('what the SQLite store has in memory', () => {
  it.each(SIZES)(
    'is what is on disk, where groups of %i and more are written by the thread',
    async (size) => {
      store = await openSqliteStore({ path: join(folder, 'test.db'), limits: { threadRecordsMin: size } });
      const seed = newSeed();
      for (let round = 0; round < ROUNDS; round += 1) {
        const errors = await workAtRandom([store], seed + round);
        const copy = await openCopy(`${String(round)}.db`);
        const wrong = await knownOtherwise([store], copy);
        await copy.close();
        expect({ seed, round, errors, wrong }).toEqual({ seed, round, errors: [], wrong: [] });
      }
    },
  );
});
