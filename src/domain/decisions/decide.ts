// The one place that makes a decision from a rule: the rule, then settling, then the answer and the changeset.
import { ok, type Result } from '../errors.js';
import { domainEventsOf } from '../streams/domain-events.js';
import { AfterSettling } from '../transactions/after-settling.js';
import type { Changeset } from '../transactions/changeset.js';
import { STALE, type DecisionContext } from '../transactions/decision-context.js';
import { receiptOf, replay } from '../transactions/idempotency.js';
import type { Decide, LoadedRecords, LoadRequest } from '../transactions/loaded-records.js';
import { Interrupted, UnitOfWork } from '../transactions/unit-of-work.js';
import { withDeliveries } from '../webhooks/enqueue.js';
import { settle } from './settle.js';

/** A rule: a synchronous function of loaded records, a command and the time. It never settles by itself. */
export type Rule<T> = (unit: UnitOfWork) => Result<T | AfterSettling<T>>;

/**
 * Turns a rule into a decision for the store. Every session that the rule touched is settled before the
 * changeset is complete. A failure writes nothing.
 *
 * @param rule - Synchronous and pure. It runs again from the start whenever it requests more records.
 * @param loaded - What is loaded from the start.
 * @param settledNow - Adds what only shows when everything has settled. It must touch no session.
 */
export function deciding<T>(
  context: DecisionContext,
  rule: Rule<T>,
  loaded: readonly LoadRequest[] = [],
  settledNow: (unit: UnitOfWork) => void = () => undefined,
): Decide<Result<T> | typeof STALE> {
  let known: Set<string> | null = null;
  let of: LoadedRecords | null = null;
  const asked = () => (known ??= new Set(loaded.map((request) => JSON.stringify(request))));
  return (records) => {
    // New loaded records mean that the decision starts over: nothing was requested yet.
    if (records !== of) known = null;
    of = records;
    const { once } = context;
    const receipt = once === undefined ? undefined : records.receipts.get(once.receiptId);
    if (once !== undefined && receipt !== undefined) {
      // The rule's result at the time when the record was written.
      return { changes: [], value: replay(receipt, once.fingerprint) as Result<T> };
    }
    const unit = new UnitOfWork(records, context, asked);
    try {
      const result = settled(unit, rule(unit), settledNow);
      if (!result.ok) return { changes: [], value: result };
      if (once !== undefined) unit.append('receipt', receiptOf(once, result.value, context.now));
      return { changes: changesetOf(unit), value: result };
    } catch (thrown) {
      if (!(thrown instanceof Interrupted)) throw thrown;
      return thrown.answer === STALE
        ? { changes: [], value: STALE, again: true }
        : { more: thrown.answer.more };
    }
  };
}

function settled<T>(
  unit: UnitOfWork,
  result: Result<T | AfterSettling<T>>,
  settledNow: (unit: UnitOfWork) => void,
): Result<T> {
  if (!result.ok) return result;
  settle(unit);
  settledNow(unit);
  const { value } = result;
  return ok(value instanceof AfterSettling ? value.read() : value);
}

/** The changes, then their domain events, then the deliveries of webhooks for both. */
function changesetOf(unit: UnitOfWork): Changeset {
  const changes = unit.changes();
  changes.push(...domainEventsOf(unit));
  return withDeliveries(unit, changes);
}
