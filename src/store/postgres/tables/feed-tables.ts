// Tables of the feed: domain events, and the compactions of histories.
import { index, pgTable } from 'drizzle-orm/pg-core';
import type { DomainEvent } from '../../../domain/streams/domain-events.js';
import { count, feedNumber, json, oneOf, text, time } from './columns.js';
import { JSON_OBJECT } from '../../rows/values.js';
import { NOTICE_KINDS } from '../../rows/forms.js';

export const notices = pgTable(
  'notices',
  {
    seq: feedNumber(),
    /** This domain event follows the state events up to this number in the feed. Never decreases. */
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
export const cuts = pgTable(
  'state_history_cuts',
  {
    stateKey: count('state_key').primaryKey(),
    /** The oldest available version. It has a snapshot. */
    oldestVersion: count('oldest_version').notNull(),
    /** `seq` of the newest removed event. */
    throughEvent: count('through_event').notNull(),
    signature: text('signature'),
  },
  (t) => [index('state_history_cuts_through').on(t.throughEvent)],
);
