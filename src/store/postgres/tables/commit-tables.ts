// The table of the last commit: one row, which every commit locks and advances.
import { pgTable } from 'drizzle-orm/pg-core';
import { count } from './columns.js';

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
