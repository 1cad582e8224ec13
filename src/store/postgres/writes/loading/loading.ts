// The prepared statements that load records for decisions.
import { and, asc, count, desc, eq, gte, sql } from 'drizzle-orm';
import type { Db } from '../../connection/db.js';
import { prepareByKey } from '../../reads/by-key.js';
import { runUnfinished } from '../../../rows/record-columns.js';
import * as rows from '../../tables/rows.js';
import { readableJson } from '../../tables/stored-text.js';
import {
  callbacks,
  completions,
  deliveries,
  destinations,
  events,
  receipts,
  runs,
  schemas,
  sessions,
  states,
  treeCommits,
  webhooks,
} from '../../tables/tables.js';
import { claimableRuns } from '../../../lists/claimable-runs.js';
import { openCompletionSeqs } from '../../../lists/open-completions.js';
import { anyCount } from '../planner-hint.js';

const id = sql.placeholder('id');
const root = sql.placeholder('root');
/** The generation that the session has now. */
const generation = sql`(select generation from sessions where root_session_id = ${root} and session_id = ${id})`;

/** The parameters are `readable`. */
const candidates = claimableRuns({
  runs: sql`runs r`,
  joined: sql`cross join lateral (select ${readableJson(sql`r.demands`)} as demands) of_run`,
  areReadable: sql`json_typeof(of_run.demands) = 'object' and json_typeof(of_run.demands -> 'tags') = 'array'`,
  hostname: sql`of_run.demands ->> 'hostname'`,
  executorType: sql`of_run.demands ->> 'executorType'`,
  tags: sql`json_array_elements_text(of_run.demands -> 'tags')`,
  textsOf: (parameter) => sql`json_array_elements_text(${parameter}::json)`,
});

/**
 * Locks the trees of the oldest candidates, as many as are claimed, without those that another transaction has locked. So
 * coordinators that claim at the same time claim different runs, and none waits for a tree that another one is changing.
 */
const lockedTrees = sql`
  select t.key from tree_commits t
    join (select root_session_id, min(seq) as seq from candidates group by root_session_id) of_tree
      on of_tree.root_session_id = t.key and ${sql.raw(anyCount('of_tree.seq'))}
  order by of_tree.seq limit ${sql.placeholder('claimsMax')} for update of t skip locked`;

const isInLockedTree = sql`${runs.rootSessionId} in (select key from locked_trees)`;

/** See `inbox` in domain/transactions/loaded-records.ts. */
const inboxSeqs = sql`(
  select seq from callbacks
  where root_session_id = ${root} and parent_session_id = ${id} and status in ('held', 'queued')
  union all
  select c.seq from callbacks c
  where c.root_session_id = ${root} and c.parent_session_id = ${id} and c.status = 'delivered' and c.run_id is not null
    and c.run_id in (select run_id from runs where root_session_id = ${root} and session_id = ${id} and ${runUnfinished}))`;

export type Loading = ReturnType<typeof prepareLoading>;

/** Prepares every statement of the loader. */
export function prepareLoading(db: Db) {
  const selectSessions = () => db.select(rows.sessionColumns).from(sessions);
  const selectCallbacks = () => db.select(rows.callbackColumns).from(callbacks);
  return {
    ...prepareByKey(db),
    session: selectSessions()
      .where(and(eq(sessions.rootSessionId, root), eq(sessions.sessionId, id)))
      .prepare('load_session'),
    sessionIdsByName: db
      .select({ sessionId: sessions.sessionId, sessionName: sessions.sessionName })
      .from(sessions)
      .where(
        sql`${sessions.sessionName} = any (${sql.placeholder('names')}::text[]) and ${sessions.deletedAt} is null`,
      )
      .prepare('load_sessionIdsByName'),
    receiptsByIds: db
      .select(rows.receiptColumns)
      .from(receipts)
      .where(
        sql`${receipts.receiptId} = any (${sql.placeholder('ids')}::text[]) and (${receipts.rootSessionId} is null
          or ${receipts.rootSessionId} = any (${sql.placeholder('roots')}::text[]))`,
      )
      .prepare('load_receiptsByIds'),
    completions: db
      .select(rows.completionColumns)
      .from(completions)
      .where(
        and(
          eq(completions.rootSessionId, root),
          eq(completions.sessionId, id),
          gte(completions.generation, generation),
        ),
      )
      .orderBy(asc(completions.generation))
      .prepare('load_completions'),
    unfinishedRuns: db
      .select(rows.runColumns)
      .from(runs)
      .where(and(eq(runs.rootSessionId, root), eq(runs.sessionId, id), runUnfinished))
      .orderBy(asc(runs.seq))
      .prepare('load_unfinishedRuns'),
    inbox: selectCallbacks()
      .where(and(eq(callbacks.rootSessionId, root), sql`${callbacks.seq} in ${inboxSeqs}`))
      .orderBy(asc(callbacks.seq))
      .prepare('load_inbox'),
    outbox: selectCallbacks()
      .where(
        and(
          eq(callbacks.rootSessionId, root),
          eq(callbacks.childSessionId, id),
          gte(callbacks.childGeneration, generation),
        ),
      )
      .orderBy(asc(callbacks.childGeneration))
      .prepare('load_outbox'),
    openSessionIds: db
      .select({ sessionId: completions.sessionId })
      .from(completions)
      .innerJoin(
        sessions,
        and(
          eq(sessions.rootSessionId, completions.rootSessionId),
          eq(sessions.sessionId, completions.sessionId),
          eq(sessions.generation, completions.generation),
        ),
      )
      .where(and(eq(completions.rootSessionId, id), sql`${completions.seq} in ${openCompletionSeqs(id)}`))
      .orderBy(asc(completions.seq))
      .prepare('load_openSessionIds'),
    handed: selectCallbacks()
      .where(
        sql`${callbacks.rootSessionId} = ${root} and ${callbacks.parentSessionId} = ${id} and ${callbacks.status} = 'delivered'
          and ${callbacks.runId} is null and ${callbacks.delivery} <> 'webhook'`,
      )
      .orderBy(asc(callbacks.seq))
      .limit(sql.placeholder('callbacksMax'))
      .prepare('load_handed'),
    schemaByHash: db
      .select(rows.schemaColumns)
      .from(schemas)
      .where(and(eq(schemas.name, id), eq(schemas.hash, sql.placeholder('hash'))))
      .limit(1)
      .prepare('load_schemaByHash'),
    sessionCount: db
      .select({ sessions: count() })
      .from(sessions)
      .where(eq(sessions.rootSessionId, id))
      .prepare('load_sessionCount'),
    schemasOwned: db
      .select({ versions: count() })
      .from(schemas)
      .where(eq(schemas.ownerRootSessionId, id))
      .prepare('load_schemasOwned'),
    schemaUses: db
      .select({ uses: count() })
      .from(
        sql`(select ${states.seq} from ${states} where ${states.schemaId} = ${id}
          union select ${events.stateKey} from ${events} where ${events.fromSchemaId} = ${id}) as used`,
      )
      .prepare('load_schemaUses'),
    /** Locked, so that the schema stays until the transaction ends. */
    schemaName: db
      .select({ name: schemas.name })
      .from(schemas)
      .where(eq(schemas.schemaId, id))
      .for('key share')
      .prepare('load_schemaName'),
    /** Likewise. */
    lockedSchemaVersion: db
      .select(rows.schemaColumns)
      .from(schemas)
      .where(and(eq(schemas.name, id), eq(schemas.version, sql.placeholder('version'))))
      .for('key share')
      .prepare('load_schemaVersion'),
    webhooks: db
      .select(rows.webhookColumns)
      .from(webhooks)
      .orderBy(asc(webhooks.seq))
      .prepare('load_webhooks'),
    webhook: db
      .select(rows.webhookColumns)
      .from(webhooks)
      .where(eq(webhooks.webhookId, id))
      .prepare('load_webhook'),
    delivery: db
      .select(rows.deliveryColumns)
      .from(deliveries)
      .where(eq(deliveries.deliveryId, id))
      .prepare('load_delivery'),
    destination: db
      .select(rows.destinationColumns)
      .from(destinations)
      .where(eq(destinations.origin, id))
      .prepare('load_destination'),
    /** Those in trees that are locked for the claim come first. */
    claimable: db
      .with(
        db.$with('candidates', { seq: runs.seq, rootSessionId: runs.rootSessionId }).as(candidates),
        db.$with('locked_trees', { key: treeCommits.key }).as(lockedTrees),
      )
      .select({ ...rows.runColumns, isLocked: sql<boolean>`${isInLockedTree}` })
      .from(runs)
      .where(sql`${runs.seq} in (select seq from candidates)`)
      .orderBy(desc(isInLockedTree), asc(runs.seq))
      .prepare('load_claimable'),
  };
}
