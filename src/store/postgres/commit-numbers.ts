// Up to which number all commits are finished. Commits of different trees overlap, so a higher number may be committed before
// a lower one. Whoever reads the commits of all trees in their order stops at this number.
import { sleep } from '../../lib/backoff.js';
import { StorageError } from '../../ports/storage/storage.js';
import type { Connection, Connections } from './connection/connections.js';
import { HELD_NUMBERS, NEWEST_NUMBER, stableNumber } from './writes/commits/commit-log.js';

/** Between two looks while commits are in progress, in milliseconds. A commit takes about as long. */
const LOOK_MS = 2;

export interface CommitNumbers {
  /** Identifies the server process that has the database. */
  readonly server: string;
  /** The newest number that was taken. */
  readonly newest: number;
  /** No commit in progress has this number, nor a lower one. */
  readonly through: number;
}

export async function numbersNow(connection: Connection): Promise<CommitNumbers> {
  // In this order, each on its own: what is in progress is no part of a snapshot.
  const [current, held] = await Promise.all([
    connection.query<{ newest: string; server: string }>(NEWEST_NUMBER),
    connection.query<{ held: string }>(HELD_NUMBERS),
  ]);
  const newest = Number(current.rows[0]?.newest ?? 0);
  return {
    server: current.rows[0]?.server ?? '',
    newest,
    through: stableNumber(
      newest,
      held.rows.map((row) => Number(row.held)),
    ),
  };
}

/**
 * Waits until all commits are finished that have taken a number by now.
 *
 * @param withinMs - Longer than the server lets a transaction hang.
 * @returns Numbers whose `through` is as high as the newest one at the call.
 * @throws StorageError
 */
export async function waitForStable(connections: Connections, withinMs: number): Promise<CommitNumbers> {
  const from = performance.now();
  let wanted = Infinity;
  for (;;) {
    const numbers = await connections.use(numbersNow);
    wanted = Math.min(wanted, numbers.newest);
    if (numbers.through >= wanted) return numbers;
    if (performance.now() - from > withinMs)
      throw new StorageError('storage_busy', 'A transaction has not ended for too long');
    await sleep(LOOK_MS);
  }
}
