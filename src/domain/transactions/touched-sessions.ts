// The sessions that a decision has touched: those with a change that may let them, or their parent, go on. Settling
// looks at these and at no others.
import type { Callback, Completion, Run, Session } from '../records/records.js';
import { isResumable } from '../sessions/generation.js';

export class TouchedSessions {
  readonly #waiting = new Set<string>();
  readonly #later = new Set<string>();

  /** A session that may go on for a reason that no record shows, such as a time that has come. */
  add(sessionId: string): void {
    this.#waiting.add(sessionId);
  }

  /** Takes the session that has waited longest to be settled; `undefined` where there is none. */
  take(): string | undefined {
    const [next] = this.#waiting;
    if (next !== undefined) this.#waiting.delete(next);
    return next;
  }

  /**
   * Leaves the completions of a tree to later decisions: this one writes the document that their outcomes show. A
   * completion that the write completes is due at once.
   */
  leaveCompletionsOf(rootSessionId: string): void {
    this.#later.add(rootSessionId);
  }

  leavesCompletionsOf(rootSessionId: string): boolean {
    return this.#later.has(rootSessionId);
  }

  /** Whether it can be resumed says whether callbacks are awaited; its generation, which completion counts. */
  bySession(before: Session | undefined, after: Session): void {
    const same =
      before?.generation === after.generation &&
      before.deletedAt === after.deletedAt &&
      isResumable(before) === isResumable(after);
    if (!same) this.add(after.sessionId);
  }

  byCompletion(before: Completion | undefined, after: Completion): void {
    const same =
      before?.status === after.status &&
      before.workOutcome === after.workOutcome &&
      before.releasedAt === after.releasedAt &&
      before.attempts === after.attempts &&
      before.dueAt === after.dueAt;
    if (!same) this.add(after.sessionId);
  }

  /** Nothing waits for a run to begin; only for its end, or for nobody needing it any more. */
  byRun(before: Run | undefined, after: Run): void {
    const cancelled = after.stopReason === 'cancelled' && before?.stopReason !== 'cancelled';
    if (after.completedAt !== null || cancelled) this.add(after.sessionId);
  }

  /** A held callback lets nobody go on: its child is not done. */
  byCallback(before: Callback | undefined, after: Callback): void {
    if (after.status !== 'held' && before?.status !== after.status) this.add(after.parentSessionId);
  }
}
