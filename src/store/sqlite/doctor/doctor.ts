// Runs checks slice by slice, so that a large database does not block the event loop for long.
import { setImmediate as turn } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import type { Finding } from '../../../ports/store.js';
import { CHECKS, type Check } from './checks.js';
import type { Db } from '../db.js';

/** Number of rows per slice. The event loop runs between slices. */
const SLICE_ROWS = 2000;

/**
 * Checks the records against each other.
 *
 * @param limit - Most findings per check.
 */
export async function examine(db: Db, limit: number): Promise<readonly Finding[]> {
  return runChecks(db, CHECKS, limit);
}

/** Runs any checks of this form. */
export async function runChecks(
  db: Db,
  checks: readonly Check[],
  limit: number,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const check of checks) findings.push(...(await runCheck(db, check, limit)));
  return findings;
}

async function runCheck(db: Db, { check, detail, over, broken }: Check, limit: number): Promise<Finding[]> {
  const findings: Finding[] = [];
  const last = over === undefined ? SLICE_ROWS : lastSeq(db, over[0]);
  for (let from = 0; from < last && findings.length < limit; from += SLICE_ROWS) {
    const seq = sql.raw(`${over?.[1] ?? ''}.seq`);
    const slice = sql`${seq} > ${from} and ${seq} <= ${from + SLICE_ROWS}`;
    const rows = db.all<{ subject: string | number; what: string | number | null }>(
      sql`${broken(slice)} limit ${limit - findings.length}`,
    );
    findings.push(
      ...rows.map(({ subject, what }) => ({ check, subject: String(subject), detail: detail(String(what)) })),
    );
    await turn();
  }
  return findings;
}

export function lastSeq(db: Db, table: string): number {
  const found = db.get<{ last: number | null }>(sql`select max(seq) as last from ${sql.identifier(table)}`);
  return found.last ?? 0;
}
