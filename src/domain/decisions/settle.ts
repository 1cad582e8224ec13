// The one place that settles. At the end of a decision, every touched session continues as far as possible:
// waiting callbacks are sent, a completion that waits for nothing advances, the next generation begins. No rule
// settles by itself.
import { deliverCallbacks } from '../callbacks/deliver.js';
import { apply } from '../completion/apply-event.js';
import type { Run } from '../records/records.js';
import { isNextInQueue, unclaimedAt } from '../lifecycle/run.js';
import type { SessionAggregate } from '../transactions/loaded-records.js';
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import { beginWaitingGeneration } from '../sessions/generation.js';
import { watchRest } from '../sessions/signs-of-life.js';
import { awaitsCallbacks, hasRuns } from '../sessions/waits.js';

/** Limit for each session that a tree may have. If settling takes more rounds, two rules undo each other forever. */
const ROUNDS_PER_SESSION_MAX = 100;

/**
 * Settles to a fixpoint: settling a session may touch its parent, its siblings or itself, and they are settled
 * next.
 *
 * Guarantees: when it returns, no touched session waits for something that is over.
 */
export function settle(unit: UnitOfWork): void {
  const roundsMax = ROUNDS_PER_SESSION_MAX * unit.context.limits.sessionsPerTreeMax;
  for (let rounds = 0; ; rounds += 1) {
    const sessionId = unit.touched.next();
    if (sessionId === undefined) return;
    if (rounds > roundsMax) throw new Error(`settling never ends; it was at the session ${sessionId}`);
    settleSession(unit, sessionId);
  }
}

function settleSession(unit: UnitOfWork, sessionId: string): void {
  deliverCallbacks(unit, sessionId);
  const { session } = unit.aggregate(sessionId);
  if (!unit.touched.leavesCompletionsOf(session.rootSessionId) && !hasRuns(unit, sessionId)) {
    moveCompletion(unit, sessionId);
    watchRest(unit, sessionId);
    beginWaitingGeneration(unit, sessionId);
  }
  renewTimeToClaim(unit, sessionId);
}

/** Called when no run of the session is in progress or waiting. */
function moveCompletion(unit: UnitOfWork, sessionId: string): void {
  const { session } = unit.aggregate(sessionId);
  const damage = unit.context.documentDamage;
  if (damage !== undefined && session.parentSessionId !== null && workHasEnded(unit, sessionId)) {
    apply(unit, sessionId, { type: 'damaged', reason: damage });
  }
  const completion = unit.completion(sessionId);
  apply(unit, sessionId, {
    type: 'idle',
    situation: {
      hasState: unit.tree(session.rootSessionId).stateId !== null,
      isRoot: session.parentSessionId === null,
      awaitsCallbacks: awaitsCallbacks(unit, sessionId),
      contractViolations: () =>
        completion.settings.contract === null ? [] : unit.contractViolations(completion),
    },
  });
}

function workHasEnded(unit: UnitOfWork, sessionId: string): boolean {
  return unit.completion(sessionId).workOutcome !== null && !awaitsCallbacks(unit, sessionId);
}

/** A run that waited for other runs of its session gets its full time to be claimed. */
function renewTimeToClaim(unit: UnitOfWork, sessionId: string): void {
  const next = nextRunOf(unit.aggregate(sessionId));
  if (next?.dueAt == null) return;
  const before = unit.records.aggregates.get(sessionId);
  if (before !== undefined && nextRunOf(before)?.runId === next.runId) return;
  const dueAt = unclaimedAt(next, unit.now, unit.context.limits);
  if (next.dueAt < dueAt) unit.putRun({ ...next, dueAt });
}

function nextRunOf({ session, runs }: SessionAggregate): Run | undefined {
  return runs.find((run) => isNextInQueue(run, session.generation, runs));
}
