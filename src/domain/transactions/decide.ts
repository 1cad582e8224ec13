// The one place that closes a unit of work: the rule, then settling, then what the caller is told.
import { accepted, type Outcome } from '../errors.js';
import { settle } from '../sessions/settle.js';
import type { DecisionContext } from './decision-context.js';
import type { Decide, LoadRequest } from './loaded-records.js';
import { AfterSettling } from './after-settling.js';
import { evaluating, type STALE, type UnitOfWork } from './unit-of-work.js';

/** A rule: a synchronous function of what is loaded, a command and the time. It never settles by itself. */
export type Rule<T> = (draft: UnitOfWork) => Outcome<T | AfterSettling<T>>;

/**
 * Turns a rule into a decision as the store wants it: every session that the rule touched is settled before the
 * changeset is complete. A refusal writes nothing.
 *
 * @param rule - Synchronous and pure; made again from the start whenever it asks for more.
 * @param loaded - What the family holds from the start.
 */
export function deciding<T>(
  context: DecisionContext,
  rule: Rule<T>,
  loaded: readonly LoadRequest[] = [],
): Decide<Outcome<T> | typeof STALE> {
  return evaluating(context, (draft) => settled(draft, rule(draft)), loaded);
}

function settled<T>(draft: UnitOfWork, outcome: Outcome<T | AfterSettling<T>>): Outcome<T> {
  if (!outcome.ok) return outcome;
  settle(draft);
  const { value } = outcome;
  return accepted(value instanceof AfterSettling ? value.read() : value);
}
