// What the audit reads of a SQLite database.
import { getTableColumns, gt, sql } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Evidence } from '../../../domain/evidence/check.js';
import type { RecordKind } from '../../../domain/damage/damage.js';
import type { AuditSource } from '../../doctor/audit.js';
import { FEED_COMPLETE, NUMBERS_COMPLETE } from '../../doctor/audit-checks.js';
import type { RunQuery } from '../../doctor/run-checks.js';
import type { Db } from '../db.js';
import { mistypedFlag } from './flags.js';
import { historySource } from './history-source.js';
import * as tables from '../tables/tables.js';

type Table = SQLiteTable & { readonly seq: SQLiteColumn };

const TABLES: readonly (readonly [RecordKind, Table])[] = [
  ['schema', tables.schemas],
  ['state', tables.states],
  ['event', tables.events],
  ['snapshot', tables.snapshots],
  ['archive', tables.archives],
  ['session', tables.sessions],
  ['completion', tables.completions],
  ['run', tables.runs],
  ['callback', tables.callbacks],
  ['tree', tables.trees],
  ['runner', tables.runners],
  ['token', tables.tokens],
  ['receipt', tables.receipts],
  ['notice', tables.notices],
  ['read_mark', tables.readCursors],
  ['webhook', tables.webhooks],
  ['delivery', tables.deliveries],
  ['destination', tables.destinations],
];

const missingRunOfAttempt = sql`(
  select json_extract(a.value, '$.runId')
  from json_each(case when json_valid(c.attempts) then c.attempts else '[]' end) a
  where json_extract(a.value, '$.runId') is not null
    and not exists (select 1 from runs r where r.run_id = json_extract(a.value, '$.runId')) limit 1)`;

/** The audit's reads. */
export function auditSource(db: Db, query: RunQuery, evidence: Evidence): AuditSource {
  return {
    kinds: TABLES.map(([kind]) => kind),
    rows: (kind, after, rowsMax) => rowsOf(db, kind, after, rowsMax),
    schemaAfter: (after) => {
      const { seq, name, version, hash, jsonSchema } = tables.schemas;
      const [row] = db
        .select({ seq, name, version, hash, jsonSchema })
        .from(tables.schemas)
        .where(gt(seq, after))
        .orderBy(seq)
        .limit(1)
        .all();
      return row;
    },
    stateAfter: (after) => {
      const { seq, stateId } = tables.states;
      const [row] = db
        .select({ seq, stateId })
        .from(tables.states)
        .where(gt(seq, after))
        .orderBy(seq)
        .limit(1)
        .all();
      return row;
    },
    ...historySource(db, evidence),
    query,
    missingRunOfAttempt,
    complete: [...NUMBERS_COMPLETE, FEED_COMPLETE],
  };
}

function rowsOf(db: Db, kind: RecordKind, after: number, rowsMax: number) {
  const table = TABLES.find(([name]) => name === kind)?.[1];
  if (table === undefined) return [];
  const columns = getTableColumns(table);
  const mistyped = mistypedFlag(columns);
  const stateId = sql<string | null>`${
    kind === 'event' || kind === 'snapshot'
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
