// The suite of every store on SQLite where all groups are written by another thread, and where there is no file.
import { openSqliteStore } from '../../../src/store/sqlite/index.js';
import { databaseIn, newFolder } from '../../support/database-file.js';
import { storeConformance } from '../conformance.js';

storeConformance('SQLite with its writing thread', async (options) =>
  openSqliteStore({ path: await databaseIn(newFolder()), limits: { threadRecordsMin: 1 }, ...options }),
);
storeConformance('SQLite in memory', (options) => openSqliteStore({ path: ':memory:', ...options }));
