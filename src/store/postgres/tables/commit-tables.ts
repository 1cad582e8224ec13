// The tables of commits. `commit_positions` has one row, which every commit locks and advances.
import { json as jsonText, pgTable, timestamp } from 'drizzle-orm/pg-core';
import { count, text } from './columns.js';

/**
 * Its lock makes commits follow one another, so the numbers of events and domain events are in the order of the
 * commits: a reader of the feed that has seen a number misses none below it.
 */
export const commitPositions = pgTable('commit_positions', {
  /** Always 1. */
  id: count('id').primaryKey(),
  /** Number of commits. What a coordinator has cached is current while it has seen all of them. */
  commits: count('commits').notNull(),
  /** The newest number in `state_events`. */
  events: count('events').notNull(),
  /** The newest number in `notices`. */
  notices: count('notices').notNull(),
});

/** What commits changed, for the coordinators that did not make them. Only the newest are kept. */
export const commitChanges = pgTable('commit_changes', {
  /** The number of the commit. */
  commits: count('commits').primaryKey(),
  /** The coordinator and the changes as JSON; null if they are not known one by one. */
  changes: jsonText('changes'),
});

/** The coordinators that work on the database. One that has not been seen for a time counts as gone. */
export const coordinators = pgTable('coordinators', {
  coordinatorId: text('coordinator_id').primaryKey(),
  /** By the clock of the database. */
  seenAt: timestamp('seen_at', { withTimezone: true }).notNull(),
});
