// The suite of every store on SQLite where all groups are written by another thread, and where there is no file.
import { join } from 'node:path';
import { openSqliteStore } from '../../src/store/sqlite/index.js';
import { createDatabase, newFolder } from '../support/database-file.js';
import { storeConformance } from './conformance.js';

async function newFile(): Promise<string> {
  const path = join(newFolder(), 'test.db');
  await createDatabase(path);
  return path;
}

storeConformance('SQLite with its writing thread', async (options) =>
  openSqliteStore({ path: await newFile(), limits: { threadRecordsMin: 1 }, ...options }),
);
storeConformance('SQLite in memory', (options) => openSqliteStore({ path: ':memory:', ...options }));
