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
import { openCompletionSeqs } from '../../lists/open-completions.js';

const id = sql.placeholder('id');
const generation = sql.placeholder('generation');

/**
 * Candidates for a runner, oldest first: see `claimable` in domain/transactions/loaded-records.ts. At most the oldest run
 * of a session and its state updates; which of them is next, the rule says. A run whose demands are no JSON is among
 * them, so that it is found: it must not fail the query for all others.
 */
const claimableSeqs = sql`(
  select r.seq from runs r indexed by runs_status join sessions s on s.session_id = r.session_id
  where r.status = 'pending' and r.available_at <= ${sql.placeholder('now')} and r.generation = s.generation
    and case when json_valid(r.demands) then
      coalesce(json_extract(r.demands, '$.hostname') = ${sql.placeholder('hostname')}, true)
      and (json_extract(r.demands, '$.executorType') is null
        or json_extract(r.demands, '$.executorType') in (select value from json_each(${sql.placeholder('executorTypes')})))
      and not exists (
        select 1 from json_each(r.demands, '$.tags') demanded
        where demanded.value not in (select value from json_each(${sql.placeholder('tags')})))
      else true end
    and not exists (
      select 1 from runs other
      where other.session_id = r.session_id and other.status in ('pending', 'claimed', 'running', 'stopping')
        and (other.status <> 'pending' or (
          other.generation = s.generation and r.purpose <> 'state_update' and other.seq < r.seq)))
  order by r.seq limit ${sql.placeholder('runsMax')})`;

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
        .where(sql`${runs.seq} in ${claimableSeqs}`)
        .orderBy(asc(runs.seq))
        .prepare(),
  });
}
