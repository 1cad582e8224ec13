// Runs the cross-checks one by one, so that a large database never holds the event loop for all of them at once.
import { setImmediate as turn } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import type { Finding } from '../../ports/store.js';
import { CHECKS } from './checks.js';
import type { Db } from './db.js';

/**
 * Checks the records against each other.
 *
 * @param limit - Findings of each check.
 */
export async function examine(db: Db, limit: number): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const { check, detail, broken } of CHECKS) {
    const rows = db.all<{ subject: string; what: string | number | null }>(sql`${broken} limit ${limit}`);
    findings.push(...rows.map(({ subject, what }) => ({ check, subject, detail: detail(String(what)) })));
    await turn();
  }
  return findings;
}
