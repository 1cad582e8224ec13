// The table of the heads of states, and the view that the checks of the doctor read.
import { index, pgTable, pgView, uniqueIndex } from 'drizzle-orm/pg-core';
import { count, flag, sequence, text, time } from './columns.js';

/** The heads of states. */
export const states = pgTable(
  'workflow_states',
  {
    /** Also the key of the state in events and snapshots: shorter than its id. */
    seq: sequence(),
    stateId: text('state_id').notNull(),
    schemaId: text('schema_id').notNull(),
    rootSessionId: text('root_session_id').notNull(),
    version: count('version').notNull(),
    snapshotVersion: count('snapshot_version').notNull(),
    patchBytesSinceSnapshot: count('patch_bytes_since_snapshot').notNull(),
    lastHash: text('last_hash').notNull(),
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
    updatedBy: text('updated_by'),
    lenient: flag('tolerates').notNull().default(false),
    unsignedThrough: count('unsigned_through').notNull().default(0),
    signature: text('signature'),
    revision: count('revision').notNull(),
  },
  // No column that a write changes has an index, so that PostgreSQL updates the row in its page.
  (t) => [
    uniqueIndex('workflow_states_id').on(t.stateId),
    uniqueIndex('workflow_states_root').on(t.rootSessionId),
    index('workflow_states_schema').on(t.schemaId),
  ],
);

/** What the checks of the doctor call the heads. */
export const stateHeads = pgView('state_heads').as((db) => db.select().from(states));
