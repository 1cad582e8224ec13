// Runs checks slice by slice, so that a large database does not block the event loop for long.
import { setImmediate as turn } from 'node:timers/promises';
import { sql, type SQL } from 'drizzle-orm';
import type { MaybePromise } from '../../ports/maybe-promise.js';
import type { Finding } from '../../ports/audit.js';
import type { Check } from './checks.js';

/** Number of rows per slice. The event loop runs between slices. */
const SLICE_ROWS = 2000;

type Cell = string | number | null;

/** Runs a query of a check and returns its rows. */
export type RunQuery = (query: SQL) => MaybePromise<readonly Readonly<Record<string, Cell>>[]>;

/**
 * @param limit - Most findings per check.
 */
export async function runChecks(
  query: RunQuery,
  checks: readonly Check[],
  limit: number,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const check of checks) findings.push(...(await runCheck(query, check, limit)));
  return findings;
}

async function runCheck(
  query: RunQuery,
  { check, detail, over, broken }: Check,
  limit: number,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const last = over === undefined ? SLICE_ROWS : await lastSeq(query, over[0]);
  for (let from = 0; from < last && findings.length < limit; from += SLICE_ROWS) {
    const seq = sql.raw(`${over?.[1] ?? ''}.seq`);
    const slice = sql`${seq} > ${from} and ${seq} <= ${from + SLICE_ROWS}`;
    const rows = await query(sql`${broken(slice)} limit ${limit - findings.length}`);
    findings.push(
      ...rows.map(({ subject, what }) => ({ check, subject: String(subject), detail: detail(String(what)) })),
    );
    await turn();
  }
  return findings;
}

async function lastSeq(query: RunQuery, table: string): Promise<number> {
  const [found] = await query(sql`select max(seq) as last from ${sql.identifier(table)}`);
  return Number(found?.['last'] ?? 0);
}
