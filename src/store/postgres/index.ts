// The public exports of the PostgreSQL store.
export { openPostgresHistories, openPostgresStore, withDatabase, type PostgresStoreOptions } from './open.js';
export type { PostgresStore } from './store.js';
