// Checks every stored value and every history: each must be readable, have its required form and agree with
// the others. Works row by row, in slices, and never holds a whole database in memory.
import { setImmediate as turn } from 'node:timers/promises';
import type { SQL } from 'drizzle-orm';
import { describeDamage, type RecordKind } from '../../domain/damage/damage.js';
import { isJsonObject, jsonEqual, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import type { StateEvent } from '../../domain/records/records.js';
import { eventHash } from '../../domain/states/chain.js';
import type { MaybePromise } from '../../ports/maybe-promise.js';
import type { ApplyPatchText, AuditWork, Finding } from '../../ports/store.js';
import { nameOf } from '../sound.js';
import { DamagedValue } from '../values.js';
import { auditChecks } from './audit-checks.js';
import { COPY_CHECKS } from './copy-checks.js';
import { runChecks, type RunQuery } from './run-checks.js';

/** Rows per slice. */
export const SLICE_ROWS = 200;

/** A row of any table. */
export interface AuditRow {
  readonly seq: number;
  readonly row: Readonly<Record<string, unknown>>;
  /** The column of a flag that is neither 0 nor 1; `null` if there is none. */
  readonly mistyped: string | null;
  /** For events and snapshots, which refer to their state by its number. */
  readonly stateId: string | null;
}

/** A registered schema. */
export interface AuditSchema {
  readonly seq: number;
  readonly name: string;
  readonly version: number;
  readonly hash: string;
  readonly jsonSchema: JsonValue | undefined;
}

/** An event, with the text of the snapshot of its version if there is one. */
export interface AuditEvent {
  readonly event: StateEvent;
  readonly text: string | null;
}

/** What the audit reads. Each list is in the order of its numbers. */
export interface AuditSource {
  /** The kinds of records, in the order of the report. */
  readonly kinds: readonly RecordKind[];
  rows(kind: RecordKind, after: number, rowsMax: number): MaybePromise<readonly AuditRow[]>;
  schemaAfter(seq: number): MaybePromise<AuditSchema | undefined>;
  stateAfter(seq: number): MaybePromise<{ readonly seq: number; readonly stateId: string } | undefined>;
  /** Events of a state above a version, oldest first. */
  events(stateSeq: number, version: number, rowsMax: number): MaybePromise<readonly AuditEvent[]>;
  readonly query: RunQuery;
  /** For completion `c`: the id of a run of its attempts that is not there; null if there is none. */
  readonly missingRunOfAttempt: SQL;
}

/**
 * @param limit - Most findings per check.
 */
export async function audit(
  source: AuditSource,
  limit: number,
  { apply, hashOf }: AuditWork,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const kind of source.kinds) findings.push(...(await values(source, kind, limit)));
  findings.push(...(await histories(source, limit, apply)));
  findings.push(...(await schemas(source, limit, hashOf)));
  findings.push(
    ...(await runChecks(source.query, [...auditChecks(source.missingRunOfAttempt), ...COPY_CHECKS], limit)),
  );
  return findings;
}

/** Checks that each value has the type of its column and is readable. */
async function values(source: AuditSource, kind: RecordKind, limit: number): Promise<readonly Finding[]> {
  // Events and snapshots refer to their state by its row number.
  const isOfState = kind === 'event' || kind === 'snapshot';
  const findings: Finding[] = [];
  for (let after = 0; findings.length < limit;) {
    const found = await source.rows(kind, after, SLICE_ROWS);
    for (const { row, mistyped: wrong, stateId: ofState } of found) {
      const id = isOfState ? nameOf(kind, { ...row, stateId: ofState ?? 'of no state' }) : nameOf(kind, row);
      const add = (column: string, what: string) =>
        findings.push({
          check: 'value_readable',
          subject: id,
          detail: `${describeDamage({ kind, id, column, what })}.`,
        });
      for (const value of Object.values(row)) {
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
async function schemas(
  source: AuditSource,
  limit: number,
  hashOf: AuditWork['hashOf'],
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (let after = 0; findings.length < limit;) {
    const row = await source.schemaAfter(after);
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
async function histories(
  source: AuditSource,
  limit: number,
  apply: ApplyPatchText,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  let after = 0;
  while (findings.length < limit) {
    const state = await source.stateAfter(after);
    if (state === undefined) break;
    after = state.seq;
    findings.push(...(await history(source, state, apply)));
  }
  return findings.slice(0, limit);
}

async function history(
  source: AuditSource,
  { seq, stateId }: { readonly seq: number; readonly stateId: string },
  apply: ApplyPatchText,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const find = (check: string, version: number, detail: string) =>
    findings.push({ check, subject: stateId, detail: `Version ${String(version)}: ${detail}` });
  let document: JsonObject | null = null;
  let version = 0;
  for (;;) {
    const page = await source.events(seq, version, SLICE_ROWS / 4);
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
