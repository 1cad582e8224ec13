// The table of trees: data shared by all sessions of a tree.
import { pgTable, uniqueIndex } from 'drizzle-orm/pg-core';
import { count, sequence, text } from './columns.js';

export const trees = pgTable(
  'trees',
  {
    seq: sequence(),
    rootSessionId: text('root_session_id').notNull(),
    stateId: text('state_id'),
    failureFingerprint: text('failure_fingerprint'),
    failuresInARow: count('failures_in_a_row').notNull(),
    revision: count('revision').notNull(),
  },
  (t) => [uniqueIndex('trees_root').on(t.rootSessionId)],
);
