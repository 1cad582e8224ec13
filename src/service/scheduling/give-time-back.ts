// Moves deadlines by the time in which the service was not running or stood still, and sets those that are missing.
import {
  completionAfterAbsence,
  deliveryAfterAbsence,
  destinationAfterAbsence,
  runAfterAbsence,
  type TimeAway,
} from '../../domain/scheduling/time-away.js';
import { damaged, RecordDamagedError } from '../../domain/damage/damage.js';
import { settleAgain } from '../../domain/scheduling/due.js';
import { heartbeatIntervalMs } from '../../domain/runs/claim.js';
import { ok, type Result } from '../../domain/errors.js';
import type { UnitOfWork } from '../../domain/transactions/unit-of-work.js';
import type { Due, Unattended } from '../../ports/storage/reader.js';
import type { Store } from '../../ports/storage/store.js';
import type { Limits } from '../../domain/limits.js';
import type { Clock, Logger } from '../../ports/runtime.js';
import type { TreeTransactions } from '../transactions/tree-transactions.js';

/** Maximum rows of one query; each row is three short texts. */
const RECORDS_MAX = 1_000_000;

interface Parts {
  readonly store: Store;
  readonly clock: Pick<Clock, 'now'>;
  readonly limits: Limits;
  readonly logger: Logger;
  readonly transactions: TreeTransactions;
}

/** A timer that is at most this late is normal, and no sign that the process stood still. */
const LATE_MS_MIN = 250;

/**
 * Whether the process stood still (stopped, in a debugger, on a suspended machine) until a timer fired this late. It
 * received nothing and sent nothing meanwhile; another coordinator would have.
 *
 * @param mattersMs - A standstill that is longer matters, also where it is shorter than the pause between heartbeats.
 */
export function stoodStill(
  { store, limits }: Pick<Parts, 'store' | 'limits'>,
  lateMs: number,
  mattersMs = Infinity,
): boolean {
  return (
    store.isSoleCoordinator &&
    lateMs > Math.max(LATE_MS_MIN, Math.min(mattersMs, heartbeatIntervalMs(limits)))
  );
}

/**
 * Extends leases to their full time, and moves deadlines of runs and completions by the lost time. Decisions run in
 * groups that share commits. An error at one record is logged; it stops neither the others nor the start of the
 * service, and a damaged record is left as it is until somebody needs it.
 */
export async function giveTimeBack(parts: Parts, away: TimeAway): Promise<void> {
  const { store, transactions } = parts;
  const all = await store.read.due(Number.MAX_SAFE_INTEGER, RECORDS_MAX);
  await each(parts, all, (one: Due) =>
    one.kind === 'run'
      ? transactions.decideIfIntact(one.rootSessionId, [{ load: 'run', runId: one.runId }], (unit) =>
          runAfterAbsence(unit, one.runId, away),
        )
      : transactions.decideIfIntact(
          one.rootSessionId,
          [{ load: 'aggregate', sessionId: one.sessionId }],
          (unit) => completionAfterAbsence(unit, one.sessionId, away),
        ),
  );
}

/**
 * The same for webhook messages: their time and their next attempts. A circuit breaker that cannot be read is reset first:
 * no message of its origin could be moved.
 */
export async function giveDeliveriesTimeBack(parts: Parts, away: TimeAway): Promise<void> {
  if (away.elapsedMs === 0 && away.clockShiftMs === 0) return;
  const { store, clock, transactions } = parts;
  const { webhooks } = store.read;
  const decide = (deliveryId: string, rule: (unit: UnitOfWork) => Result<null>) =>
    transactions.decideFree([{ load: 'delivery', deliveryId }], rule);
  const moveOne = (deliveryId: string) =>
    decide(deliveryId, (unit) => deliveryAfterAbsence(unit, deliveryId, away));
  const move = async (deliveryId: string) => {
    try {
      return await moveOne(deliveryId);
    } catch (error) {
      if (!(error instanceof RecordDamagedError) || error.damage.kind !== 'destination') throw error;
      const { id } = error.damage;
      const repaired = { load: 'repaired', kind: 'destination', id, now: clock.now() } as const;
      await transactions.decideFree([repaired], () => ok(null));
      return moveOne(deliveryId);
    }
  };
  await each(parts, await webhooks.unchecked(RECORDS_MAX), move);
  for (const { origin } of await webhooks.waitingOrigins()) {
    const due = await webhooks.dueAt(origin, Number.MAX_SAFE_INTEGER, RECORDS_MAX);
    await each(parts, due, ({ deliveryId }) => move(deliveryId));
    await each(parts, due.slice(0, 1), ({ deliveryId }) =>
      decide(deliveryId, (unit) => destinationAfterAbsence(unit, origin, away)),
    );
  }
}

/**
 * Settles the children that nothing continues by itself. Those that an earlier version of the service left without a time
 * limit get one.
 *
 * @param isStopped - Leaves the rest to the next start once it is true.
 */
export async function settleUnattended(parts: Parts, isStopped: () => boolean): Promise<void> {
  const { store, transactions } = parts;
  const settle = ({ sessionId, rootSessionId, callbackId, runId }: Unattended): Promise<unknown> => {
    if (runId !== null) {
      const err = damaged('run', runId, 'belongs to none of the open work of its session');
      return transactions.setAside(rootSessionId, null, { run: runId, err });
    }
    if (callbackId !== null) {
      const err = damaged('callback', callbackId, 'contradicts what is stored of its child');
      return transactions.setAside(rootSessionId, null, { session: sessionId, err });
    }
    return transactions.decide(rootSessionId, [{ load: 'aggregate', sessionId }], (unit) =>
      settleAgain(unit, sessionId),
    );
  };
  await each(parts, await store.read.unattended(RECORDS_MAX), settle, isStopped);
}

async function each<T>(
  { limits, logger }: Parts,
  all: readonly T[],
  decide: (one: T) => Promise<unknown>,
  isStopped = () => false,
): Promise<void> {
  for (let from = 0; from < all.length && !isStopped(); from += limits.dueAtOnceMax) {
    const decided = await Promise.allSettled(all.slice(from, from + limits.dueAtOnceMax).map(decide));
    for (const one of decided) {
      if (one.status === 'rejected')
        logger.error({ err: one.reason as unknown }, 'a deadline could not be set');
    }
  }
}
