// The prepared statements that load records for decisions.
import { and, asc, count, eq, gte, sql } from 'drizzle-orm';
import type { Db } from '../db.js';
import { statementsByKey } from '../reads/by-key.js';
import { runUnfinished } from '../../rows/record-columns.js';
import * as rows from '../tables/rows.js';
import {
  callbacks,
  completions,
  deliveries,
  destinations,
  events,
  runs,
  schemas,
  sessions,
  states,
  webhooks,
} from '../tables/tables.js';
import { whenUsed } from '../when-used.js';
import { claimableRuns } from '../../lists/claimable-runs.js';
import { openCompletionSeqs } from '../../lists/open-completions.js';

const id = sql.placeholder('id');
const generation = sql.placeholder('generation');

const candidates = claimableRuns({
  runs: sql`runs r indexed by runs_status`,
  joined: sql``,
  areReadable: sql`json_valid(r.demands)`,
  hostname: sql`json_extract(r.demands, '$.hostname')`,
  executorType: sql`json_extract(r.demands, '$.executorType')`,
  tags: sql`json_each(r.demands, '$.tags')`,
  textsOf: (parameter) => sql`json_each(${parameter})`,
});

/** See `inbox` in domain/transactions/loaded-records.ts. */
const inboxSeqs = sql`(
  select seq from callbacks where parent_session_id = ${id} and status in ('held', 'queued')
  union all
  select c.seq from callbacks c indexed by callbacks_run
  where c.parent_session_id = ${id} and c.status = 'delivered' and c.run_id is not null and c.run_id in (
    select run_id from runs where session_id = ${id} and ${runUnfinished}))`;

export type Loading = ReturnType<typeof prepareLoading>;

/** Prepares every statement of the loader. */
export function prepareLoading(db: Db) {
  const selectSessions = () => db.select(rows.sessionColumns).from(sessions);
  const selectCallbacks = () => db.select(rows.callbackColumns).from(callbacks);
  return whenUsed({
    ...statementsByKey(db),
    session: () => selectSessions().where(eq(sessions.sessionId, id)).prepare(),
    sessionIdByName: () =>
      db
        .select({ sessionId: sessions.sessionId })
        .from(sessions)
        .where(and(eq(sessions.sessionName, id), sql`${sessions.deletedAt} is null`))
        .prepare(),
    completions: () =>
      db
        .select(rows.completionColumns)
        .from(completions)
        .where(and(eq(completions.sessionId, id), gte(completions.generation, generation)))
        .orderBy(asc(completions.generation))
        .prepare(),
    unfinishedRuns: () =>
      db
        .select(rows.runColumns)
        .from(runs)
        .where(and(eq(runs.sessionId, id), runUnfinished))
        .orderBy(asc(runs.seq))
        .prepare(),
    inbox: () =>
      selectCallbacks()
        .where(sql`${callbacks.seq} in ${inboxSeqs}`)
        .orderBy(asc(callbacks.seq))
        .prepare(),
    outbox: () =>
      selectCallbacks()
        .where(and(eq(callbacks.childSessionId, id), gte(callbacks.childGeneration, generation)))
        .orderBy(asc(callbacks.childGeneration))
        .prepare(),
    openSessionIds: () =>
      db
        .select({ sessionId: completions.sessionId })
        .from(completions)
        .innerJoin(
          sessions,
          and(eq(sessions.sessionId, completions.sessionId), eq(sessions.generation, completions.generation)),
        )
        .where(and(eq(completions.rootSessionId, id), sql`${completions.seq} in ${openCompletionSeqs(id)}`))
        .orderBy(asc(completions.seq))
        .prepare(),
    handed: () =>
      selectCallbacks()
        .where(
          sql`${callbacks.parentSessionId} = ${id} and ${callbacks.status} = 'delivered'
          and ${callbacks.runId} is null and ${callbacks.delivery} <> 'webhook'`,
        )
        .orderBy(asc(callbacks.seq))
        .limit(sql.placeholder('callbacksMax'))
        .prepare(),
    schemaByHash: () =>
      db
        .select(rows.schemaColumns)
        .from(schemas)
        .where(and(eq(schemas.name, id), eq(schemas.hash, sql.placeholder('hash'))))
        .limit(1)
        .prepare(),
    sessionCount: () =>
      db.select({ sessions: count() }).from(sessions).where(eq(sessions.rootSessionId, id)).prepare(),
    schemasOwned: () =>
      db.select({ versions: count() }).from(schemas).where(eq(schemas.ownerRootSessionId, id)).prepare(),
    schemaUses: () =>
      db
        .select({ uses: count() })
        .from(
          sql`(select ${states.seq} from ${states} where ${states.schemaId} = ${id}
          union select ${events.stateKey} from ${events} where ${events.fromSchemaId} = ${id})`,
        )
        .prepare(),
    schemaName: () =>
      db.select({ name: schemas.name }).from(schemas).where(eq(schemas.schemaId, id)).prepare(),
    webhooks: () => db.select(rows.webhookColumns).from(webhooks).orderBy(asc(webhooks.seq)).prepare(),
    webhook: () => db.select(rows.webhookColumns).from(webhooks).where(eq(webhooks.webhookId, id)).prepare(),
    delivery: () =>
      db.select(rows.deliveryColumns).from(deliveries).where(eq(deliveries.deliveryId, id)).prepare(),
    destination: () =>
      db.select(rows.destinationColumns).from(destinations).where(eq(destinations.origin, id)).prepare(),
    claimable: () =>
      db
        .select(rows.runColumns)
        .from(runs)
        .where(sql`${runs.seq} in (select seq from (${candidates}))`)
        .orderBy(asc(runs.seq))
        .prepare(),
  });
}
