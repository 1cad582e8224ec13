// Tables of the service itself, independent of trees.
import { index, sqliteTable, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { Receipt } from '../../../domain/transactions/idempotency.js';
import type * as records from '../../../domain/records/records.js';
import { count, json, oneOf, sequence, sequenceNeverReused, text, time } from './columns.js';
import { ANY_JSON, TEXT_LIST } from '../../rows/values.js';
import { ROLES } from '../../rows/forms.js';

export const runners = sqliteTable(
  'runners',
  {
    seq: sequenceNeverReused(),
    runnerId: text('runner_id').notNull(),
    hostname: text('hostname').notNull(),
    projectDir: text('project_dir'),
    executorTypes: json('executor_types', TEXT_LIST).$type<records.Runner['executorTypes']>().notNull(),
    tags: json('tags', TEXT_LIST).$type<records.Runner['tags']>().notNull(),
    concurrentMax: count('concurrent_max').notNull(),
    lastSeenAt: time('last_seen_at').notNull(),
    createdAt: time('created_at').notNull(),
    revision: count('revision').notNull(),
  },
  (t) => [uniqueIndex('runners_id').on(t.runnerId)],
);

export const tokens = sqliteTable(
  'tokens',
  {
    seq: sequence(),
    tokenId: text('token_id').notNull(),
    name: text('name').notNull(),
    role: oneOf('role', ROLES, null).notNull(),
    hash: text('hash').notNull(),
    createdAt: time('created_at').notNull(),
    revokedAt: time('revoked_at'),
    revision: count('revision').notNull(),
  },
  (t) => [uniqueIndex('tokens_id').on(t.tokenId), uniqueIndex('tokens_hash').on(t.hash)],
);

/** Idempotency records: requests with an idempotency key, and their stored answers. */
export const receipts = sqliteTable(
  'receipts',
  {
    seq: sequence(),
    receiptId: text('receipt_id').notNull(),
    fingerprint: text('fingerprint').notNull(),
    createdAt: time('created_at').notNull(),
    value: json('value', ANY_JSON).$type<Receipt['value']>(),
  },
  (t) => [uniqueIndex('receipts_id').on(t.receiptId), index('receipts_age').on(t.createdAt)],
);

export const settings = sqliteTable('settings', {
  name: text('name').primaryKey(),
  value: text('value').notNull(),
});
