// The one place that settles. At the end of a decision every session that it touched goes on as far as it can: waiting
// callbacks are sent, a completion that waits for nothing moves, the next piece of work begins. No rule does this by itself.
import { awaitsCallbacks, deliverCallbacks } from '../callbacks/deliver.js';
import { apply } from '../completion/conduct.js';
import type { Run } from '../records/records.js';
import { isNextInLine, unclaimedAt } from '../runs/lifecycle.js';
import type { SessionAggregate } from '../transactions/loaded-records.js';
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import { beginWaitingGeneration } from './generation.js';
import { watchHandOver } from './signs-of-life.js';
import { hasRuns } from './waits.js';

/** For each session that a tree may have. Where settling takes more, two rules undo each other for ever. */
const ROUNDS_PER_SESSION_MAX = 100;

/**
 * Settles to a fixpoint: a session that goes on may touch its parent, its siblings or itself, and these follow.
 *
 * Guarantees: when it returns, no touched session waits for something that is over.
 */
export function settle(draft: UnitOfWork): void {
  const roundsMax = ROUNDS_PER_SESSION_MAX * draft.context.limits.sessionsPerTreeMax;
  for (let rounds = 0; ; rounds += 1) {
    const sessionId = draft.touched.take();
    if (sessionId === undefined) return;
    if (rounds > roundsMax) throw new Error(`settling never ends; it was at the session ${sessionId}`);
    settleSession(draft, sessionId);
  }
}

function settleSession(draft: UnitOfWork, sessionId: string): void {
  deliverCallbacks(draft, sessionId);
  const { session } = draft.desk(sessionId);
  if (!draft.touched.leavesCompletionsOf(session.rootSessionId) && !hasRuns(draft, sessionId)) {
    moveCompletion(draft, sessionId);
    watchHandOver(draft, sessionId);
    beginWaitingGeneration(draft, sessionId);
  }
  giveNextRunItsTime(draft, sessionId);
}

/** Nothing of the session is under way or in line. */
function moveCompletion(draft: UnitOfWork, sessionId: string): void {
  const { session } = draft.desk(sessionId);
  const damage = draft.context.documentDamage;
  if (damage !== undefined && session.parentSessionId !== null && workHasEnded(draft, sessionId)) {
    apply(draft, sessionId, { type: 'damaged', reason: damage });
  }
  const completion = draft.completion(sessionId);
  apply(draft, sessionId, {
    type: 'idle',
    situation: {
      hasState: draft.tree(session.rootSessionId).stateId !== null,
      isRoot: session.parentSessionId === null,
      awaitsCallbacks: awaitsCallbacks(draft, sessionId),
      contractViolations: () =>
        completion.settings.contract === null ? [] : draft.verdict(completion).violations,
    },
  });
}

function workHasEnded(draft: UnitOfWork, sessionId: string): boolean {
  return draft.completion(sessionId).workOutcome !== null && !awaitsCallbacks(draft, sessionId);
}

/** A run that had to wait for others had no time to be taken yet. */
function giveNextRunItsTime(draft: UnitOfWork, sessionId: string): void {
  const next = nextRunOf(draft.desk(sessionId));
  if (next?.dueAt == null) return;
  const before = draft.family.desks.get(sessionId);
  if (before !== undefined && nextRunOf(before)?.runId === next.runId) return;
  const dueAt = unclaimedAt(next, draft.now, draft.context.limits);
  if (next.dueAt < dueAt) draft.putRun({ ...next, dueAt });
}

function nextRunOf({ session, runs }: SessionAggregate): Run | undefined {
  return runs.find((run) => isNextInLine(run, session.generation, runs));
}
