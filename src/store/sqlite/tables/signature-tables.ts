// The table of signed heads. Separate, so that a write to one of many states rewrites a short row, and none where
// histories are not signed.
import { integer, sqliteTable } from 'drizzle-orm/sqlite-core';
import { count, text } from './columns.js';

export const headSignatures = sqliteTable('state_head_signatures', {
  stateKey: integer('state_key').primaryKey(),
  rootSessionId: text('root_session_id').notNull(),
  unsignedThrough: count('unsigned_through').notNull(),
  signature: text('signature'),
});
