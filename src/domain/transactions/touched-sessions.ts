// The sessions that a decision touches: their change may let them, or their parent, continue. Settling looks
// only at these.
import type { Callback, Completion, Run, Session } from '../records/records.js';
import { isResumable } from '../lifecycle/session.js';

export class TouchedSessions {
  readonly #waiting = new Set<string>();
  #later: Set<string> | null = null;

  /** Adds a session that may continue for a reason that no record shows, such as a timer that fired. */
  add(sessionId: string): void {
    this.#waiting.add(sessionId);
  }

  /** Removes and returns the session that was added first; `undefined` if there is none. */
  next(): string | undefined {
    const [first] = this.#waiting;
    if (first !== undefined) this.#waiting.delete(first);
    return first;
  }

  /**
   * Leaves the completions of a tree to later decisions, because this one does not know the document that their
   * messages show. A completion that it completes is due at once.
   */
  leaveCompletionsOf(rootSessionId: string): void {
    (this.#later ??= new Set()).add(rootSessionId);
  }

  leavesCompletionsOf(rootSessionId: string): boolean {
    return this.#later?.has(rootSessionId) === true;
  }

  /** A session waits for callbacks only if it can be resumed. The generation determines which completion counts. */
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

  /** No rule waits for the start of a run, only for its end or its cancellation. */
  byRun(before: Run | undefined, after: Run): void {
    const cancelled = after.stopReason === 'cancelled' && before?.stopReason !== 'cancelled';
    if (after.completedAt !== null || cancelled) this.add(after.sessionId);
  }

  /** A held callback lets no session continue, because its child is not done. */
  byCallback(before: Callback | undefined, after: Callback): void {
    if (after.status !== 'held' && before?.status !== after.status) this.add(after.parentSessionId);
  }
}
