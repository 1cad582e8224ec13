// The table of invocations that were moved out of workflow records.
import { index, pgTable, uniqueIndex } from 'drizzle-orm/pg-core';
import type { WorkflowArchive } from '../../../domain/records/records.js';
import { json, sequence, text, time } from './columns.js';
import { JSON_OBJECTS } from '../../rows/values.js';

export const archives = pgTable(
  'workflow_archives',
  {
    seq: sequence(),
    archiveId: text('archive_id').notNull(),
    stateId: text('state_id').notNull(),
    rootSessionId: text('root_session_id').notNull(),
    createdAt: time('created_at').notNull(),
    invocations: json('invocations', JSON_OBJECTS).$type<WorkflowArchive['invocations']>().notNull(),
  },
  (t) => [
    uniqueIndex('workflow_archives_id').on(t.archiveId),
    index('workflow_archives_state').on(t.stateId),
    index('workflow_archives_age').on(t.createdAt),
  ],
);
