// What the audit reads of a SQLite database.
import { getTableColumns, gt, sql } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Evidence } from '../../../domain/evidence/check.js';
import type { AuditedTable, AuditSource } from '../../doctor/audit.js';
import { FEED_COMPLETE, NUMBERS_COMPLETE } from '../../doctor/audit-checks.js';
import { treeOfStateAgrees } from '../../doctor/copy-checks.js';
import type { RunQuery } from '../../steps.js';
import type { Db } from '../db.js';
import { whyUnreadable } from '../faults.js';
import { mistypedFlag } from './flags.js';
import { historySource } from './history-source.js';
import * as tables from '../tables/tables.js';

type Table = SQLiteTable & { readonly seq: SQLiteColumn };

/** An attempt that is no object has no run. SQLite fails to read a member of a text. */
const missingRunOfAttempt = sql`(
  select a.run_id from (
    select case type when 'object' then json_extract(value, '$.runId') end as run_id
    from json_each(case when json_valid(c.attempts) then c.attempts else '[]' end)) a
  where a.run_id is not null and not exists (select 1 from runs r where r.run_id = a.run_id) limit 1)`;

/** The audit's reads. */
export function auditSource(db: Db, query: RunQuery, evidence: Evidence): AuditSource {
  return {
    rows: (name, after, rowsMax) => rowsOf(db, name, after, rowsMax),
    ...historySource(db, evidence),
    query,
    whyUnreadable,
    missingRunOfAttempt,
    complete: [...NUMBERS_COMPLETE, FEED_COMPLETE],
    copies: [treeOfStateAgrees('state_head_signatures', 'state_key')],
  };
}

function rowsOf(db: Db, name: AuditedTable, after: number, rowsMax: number) {
  const table: Table = tables[name];
  const columns = getTableColumns(table);
  const mistyped = mistypedFlag(columns);
  const stateId = sql<string | null>`${
    name === 'events' || name === 'snapshots'
      ? sql`(select s.state_id from workflow_states s where s.seq = state_key)`
      : sql`null`
  }`;
  const found = db
    .select({ row: columns, seq: table.seq, mistyped, stateId })
    .from(table)
    .where(gt(table.seq, after))
    .orderBy(table.seq)
    .limit(rowsMax)
    .all();
  return found.map((one) => ({ ...one, seq: Number(one.seq) }));
}
