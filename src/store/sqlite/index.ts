// The public exports of the SQLite store.
export {
  DatabaseDamagedError,
  DatabaseFullError,
  DatabaseNewerError,
  DatabaseUnusableError,
} from '../errors.js';
export { whyCorrupt } from './faults.js';
export { whyNotWritable } from './files/file-modes.js';
export { lockDatabase } from './files/lock-file.js';
export { LEASE_SETTINGS } from './files/lease.js';
export { openForReading, openReadOnly, type ReadOnlyDatabase } from './read-only.js';
export { openSqliteStore } from './open.js';
export type { SqliteStore } from './store.js';
