// What holds in every database of the service, whatever happened: checked on the records after each step of a test.
import type { Changeset } from '../../src/domain/transactions/changeset.js';
import type { Completion, Run, Session } from '../../src/domain/records/records.js';
import { hasEnded, isUnderWay } from '../../src/domain/lifecycle/run.js';
import { isResumable } from '../../src/domain/lifecycle/session.js';
import type { MemoryStore } from './memory-store.js';

const LOST = JSON.stringify([null, null, 'lost']);

/** Remembers what was released, so that it is seen where something is released twice. */
export class Watch {
  readonly #releasedAt = new Map<string, number>();
  readonly #results = new Map<string, string>();

  /** From then on, what writes a changeset that breaks a promise throws. */
  constructor(private readonly store: MemoryStore) {
    store.heard = (changes) => this.#check(changes);
  }

  #check(changes: Changeset): void {
    this.#checkReleases(changes);
    const { completions, sessions, runs } = this.store;
    for (const one of completions.values()) this.#checkCompletion(one);
    for (const session of sessions.values()) this.#checkSession(session);
    for (const run of runs.values()) this.#checkRun(run);
    this.#checkCallbacks();
  }

  #checkReleases(changes: Changeset): void {
    for (const change of changes) {
      if (!('put' in change) || change.put !== 'completion') continue;
      const { record } = change;
      const key = `${record.sessionId}#${record.generation}`;
      const before = this.#releasedAt.get(key);
      if (before !== undefined && record.releasedAt !== before) throw new Error(`${key} was released twice`);
      const result = JSON.stringify([record.resultText, record.resultData, record.workOutcome]);
      const found = this.#results.get(key);
      // What one says that was taken for lost is kept, where nothing was said before.
      if (before !== undefined && found !== result && found !== LOST)
        throw new Error(`${key} changed its result after it was told`);
      if (before === undefined && record.releasedAt !== null) {
        if (record.status === 'pending') throw new Error(`${key} was released while pending`);
        if (record.workOutcome === null) throw new Error(`${key} was released while at work`);
        this.#checkReleased(record);
        this.#releasedAt.set(key, record.releasedAt);
      }
      this.#results.set(key, result);
    }
  }

  /** A parent is not done before its children are, unless it cannot be told of them any more. */
  #checkReleased(completion: Completion): void {
    const { sessionId, generation } = completion;
    const session = this.store.sessions.get(sessionId);
    if (session === undefined || !isResumable(session)) return;
    const open = [...this.store.callbacks.values()].find(
      (one) =>
        one.parentSessionId === sessionId &&
        one.parentGeneration === generation &&
        (one.status === 'held' || one.status === 'queued'),
    );
    if (open !== undefined)
      throw new Error(`${sessionId}#${generation} was released before its child ${open.childSessionId}`);
  }

  #openRuns(sessionId: string): readonly Run[] {
    return [...this.store.runs.values()].filter((one) => one.sessionId === sessionId && !hasEnded(one));
  }

  #awaits({ sessionId, generation }: Completion): boolean {
    return [...this.store.callbacks.values()].some(
      (one) =>
        one.parentSessionId === sessionId &&
        one.parentGeneration === generation &&
        (one.status === 'held' || one.status === 'queued'),
    );
  }

  #checkCompletion(one: Completion): void {
    const key = `${one.sessionId}#${one.generation}`;
    const session = this.store.sessions.get(one.sessionId);
    if (session === undefined) throw new Error(`${key} has no session`);
    if (one.generation < session.generation && (one.releasedAt === null || one.status === 'pending'))
      throw new Error(`${key} was left behind, ${one.status}`);
    if (one.attempt < 0 || one.attempts.filter((each) => each.outcome === 'open').length > 1)
      throw new Error(`${key} has wrong attempts`);
    if (one.attempt > one.settings.attemptsMax) throw new Error(`${key} has more attempts than allowed`);
    const moving =
      this.#openRuns(one.sessionId).some((run) => run.generation === one.generation) ||
      one.dueAt !== null ||
      this.#awaits(one);
    if (one.generation !== session.generation || moving) return;
    if (one.status === 'pending') throw new Error(`${key} is pending, and nothing will move it`);
    if (one.releasedAt === null && one.workOutcome !== null)
      throw new Error(`${key} is ${one.status} and not released, and nothing will do it`);
  }

  #checkSession(session: Session): void {
    const runs = this.#openRuns(session.sessionId);
    if (runs.filter(isUnderWay).length > 1)
      throw new Error(`${session.sessionId} has two runs under way at once`);
    if (!this.store.completions.has(`${session.sessionId}#${session.generation}`))
      throw new Error(`${session.sessionId} has no completion of generation ${session.generation}`);
    if (session.deletedAt !== null && runs.length > 0)
      throw new Error(`${session.sessionId} is deleted and has runs`);
  }

  #checkRun(run: Run): void {
    if (hasEnded(run)) {
      if (run.dueAt !== null) throw new Error(`${run.runId} has ended and is due`);
      return;
    }
    if (run.dueAt === null) throw new Error(`${run.runId} is ${run.status}, and nothing will look at it`);
    const session = this.store.sessions.get(run.sessionId);
    if (run.status === 'pending' && session !== undefined && run.generation < session.generation)
      throw new Error(`${run.runId} waits for a piece of work that is over`);
  }

  #checkCallbacks(): void {
    for (const one of this.store.callbacks.values()) {
      const completion = this.store.completions.get(`${one.childSessionId}#${one.childGeneration}`);
      if ((one.status === 'held') !== (completion?.releasedAt === null))
        throw new Error(`${one.callbackId} is ${one.status}, its child released: ${completion?.releasedAt}`);
      const runs = this.#openRuns(one.parentSessionId);
      if (one.status === 'dead' && one.reason === null)
        throw new Error(`${one.callbackId} is dead, unexplained`);
      if (one.status !== 'queued') continue;
      if (one.runId !== null && !runs.some((run) => run.runId === one.runId))
        throw new Error(`${one.callbackId} is carried by nothing`);
      const pulled =
        one.delivery === 'pull' && this.store.sessions.get(one.parentSessionId)?.deletedAt === null;
      if (one.runId === null && one.deliveryId === null && !pulled && runs.length === 0)
        throw new Error(`${one.callbackId} waits for nothing`);
    }
  }
}
