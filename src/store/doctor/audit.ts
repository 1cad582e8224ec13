// Checks every stored value and every history: each must be readable, have its required form and agree with
// the others. Works row by row, in slices, and never holds a whole database in memory.
import { setImmediate as nextIteration } from 'node:timers/promises';
import type { SQL } from 'drizzle-orm';
import { describeDamage, type Damage, type RecordKind } from '../../domain/damage/damage.js';
import type { HistoryCheckName } from '../../domain/evidence/history-check.js';
import type { JsonObject } from '../../domain/json/json.js';
import { isOfAnswer } from '../../domain/transactions/idempotency.js';
import type { MaybePromise } from '../../lib/maybe-promise.js';
import type { AuditWork, Finding } from '../../ports/storage/audit.js';
import { checkHistory, type HistoryFault, type HistorySource } from '../evidence/check-history.js';
import { nameOf } from '../rows/intact-rows.js';
import { DamagedValue, NO_FLAG } from '../rows/values.js';
import type { RunQuery } from '../steps.js';
import { auditChecks } from './audit-checks.js';
import type { Check } from './checks.js';
import { COPY_CHECKS } from './copy-checks.js';
import { readPart, runChecks, type WhyUnreadable } from './run-checks.js';

/** Each kind of records, in the order of the report, and the name of its table in the code. */
const AUDITED = [
  ['schema', 'schemas'],
  ['state', 'states'],
  ['event', 'events'],
  ['snapshot', 'snapshots'],
  ['archive', 'archives'],
  ['session', 'sessions'],
  ['completion', 'completions'],
  ['run', 'runs'],
  ['callback', 'callbacks'],
  ['tree', 'trees'],
  ['runner', 'runners'],
  ['token', 'tokens'],
  ['receipt', 'receipts'],
  ['notice', 'notices'],
  ['read_mark', 'readCursors'],
  ['webhook', 'webhooks'],
  ['delivery', 'deliveries'],
  ['destination', 'destinations'],
] as const satisfies readonly (readonly [RecordKind, string])[];

type Audited = (typeof AUDITED)[number];
export type AuditedTable = Audited[1];

/** Rows per slice. */
const SLICE_ROWS = 200;

/** A row of any table. */
interface AuditRow {
  readonly seq: number;
  readonly row: Readonly<Record<string, unknown>>;
  /** The column of a flag that is neither 0 nor 1; `null` if there is none. */
  readonly mistyped: string | null;
  /** For events and snapshots, which refer to their state by its number. */
  readonly stateId: string | null;
}

/** What the audit reads. Each list is in the order of its numbers. */
export interface AuditSource extends HistorySource {
  rows(table: AuditedTable, after: number, rowsMax: number): MaybePromise<readonly AuditRow[]>;
  readonly query: RunQuery;
  readonly whyUnreadable: WhyUnreadable;
  /** For completion `c`: the id of a run of its attempts that is not there; null if there is none. */
  readonly missingRunOfAttempt: SQL;
  /** Checks that no row was removed. Databases number rows in different ways. */
  readonly complete: readonly Check[];
  /** Checks of copies that other databases do not have. */
  readonly copies: readonly Check[];
}

/**
 * @param limit - Most findings per check.
 */
export async function audit(
  source: AuditSource,
  limit: number,
  work: AuditWork,
): Promise<readonly Finding[]> {
  const { query, whyUnreadable } = source;
  const part = (what: string, read: () => Promise<readonly Finding[]>) => readPart(what, whyUnreadable, read);
  const findings: Finding[] = [];
  for (const audited of AUDITED)
    findings.push(...(await part(`${audited[0]} records`, () => values(source, audited, limit))));
  const isNew = ({ subject, detail }: Finding) =>
    !findings.some((one) => one.subject === subject && one.detail === detail);
  // The histories also read values that `values` has named.
  findings.push(...(await part('histories', () => histories(source, limit, work))).filter(isNew));
  findings.push(...(await part('schemas', () => schemas(source, limit, work.hashOf))).filter(isNew));
  const checks = [
    ...auditChecks(source.missingRunOfAttempt, source.complete),
    ...COPY_CHECKS,
    ...source.copies,
  ];
  findings.push(...(await runChecks(query, checks, limit, whyUnreadable)));
  return findings;
}

/** Checks that each value has the type of its column and is readable. */
async function values(
  source: AuditSource,
  [kind, table]: Audited,
  limit: number,
): Promise<readonly Finding[]> {
  // Events and snapshots refer to their state by its row number.
  const isOfState = kind === 'event' || kind === 'snapshot';
  const findings: Finding[] = [];
  for (let after = 0; findings.length < limit;) {
    const found = await source.rows(table, after, SLICE_ROWS);
    for (const { row, mistyped: wrong, stateId: ofState } of found) {
      const id = isOfState ? nameOf(kind, { ...row, stateId: ofState ?? 'of no state' }) : nameOf(kind, row);
      const add = (column: string, what: string) => findings.push(unreadable({ kind, id, column, what }));
      for (const value of Object.values(row)) {
        if (value instanceof DamagedValue) add(value.column, value.what);
      }
      if (wrong !== null) add(wrong, NO_FLAG);
      if (kind === 'receipt' && !isAnswer(row)) add('value', 'is no stored answer');
    }
    const last = found.at(-1)?.seq;
    if (found.length < SLICE_ROWS || typeof last !== 'number' || last <= after) break;
    after = last;
    await nextIteration();
  }
  return findings.slice(0, limit);
}

/** True also for a value that is damaged in another way. */
function isAnswer({ receiptId, value }: Readonly<Record<string, unknown>>): boolean {
  const isEffect = typeof receiptId !== 'string' || !isOfAnswer(receiptId);
  return isEffect || (typeof value === 'object' && value !== null);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unreadable(damage: Damage): Finding {
  return { check: 'value_readable', subject: damage.id, detail: `${describeDamage(damage)}.` };
}

/** Checks that each schema has the content that was registered. */
async function schemas(
  source: AuditSource,
  limit: number,
  hashOf: AuditWork['hashOf'],
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (let after = 0; findings.length < limit;) {
    const [schema] = await source.rows('schemas', after, 1);
    if (schema === undefined || schema.seq <= after) break;
    after = schema.seq;
    const { row } = schema;
    if (isObject(row['jsonSchema']) && hashOf(row['jsonSchema']) !== row['hash']) {
      const detail = 'The schema is not as it was registered: its content has another hash.';
      findings.push({ check: 'schema_unaltered', subject: nameOf('schema', row), detail });
    }
    await nextIteration();
  }
  return findings;
}

/** Checks that the records of each history are unaltered, and that replaying it produces the stored snapshots. */
async function histories(source: AuditSource, limit: number, work: AuditWork): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (let after = 0; findings.length < limit;) {
    const [state] = await source.rows('states', after, 1);
    if (state === undefined || state.seq <= after) break;
    after = state.seq;
    const checked = await checkHistory(source, state.seq, work);
    const faults = checked?.faults.filter(({ check }) => !ELSEWHERE.has(check)) ?? [];
    findings.push(...faults.map((fault) => findingOf(nameOf('state', state.row), fault)));
    await nextIteration();
  }
  return findings.slice(0, limit);
}

function findingOf(stateId: string, { check, version, what, damage }: HistoryFault): Finding {
  if (damage !== undefined) return unreadable(damage);
  const where = version === null ? 'Head' : `Version ${String(version)}`;
  return { check, subject: stateId, detail: `${where}: ${what}.` };
}

/** Queries over all states find these too. */
const ELSEWHERE: ReadonlySet<HistoryCheckName> = new Set([
  'history_complete',
  'history_chained',
  'head_matches_history',
  'snapshot_kept',
  'number_usable',
]);
