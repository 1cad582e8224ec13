// Checks every stored value and every history: each must be readable, have its required form and agree with
// the others. Works row by row, in slices, and never holds a whole database in memory.
import { setImmediate as turn } from 'node:timers/promises';
import { getTableColumns, gt, sql } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { describeDamage, type RecordKind } from '../../../domain/damage/damage.js';
import { isJsonObject, jsonEqual, type JsonObject, type JsonValue } from '../../../domain/json/json.js';
import { eventHash } from '../../../domain/states/chain.js';
import type { ApplyPatchText, AuditWork, Finding } from '../../../ports/store.js';
import { AUDIT_CHECKS } from '../../doctor/audit-checks.js';
import { COPY_CHECKS } from '../../doctor/copy-checks.js';
import type { Db } from '../db.js';
import { check } from './doctor.js';
import { DamagedValue } from '../../values.js';
import * as rows from '../tables/rows.js';
import { nameOf } from '../../sound.js';
import * as tables from '../tables/tables.js';

const SLICE_ROWS = 200;

type Table = SQLiteTable & { readonly seq: SQLiteColumn };

const TABLES: readonly (readonly [RecordKind, Table])[] = [
  ['schema', tables.schemas],
  ['state', tables.states],
  ['event', tables.events],
  ['snapshot', tables.snapshots],
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

/**
 * @param limit - Most findings per check.
 */
export async function audit(
  db: Db,
  limit: number,
  { apply, hashOf }: AuditWork,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const [kind, table] of TABLES) findings.push(...(await values(db, kind, table, limit)));
  findings.push(...(await histories(db, limit, apply)));
  findings.push(...(await schemas(db, limit, hashOf)));
  findings.push(...(await check(db, [...AUDIT_CHECKS, ...COPY_CHECKS], limit)));
  return findings;
}

/** Checks that each value has the type of its column and is readable. */
async function values(db: Db, kind: RecordKind, table: Table, limit: number): Promise<readonly Finding[]> {
  const columns = getTableColumns(table);
  const flags = Object.values(columns).filter((column) => column.dataType === 'boolean');
  const mistyped = sql<string | null>`case when false then null ${sql.join(
    flags.map((column) => sql`when ${column} not in (0, 1) then ${sql.raw(`'${column.name}'`)}`),
    sql` `,
  )} end`;
  // Events and snapshots refer to their state by its row number.
  const isOfState = kind === 'event' || kind === 'snapshot';
  const stateId = sql<string | null>`${
    isOfState ? sql`(select s.state_id from workflow_states s where s.seq = state_key)` : sql`null`
  }`;
  const findings: Finding[] = [];
  for (let after = 0; findings.length < limit;) {
    const found = db
      .select({ row: columns, seq: table.seq, mistyped, stateId })
      .from(table)
      .where(gt(table.seq, after))
      .orderBy(table.seq)
      .limit(SLICE_ROWS)
      .all();
    for (const { row, mistyped: wrong, stateId: ofState } of found) {
      const id = isOfState ? nameOf(kind, { ...row, stateId: ofState ?? 'of no state' }) : nameOf(kind, row);
      const add = (column: string, what: string) =>
        findings.push({
          check: 'value_readable',
          subject: id,
          detail: `${describeDamage({ kind, id, column, what })}.`,
        });
      for (const value of Object.values(row) as unknown[]) {
        if (value instanceof DamagedValue) add(value.column, value.what);
      }
      if (wrong !== null) add(wrong, 'is neither 0 nor 1');
    }
    const last = found.at(-1)?.seq;
    if (found.length < SLICE_ROWS || typeof last !== 'number') break;
    after = last;
    await turn();
  }
  return findings.slice(0, limit);
}

/** Checks that each schema has the content that was registered. */
async function schemas(db: Db, limit: number, hashOf: AuditWork['hashOf']): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const { seq, name, version, hash, jsonSchema } = tables.schemas;
  for (let after = 0; findings.length < limit;) {
    const [row] = db
      .select({ seq, name, version, hash, jsonSchema })
      .from(tables.schemas)
      .where(gt(seq, after))
      .orderBy(seq)
      .limit(1)
      .all();
    if (row === undefined) break;
    after = row.seq;
    if (isJsonObject(row.jsonSchema) && hashOf(row.jsonSchema) !== row.hash) {
      const detail = 'The schema is not as it was registered: its content has another hash.';
      findings.push({ check: 'schema_unaltered', subject: nameOf('schema', row), detail });
    }
    await turn();
  }
  return findings;
}

/** Checks that each event is unaltered, and that replaying the history produces the stored snapshots. */
async function histories(db: Db, limit: number, apply: ApplyPatchText): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  let after = 0;
  while (findings.length < limit) {
    const [state] = db
      .select({ seq: tables.states.seq, stateId: tables.states.stateId })
      .from(tables.states)
      .where(gt(tables.states.seq, after))
      .orderBy(tables.states.seq)
      .limit(1)
      .all();
    if (state === undefined) break;
    after = state.seq;
    findings.push(...(await history(db, state, apply)));
  }
  return findings.slice(0, limit);
}

async function history(
  db: Db,
  { seq, stateId }: { readonly seq: number; readonly stateId: string },
  apply: ApplyPatchText,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const find = (check: string, version: number, detail: string) =>
    findings.push({ check, subject: stateId, detail: `Version ${String(version)}: ${detail}` });
  let document: JsonObject | null = null;
  let version = 0;
  for (;;) {
    const page = db
      .select({ event: rows.eventColumns, text: tables.snapshots.text })
      .from(tables.events)
      .innerJoin(tables.states, sql`${tables.states.seq} = ${tables.events.stateKey}`)
      .leftJoin(
        tables.snapshots,
        sql`${tables.snapshots.stateKey} = ${tables.events.stateKey} and ${tables.snapshots.version} = ${tables.events.version}`,
      )
      .where(sql`${tables.events.stateKey} = ${seq} and ${tables.events.version} > ${version}`)
      .orderBy(tables.events.version)
      .limit(SLICE_ROWS / 4)
      .all();
    for (const { event, text } of page) {
      if (eventHash(event) !== event.hash)
        find('event_unaltered', event.version, 'the event is not as it was written.');
      const follows: boolean = event.version === version + 1;
      version = event.version;
      const before: JsonObject | null = follows && version > 1 ? document : null;
      document = null;
      if (before !== null || version === 1) {
        try {
          document = apply(before, event.patchText);
        } catch {
          find('history_replays', version, 'the patch cannot be applied to the version before it.');
        }
      }
      if (text === null) continue;
      const kept = parsed(text);
      if (!isJsonObject(kept))
        find('snapshot_readable', version, 'the document that is kept whole is no JSON object.');
      else if (document !== null && !jsonEqual(document, kept)) {
        find(
          'snapshot_matches_history',
          version,
          'the document that is kept whole is not what the history comes to.',
        );
      }
      document = isJsonObject(kept) ? kept : document;
    }
    if (page.length < SLICE_ROWS / 4) return findings;
    await turn();
  }
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
