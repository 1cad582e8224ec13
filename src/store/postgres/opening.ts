// A transaction of an opening, which locks what all coordinators need. It may take as long as it has to.
import { setTimeout as pause } from 'node:timers/promises';
import type { Connection } from './connection/connections.js';
import { codeOf } from './connection/faults.js';
import type { PostgresLimits } from './limits.js';

const LOCK_TIMEOUT = '55P03';

/** The wait before it is tried again, in milliseconds. Those who waited behind it get their locks. */
const PAUSE_MS = 250;

/**
 * Runs statements in a transaction. Where others keep a lock that it needs, it is rolled back and begun again.
 *
 * @param connection - With no bound in time for an answer.
 */
export async function openingTransaction<T>(
  connection: Connection,
  { openingLockMs, openingMs }: Pick<PostgresLimits, 'openingLockMs' | 'openingMs'>,
  work: () => Promise<T>,
): Promise<T> {
  const from = performance.now();
  for (;;) {
    await connection.query(
      `begin; set local lock_timeout = ${String(openingLockMs)}; set local statement_timeout = 0`,
    );
    try {
      const result = await work();
      await connection.query('commit');
      return result;
    } catch (error) {
      await connection.query('rollback').catch(() => undefined);
      if (codeOf(error) !== LOCK_TIMEOUT || performance.now() - from > openingMs) throw error;
      await pause(PAUSE_MS);
    }
  }
}
