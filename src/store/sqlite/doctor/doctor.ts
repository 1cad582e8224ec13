// Runs the checks of the doctor on a SQLite database.
import type { Finding } from '../../../ports/storage/audit.js';
import { CHECKS } from '../../doctor/checks.js';
import { runChecks } from '../../doctor/run-checks.js';
import type { Db } from '../db.js';

/**
 * Checks the records against each other.
 *
 * @param limit - Most findings per check.
 */
export function examine(db: Db, limit: number): Promise<readonly Finding[]> {
  return runChecks((query) => db.all(query), CHECKS, limit);
}
