// What the audit reads of a PostgreSQL database.
import { getTableColumns, gt, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Evidence } from '../../../domain/evidence/check.js';
import type { RecordKind } from '../../../domain/damage/damage.js';
import type { AuditSource } from '../../doctor/audit.js';
import type { RunQuery } from '../../doctor/run-checks.js';
import type { Db } from '../db.js';
import { historySource } from './history-source.js';
import * as tables from '../tables/tables.js';

type Table = PgTable & { readonly seq: PgColumn };

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
  ['read_mark', tables.readMarks],
  ['webhook', tables.webhooks],
  ['delivery', tables.deliveries],
  ['destination', tables.destinations],
];

const missingRunOfAttempt = sql`(
  select a.value ->> 'runId'
  from json_array_elements(case json_typeof(c.attempts) when 'array' then c.attempts else '[]' end) a
  where a.value ->> 'runId' is not null
    and not exists (select 1 from runs r where r.run_id = a.value ->> 'runId') limit 1)`;

/** The audit's reads. */
export function auditSource(
  onDb: <T>(read: (db: Db) => Promise<T>) => Promise<T>,
  query: RunQuery,
  evidence: Evidence,
): AuditSource {
  return {
    kinds: TABLES.map(([kind]) => kind),
    rows: (kind, after, rowsMax) => onDb(async (db) => rowsOf(db, kind, after, rowsMax)),
    schemaAfter: async (after) => {
      const { seq, name, version, hash, jsonSchema } = tables.schemas;
      const [row] = await onDb(async (db) =>
        db
          .select({ seq, name, version, hash, jsonSchema })
          .from(tables.schemas)
          .where(gt(seq, after))
          .orderBy(seq)
          .limit(1),
      );
      return row;
    },
    stateAfter: async (after) => {
      const { seq, stateId } = tables.states;
      const [row] = await onDb(async (db) =>
        db.select({ seq, stateId }).from(tables.states).where(gt(seq, after)).orderBy(seq).limit(1),
      );
      return row;
    },
    ...historySource(onDb, evidence),
    query,
    missingRunOfAttempt,
  };
}

async function rowsOf(db: Db, kind: RecordKind, after: number, rowsMax: number) {
  const table = TABLES.find(([name]) => name === kind)?.[1];
  if (table === undefined) return [];
  const columns = getTableColumns(table);
  const stateId = sql<string | null>`${
    kind === 'event' || kind === 'snapshot'
      ? sql`(select s.state_id from workflow_states s where s.seq = state_key)`
      : sql`null`
  }`;
  const found = await db
    .select({ row: columns, stateId })
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
