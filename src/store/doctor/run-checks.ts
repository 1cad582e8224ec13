// Runs checks slice by slice, so that a large database does not block the event loop for long.
import { setImmediate as nextIteration } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import type { Finding } from '../../ports/storage/audit.js';
import type { RunQuery } from '../steps.js';
import type { Check } from './checks.js';

/** Number of rows per slice. The event loop runs between slices. */
const SLICE_ROWS = 2000;

/** Why a part of a database cannot be read; `null` if an error has another cause. */
export type WhyUnreadable = (error: unknown) => string | null;

/** What a part of the examination finds; or that its part of the database cannot be read, so that the others go on. */
export async function readPart(
  what: string,
  whyUnreadable: WhyUnreadable,
  read: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await read();
  } catch (error) {
    const why = whyUnreadable(error);
    if (why === null) throw error;
    return [{ check: 'file_sound', subject: what, detail: `Not all of it can be read: ${why}.` }];
  }
}

/**
 * @param limit - Most findings per check.
 */
export async function runChecks(
  query: RunQuery,
  checks: readonly Check[],
  limit: number,
  whyUnreadable: WhyUnreadable,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const check of checks) {
    const part = check.over?.[0] ?? 'database';
    findings.push(...(await readPart(part, whyUnreadable, () => runCheck(query, check, limit))));
  }
  return findings;
}

async function runCheck(
  query: RunQuery,
  { check, detail, over, broken }: Check,
  limit: number,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  let from = 0;
  while (findings.length < limit) {
    const through = over === undefined ? from : await lastOfSlice(query, over[0], from);
    // Numbers that were edited may be too large to be told apart.
    if (through === null || (over !== undefined && through <= from)) break;
    const seq = sql.raw(`${over?.[1] ?? ''}.seq`);
    const slice = sql`${seq} > ${from} and ${seq} <= ${through}`;
    const rows = await query(sql`${broken(slice)} limit ${limit - findings.length}`);
    findings.push(
      ...rows.map(({ subject, what }) => ({ check, subject: String(subject), detail: detail(String(what)) })),
    );
    await nextIteration();
    if (over === undefined) break;
    from = through;
  }
  return findings;
}

/** The number of the last row of the slice that begins behind a number; `null` if no row follows. Numbers have gaps. */
async function lastOfSlice(query: RunQuery, table: string, from: number): Promise<number | null> {
  const [found] = await query(sql`select max(seq) as last from (
    select seq from ${sql.identifier(table)} where seq > ${from} order by seq limit ${SLICE_ROWS}) as slice`);
  const last = found?.['last'] ?? null;
  return last === null ? null : Number(last);
}
