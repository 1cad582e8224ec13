// The tables of commits: what each tree has committed, and what coordinators tell each other.
import {
  bigint,
  index,
  json as jsonText,
  pgSequence,
  pgTable,
  primaryKey,
  timestamp,
} from 'drizzle-orm/pg-core';
import { columns } from './columns.js';

/** Each commit takes the next number. Numbers of commits that were rolled back are missing. */
export const commitNumbers = pgSequence('commit_numbers');

/**
 * A row for each tree, which every commit of the tree locks and advances: commits of one tree follow one another. Some rows
 * are of records that belong to no tree; see writes/commits/commit-keys.ts.
 */
export const treeCommits = pgTable('tree_commits', {
  /** The root session, or the name of another key. */
  key: columns.text('key').primaryKey(),
  /** Number of commits. What a coordinator has cached of the tree is current while it has seen all of them. */
  commits: columns.count('commits'),
  /** Rows of the tree that are never removed: a missing one shows that it was removed from outside. */
  sessions: columns.count('sessions').default(0),
  completions: columns.count('completions').default(0),
  runs: columns.count('runs').default(0),
  callbacks: columns.count('callbacks').default(0),
});

/** What commits changed, for the coordinators that did not make them. Only the newest are kept. */
export const commitChanges = pgTable(
  'commit_changes',
  {
    /** The number of the commit, of `commit_numbers`. */
    number: bigint('number', { mode: 'number' }).notNull(),
    key: columns.text('key'),
    /** The value of `commits` in `tree_commits` since this commit. */
    commits: columns.count('commits'),
    coordinatorId: columns.text('coordinator_id'),
    /** The coordinator and the changes as JSON; null if they are not known one by one. */
    changes: jsonText('changes'),
  },
  (t) => [
    primaryKey({ name: 'commit_changes_number', columns: [t.number, t.key] }),
    index('commit_changes_key').on(t.key, t.number),
  ],
);

/** The coordinators that work on the database. One that has not been seen for a time counts as gone. */
export const coordinators = pgTable('coordinators', {
  coordinatorId: columns.text('coordinator_id').primaryKey(),
  /** By the clock of the database. */
  seenAt: timestamp('seen_at', { withTimezone: true }).notNull(),
});
