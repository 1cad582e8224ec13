// Reads of lists. The queries are built per call: the filters vary too much to prepare them.
import { and, isNull } from 'drizzle-orm';
import type { Db } from '../db.js';
import { isCurrent } from '../../lists/lists.js';
import type { ListQuery } from '../../lists/pages.js';
import * as rows from '../tables/rows.js';
import { callbacks, completions, deliveries, runs, schemas, sessions, webhooks } from '../tables/tables.js';

export function listReads(db: Db) {
  return {
    sessions: ({ where, by, rowsMax }: ListQuery) =>
      db
        .select({ seq: sessions.seq, record: rows.sessionColumns })
        .from(sessions)
        .where(where)
        .orderBy(...by)
        .limit(rowsMax)
        .all(),
    completions: ({ where, by, rowsMax }: ListQuery) =>
      db
        .select({ seq: completions.seq, record: rows.completionColumns })
        .from(completions)
        .innerJoin(sessions, and(isCurrent({ sessions, completions }), isNull(sessions.deletedAt)))
        .where(where)
        .orderBy(...by)
        .limit(rowsMax)
        .all(),
    runs: ({ where, by, rowsMax }: ListQuery) =>
      db
        .select({ seq: runs.seq, record: rows.runColumns })
        .from(runs)
        .where(where)
        .orderBy(...by)
        .limit(rowsMax)
        .all(),
    callbacks: ({ where, by, rowsMax }: ListQuery) =>
      db
        .select({ seq: callbacks.seq, record: rows.callbackColumns })
        .from(callbacks)
        .where(where)
        .orderBy(...by)
        .limit(rowsMax)
        .all(),
    schemas: ({ where, by, rowsMax }: ListQuery) =>
      db
        .select({ seq: schemas.seq, record: rows.schemaColumns })
        .from(schemas)
        .where(where)
        .orderBy(...by)
        .limit(rowsMax)
        .all(),
    schemaVersions: ({ where, by, rowsMax }: ListQuery) =>
      db
        .select({ seq: schemas.version, record: rows.schemaColumns })
        .from(schemas)
        .where(where)
        .orderBy(...by)
        .limit(rowsMax)
        .all(),
    webhooks: ({ where, by, rowsMax }: ListQuery) =>
      db
        .select({ seq: webhooks.seq, record: rows.webhookColumns })
        .from(webhooks)
        .where(where)
        .orderBy(...by)
        .limit(rowsMax)
        .all(),
    deliveries: ({ where, by, rowsMax }: ListQuery) =>
      db
        .select({ seq: deliveries.seq, record: rows.deliveryColumns })
        .from(deliveries)
        .where(where)
        .orderBy(...by)
        .limit(rowsMax)
        .all(),
  };
}
