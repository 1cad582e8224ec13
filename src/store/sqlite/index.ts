// The public exports of the SQLite store.
export { DatabaseNewerError, DatabaseUnusableError } from '../errors.js';
export { DEFAULT_STORE_LIMITS, type StoreLimits } from '../limits.js';
export { holdDatabase, type DatabaseHold } from './files/hold.js';
export { openForReading, openReadOnly, type ReadOnlyDatabase } from './read-only.js';
export { openSqliteStore, type SqliteStoreOptions } from './open.js';
export type { SqliteStore } from './store.js';
