// The table of read cursors: what each session has read of a state.
import { pgTable, uniqueIndex } from 'drizzle-orm/pg-core';
import type * as records from '../../../domain/records/records.js';
import { count, json, sequence, text } from './columns.js';
import { JSON_ARRAY } from '../../rows/values.js';
import { PARTS } from '../../rows/forms.js';

export const readCursors = pgTable(
  'read_marks',
  {
    seq: sequence(),
    stateId: text('state_id').notNull(),
    sessionId: text('session_id').notNull(),
    version: count('version').notNull(),
    ownVersion: count('own_version').notNull(),
    parts: json('parts', PARTS).$type<records.ReadCursor['parts']>().notNull(),
    own: json('own', JSON_ARRAY).$type<records.ReadCursor['own']>(),
  },
  (t) => [uniqueIndex('read_marks_session').on(t.stateId, t.sessionId)],
);
