// The one place that settles. At the end of a decision, every touched session continues as far as possible:
// waiting callbacks are sent, a completion that waits for nothing advances, the next generation begins. No rule
// settles by itself.
import { awaitsCallbacks, deliverCallbacks } from '../callbacks/deliver.js';
import { apply } from '../completion/conduct.js';
import type { Run } from '../records/records.js';
import { isNextInLine, unclaimedAt } from '../runs/lifecycle.js';
import type { SessionAggregate } from '../transactions/loaded-records.js';
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import { beginWaitingGeneration } from './generation.js';
import { watchHandOver } from './signs-of-life.js';
import { hasRuns } from './waits.js';

/** Limit for each session that a tree may have. If settling takes more rounds, two rules undo each other forever. */
const ROUNDS_PER_SESSION_MAX = 100;

/**
 * Settles to a fixpoint: settling a session may touch its parent, its siblings or itself, and they are settled
 * next.
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

/** Called when no run of the session is in progress or waiting. */
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

/** A run that waited for other runs of its session gets its full time to be claimed. */
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
