// Tables of the feed: what happened beside the events of states, and how far histories have been cut.
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { DomainEvent } from '../../../domain/streams/domain-events.js';
import { json, JSON_OBJECT, oneOf, sequenceNeverReused, time } from './columns.js';
import { NOTICE_KINDS } from './forms.js';

export const notices = sqliteTable(
  'notices',
  {
    seq: sequenceNeverReused(),
    /** The newest event there was: the notice follows it in the feed. Never falls. */
    afterEvent: integer('after_event').notNull(),
    kind: oneOf('kind', NOTICE_KINDS, null).notNull(),
    subjectId: text('subject_id').notNull(),
    rootSessionId: text('root_session_id').notNull(),
    createdAt: time('created_at').notNull(),
    facts: json('facts', JSON_OBJECT).$type<DomainEvent['facts']>().notNull(),
  },
  (t) => [index('notices_root').on(t.rootSessionId, t.seq), index('notices_subject').on(t.subjectId, t.seq)],
);

/** Histories that are not whole any more; a table of its own, so that no write of a state pays for it. */
export const cuts = sqliteTable(
  'state_history_cuts',
  {
    stateKey: integer('state_key').primaryKey(),
    /** The oldest version that can be had; it is kept whole. */
    oldestVersion: integer('oldest_version').notNull(),
    /** `seq` of the newest event that is gone. */
    throughEvent: integer('through_event').notNull(),
  },
  (t) => [index('state_history_cuts_through').on(t.throughEvent)],
);
