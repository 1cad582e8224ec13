// Moves deadlines by the time in which the service was not running or stood still.
import {
  completionAfterAbsence,
  deliveryAfterAbsence,
  destinationAfterAbsence,
  runAfterAbsence,
  type TimeAway,
} from '../../domain/scheduling/time-away.js';
import type { Due } from '../../ports/storage/reader.js';
import type { Store } from '../../ports/storage/store.js';
import type { Limits } from '../../domain/limits.js';
import type { Logger } from '../../ports/runtime.js';
import type { TreeTransactions } from '../transactions/tree-transactions.js';

/** Maximum rows of one query; each row is three short texts. */
const RECORDS_MAX = 1_000_000;

interface Parts {
  readonly store: Store;
  readonly limits: Limits;
  readonly logger: Logger;
  readonly transactions: TreeTransactions;
}

/**
 * Extends leases to their full time, and moves deadlines by the lost time. Decisions run in groups that share
 * commits. An error at one record is logged; it stops neither the others nor the start of the service.
 */
export async function giveTimeBack(parts: Parts, away: TimeAway): Promise<void> {
  const { store, transactions } = parts;
  const all = await store.read.due(Number.MAX_SAFE_INTEGER, RECORDS_MAX);
  await each(parts, all, (one: Due) =>
    one.kind === 'run'
      ? transactions.decide(one.rootSessionId, [{ load: 'run', runId: one.runId }], (unit) =>
          runAfterAbsence(unit, one.runId, away),
        )
      : transactions.decide(one.rootSessionId, [{ load: 'aggregate', sessionId: one.sessionId }], (unit) =>
          completionAfterAbsence(unit, one.sessionId, away),
        ),
  );
  if (away.clockShiftMs === 0) return;
  const { webhooks } = store.read;
  for (const { origin } of await webhooks.waitingOrigins()) {
    const due = await webhooks.dueAt(origin, Number.MAX_SAFE_INTEGER, RECORDS_MAX);
    await each(parts, due, ({ deliveryId }) =>
      transactions.decideFree([{ load: 'delivery', deliveryId }], (unit) =>
        deliveryAfterAbsence(unit, deliveryId, away),
      ),
    );
    await each(parts, due.slice(0, 1), ({ deliveryId }) =>
      transactions.decideFree([{ load: 'delivery', deliveryId }], (unit) =>
        destinationAfterAbsence(unit, origin, away),
      ),
    );
  }
}

async function each<T>(
  { limits, logger }: Parts,
  all: readonly T[],
  decide: (one: T) => Promise<unknown>,
): Promise<void> {
  for (let from = 0; from < all.length; from += limits.dueAtOnceMax) {
    const decided = await Promise.allSettled(all.slice(from, from + limits.dueAtOnceMax).map(decide));
    for (const one of decided) {
      if (one.status === 'rejected')
        logger.error({ err: one.reason as unknown }, 'a deadline could not be moved');
    }
  }
}
