// Tables of the feed: domain events, and the compactions of histories.
import { index, integer, sqliteTable } from 'drizzle-orm/sqlite-core';
import type { DomainEvent } from '../../../domain/streams/domain-events.js';
import { count, json, oneOf, sequenceNeverReused, text, time } from './columns.js';
import { JSON_OBJECT } from '../../rows/values.js';
import { NOTICE_KINDS } from '../../rows/forms.js';

export const notices = sqliteTable(
  'notices',
  {
    seq: sequenceNeverReused(),
    /** The newest state event at the time of writing; this domain event follows it in the feed. Never decreases. */
    afterEvent: count('after_event').notNull(),
    kind: oneOf('kind', NOTICE_KINDS, null).notNull(),
    subjectId: text('subject_id').notNull(),
    rootSessionId: text('root_session_id').notNull(),
    createdAt: time('created_at').notNull(),
    facts: json('facts', JSON_OBJECT).$type<DomainEvent['facts']>().notNull(),
  },
  (t) => [index('notices_root').on(t.rootSessionId, t.seq), index('notices_subject').on(t.subjectId, t.seq)],
);

/** Compacted histories. In a separate table, so that writes of a state do not pay for it. */
export const cuts = sqliteTable(
  'state_history_cuts',
  {
    stateKey: integer('state_key').primaryKey(),
    /** The oldest available version. It has a snapshot. */
    oldestVersion: count('oldest_version').notNull(),
    /** `seq` of the newest removed event. */
    throughEvent: count('through_event').notNull(),
    signature: text('signature'),
  },
  (t) => [index('state_history_cuts_through').on(t.throughEvent)],
);
