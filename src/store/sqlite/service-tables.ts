// Tables of the service itself, which belong to no tree.
import { integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type * as records from '../../domain/records.js';
import { sequence, time } from './columns.js';

export const tokens = sqliteTable(
  'tokens',
  {
    seq: sequence(),
    tokenId: text('token_id').notNull(),
    name: text('name').notNull(),
    role: text('role').$type<records.Role>().notNull(),
    hash: text('hash').notNull(),
    createdAt: time('created_at').notNull(),
    revokedAt: time('revoked_at'),
    revision: integer('revision').notNull(),
  },
  (t) => [uniqueIndex('tokens_id').on(t.tokenId), uniqueIndex('tokens_hash').on(t.hash)],
);

export const settings = sqliteTable('settings', {
  name: text('name').primaryKey(),
  value: text('value').notNull(),
});
