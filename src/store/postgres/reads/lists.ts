// Reads of lists. The queries are built per call: the filters vary too much to prepare them.
import { and, isNull } from 'drizzle-orm';
import type { Db } from '../connection/db.js';
import { isCurrent } from '../../lists/lists.js';
import type { PageQuery } from '../../lists/pages.js';
import * as rows from '../tables/rows.js';
import {
  callbacks,
  completions,
  deliveries,
  runs,
  schemas,
  sessions,
  states,
  webhooks,
} from '../tables/tables.js';

export function listReads(db: Db) {
  return {
    sessions: ({ where, by, rowsMax }: PageQuery) =>
      db
        .select({ seq: sessions.seq, record: rows.sessionColumns })
        .from(sessions)
        .where(where)
        .orderBy(...by)
        .limit(rowsMax),
    completions: ({ where, by, rowsMax }: PageQuery) =>
      db
        .select({ seq: completions.seq, record: rows.completionColumns })
        .from(completions)
        .innerJoin(sessions, and(isCurrent({ sessions, completions }), isNull(sessions.deletedAt)))
        .where(where)
        .orderBy(...by)
        .limit(rowsMax),
    runs: ({ where, by, rowsMax }: PageQuery) =>
      db
        .select({ seq: runs.seq, record: rows.runColumns })
        .from(runs)
        .where(where)
        .orderBy(...by)
        .limit(rowsMax),
    callbacks: ({ where, by, rowsMax }: PageQuery) =>
      db
        .select({ seq: callbacks.seq, record: rows.callbackColumns })
        .from(callbacks)
        .where(where)
        .orderBy(...by)
        .limit(rowsMax),
    schemas: ({ where, by, rowsMax }: PageQuery) =>
      db
        .select({ seq: schemas.seq, record: rows.schemaColumns })
        .from(schemas)
        .where(where)
        .orderBy(...by)
        .limit(rowsMax),
    schemaVersions: ({ where, by, rowsMax }: PageQuery) =>
      db
        .select({ seq: schemas.version, record: rows.schemaColumns })
        .from(schemas)
        .where(where)
        .orderBy(...by)
        .limit(rowsMax),
    states: ({ where, by, rowsMax }: PageQuery) =>
      db
        .select({ seq: states.seq, at: states.updatedAt, record: rows.stateColumns })
        .from(states)
        .where(where)
        .orderBy(...by)
        .limit(rowsMax),
    webhooks: ({ where, by, rowsMax }: PageQuery) =>
      db
        .select({ seq: webhooks.seq, record: rows.webhookColumns })
        .from(webhooks)
        .where(where)
        .orderBy(...by)
        .limit(rowsMax),
    deliveries: ({ where, by, rowsMax }: PageQuery) =>
      db
        .select({ seq: deliveries.seq, record: rows.deliveryColumns })
        .from(deliveries)
        .where(where)
        .orderBy(...by)
        .limit(rowsMax),
  };
}
