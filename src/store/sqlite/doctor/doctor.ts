// Runs the checks of the doctor on a SQLite database.
import type { Finding } from '../../../ports/store.js';
import { CHECKS, type Check } from '../../doctor/checks.js';
import { runChecks } from '../../doctor/run-checks.js';
import type { Db } from '../db.js';

/**
 * Checks the records against each other.
 *
 * @param limit - Most findings per check.
 */
export function examine(db: Db, limit: number): Promise<readonly Finding[]> {
  return check(db, CHECKS, limit);
}

/** Runs any checks of this form. */
export function check(db: Db, checks: readonly Check[], limit: number): Promise<readonly Finding[]> {
  return runChecks((query) => db.all(query), checks, limit);
}
