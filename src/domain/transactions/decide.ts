// The one place that completes a unit of work: the rule, then settling, then the answer.
import { ok, type Result } from '../errors.js';
import { settle } from '../sessions/settle.js';
import type { DecisionContext, STALE } from './decision-context.js';
import type { Decide, LoadRequest } from './loaded-records.js';
import { AfterSettling } from './after-settling.js';
import { evaluating, type UnitOfWork } from './unit-of-work.js';

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
  return evaluating(context, (unit) => settled(unit, rule(unit), settledNow), loaded);
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
