// The completions of a tree that are open. Those that are over do not change any more, unless an operator retries them.
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import type { Completion } from '../records/records.js';

/** True if the completion is not released, or is pending again because an operator retried it. */
export function isOpen({ status, releasedAt }: Completion): boolean {
  return releasedAt === null || status === 'pending';
}

/** The present completions of a tree's children that are open. */
export function openCompletions(unit: UnitOfWork, rootSessionId: string): readonly Completion[] {
  unit.need({ load: 'openAggregates', rootSessionId });
  return [...unit.records.aggregates.values()]
    .filter(({ session }) => session.rootSessionId === rootSessionId && session.parentSessionId !== null)
    .map(({ session }) => unit.completion(session.sessionId))
    .filter(isOpen);
}
