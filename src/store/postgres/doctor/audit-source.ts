// What the audit reads of a PostgreSQL database.
import { gt, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Evidence } from '../../../domain/evidence/check.js';
import type { AuditedTable, AuditSource } from '../../doctor/audit.js';
import type { Check } from '../../doctor/checks.js';
import { treeOfStateAgrees } from '../../doctor/copy-checks.js';
import type { RunQuery } from '../../steps.js';
import type { Db } from '../connection/db.js';
import { historySource } from './history-source.js';
import { readableJson } from '../tables/stored-text.js';
import { columnsOf } from '../tables/rows.js';
import * as tables from '../tables/tables.js';

type Table = PgTable & { readonly seq: PgColumn };

const missingRunOfAttempt = sql`(
  select a.value ->> 'runId'
  from json_array_elements(
    case json_typeof(c.attempts) when 'array' then ${readableJson(sql`c.attempts`)} else '[]' end) a
  where a.value ->> 'runId' is not null
    and not exists (select 1 from runs r where r.run_id = a.value ->> 'runId') limit 1)`;

/** Rows of these tables are never removed. Commits count them for each tree. */
const ROWS_COMPLETE: readonly Check[] = [
  ['sessions', 'select count(*) from sessions r where r.root_session_id = t.root_session_id'],
  [
    'completions',
    `select count(*) from completions r join sessions s on s.session_id = r.session_id
      where s.root_session_id = t.root_session_id`,
  ],
  ['runs', 'select count(*) from runs r where r.root_session_id = t.root_session_id'],
  ['callbacks', 'select count(*) from callbacks r where r.root_session_id = t.root_session_id'],
].map(([table = '', counted = '']) => ({
  check: 'rows_complete',
  detail: (root) =>
    `A row of ${table} was removed, or one was added: the tree ${root} had another number of them.`,
  over: ['trees', 't'],
  broken: (slice) => sql`select ${table}::text as subject, t.root_session_id as what from trees t
    join tree_commits n on n.key = t.root_session_id
    where ${sql.raw(`n.${table} <> (${counted})`)} and ${slice}`,
}));

/** The audit's reads. */
export function auditSource(
  onDb: <T>(read: (db: Db) => Promise<T>) => Promise<T>,
  query: RunQuery,
  evidence: Evidence,
): AuditSource {
  return {
    rows: (name, after, rowsMax) => onDb(async (db) => rowsOf(db, name, after, rowsMax)),
    ...historySource(onDb, evidence),
    query,
    whyUnreadable: () => null,
    missingRunOfAttempt,
    complete: ROWS_COMPLETE,
    copies: [
      treeOfStateAgrees('state_history_cuts', 'state_key'),
      treeOfStateAgrees('read_marks', 'state_id'),
    ],
  };
}

async function rowsOf(db: Db, name: AuditedTable, after: number, rowsMax: number) {
  const table: Table = tables[name];
  const stateId = sql<string | null>`${
    name === 'events' || name === 'snapshots'
      ? sql`(select s.state_id from workflow_states s where s.seq = state_key)`
      : sql`null`
  }`;
  const found = await db
    .select({ row: columnsOf(table), stateId })
    .from(table)
    .where(gt(table.seq, after))
    .orderBy(table.seq)
    .limit(rowsMax);
  return found.map(({ row, stateId: ofState }) => ({
    row,
    seq: Number(row['seq']),
    mistyped: null,
    stateId: ofState,
  }));
}
