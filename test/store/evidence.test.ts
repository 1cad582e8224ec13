// Edited histories in a SQLite file.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, describe } from 'vitest';
import { keepStatements } from '../../src/store/sqlite/kept-statements.js';
import { evidenceStories } from './evidence/stories.js';

describe('evidence on SQLite', () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'countersign-evidence-'));
  let databases = 0;
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  function on<T>(db: string, work: (client: Database.Database) => T): Promise<T> {
    const client = keepStatements(new Database(db));
    try {
      return Promise.resolve(work(client));
    } finally {
      client.close();
    }
  }

  evidenceStories({
    newDatabase: () => Promise.resolve(path.join(dir, `${String((databases += 1))}.db`)),
    edit: (db, sql) => on(db, (client) => void client.exec(sql)),
    rows: (db, sql) => on(db, (client) => client.prepare<[], Record<string, unknown>>(sql).all()),
    heads: { table: 'state_head_signatures', key: 'state_key' },
    headAt: () => '',
  });
});
