// The queue of requests in front of one connection. Requests that wait together share a commit. While the thread writes
// one group, the next group is decided.
import type { Changeset } from '../../../domain/transactions/changeset.js';
import type { StoreLimits } from '../../limits.js';
import type { Request, Result } from '../../request.js';
import { Contention, whenFree } from '../files/contention.js';
import type { StorageWatch } from '../files/storage-watch.js';
import { refuseLost, readOnlyResults } from '../files/lost-file-results.js';
import type { Committer } from '../writes/committer.js';
import type { WritingAnswer } from './writing-protocol.js';
import type { RowBatch, WritingThread } from './writing-thread.js';

interface CommitQueueParts {
  readonly committer: Committer;
  readonly watch: StorageWatch;
  /** `null` for a database in memory: another connection cannot see it. */
  readonly thread: WritingThread | null;
  readonly limits: StoreLimits;
  /** Receives the changes of each commit, before its callers are answered. */
  readonly onCommit: (changes: Changeset) => void;
}

/** Decided requests, from the first of the queue that is in no group before. */
interface Group {
  readonly changesets: Changeset[];
  readonly rows: RowBatch;
  /** True if the next request cannot join: it needs what these requests have written, or there are too many. */
  isClosed: boolean;
}

export class CommitQueue {
  readonly #parts: CommitQueueParts;
  readonly #contention: Contention;
  /** All requests that are not answered: those of the group that is written, those decided ahead, and the rest. */
  #queue: Request[] = [];
  /** True while requests are answered, written, or about to be. */
  #isActive = false;
  /** The thread writes it. */
  #writing: Group | null = null;
  /** Decided meanwhile, on top of it. */
  #ahead: Group | null = null;
  #looksSoon = false;
  /** True if this thread has written since the writing thread got its last group. */
  #wroteHere = true;
  /** Number of records that the last group wrote. The next group is expected to have about as many. */
  #lastRecords = 0;
  /** How many callers of `exclusively` wait for the thread. */
  #exclusive = 0;
  #drained: () => void = () => undefined;

  constructor(parts: CommitQueueParts) {
    this.#parts = parts;
    this.#contention = new Contention(parts.limits);
  }

  /**
   * All requests of an event loop iteration share the commit. Gathered requests were collected before: they only wait
   * for pending promise callbacks.
   */
  add(request: Request, gathered: boolean): void {
    this.#queue.push(request);
    if (this.#writing !== null) this.#lookSoon(gathered);
    if (this.#isActive) return;
    this.#isActive = true;
    whenGathered(gathered, () => this.#flush());
  }

  /** Resolves when all requests are answered. */
  drained(): Promise<void> {
    return new Promise<void>((resolve) => {
      if (this.#queue.length === 0 && !this.#isActive) resolve();
      else this.#drained = resolve;
    });
  }

  /** Runs work on this connection alone, once no other connection writes. */
  async exclusively<T>(busyMs: number, work: () => T): Promise<T> {
    const { watch, limits } = this.#parts;
    this.#exclusive += 1;
    try {
      const value = await whenFree(busyMs, limits.busyPauseMsMax, work);
      this.#wroteHere = true;
      const lost = watch.afterCommit();
      if (lost !== null) throw lost;
      return value;
    } finally {
      this.#exclusive -= 1;
    }
  }

  #flush(): void {
    const { watch, committer, thread, limits } = this.#parts;
    if (thread !== null && this.#writeAhead(thread)) return;
    const waiting = this.#queue.slice(0, limits.groupRequestsMax);
    const { lost } = watch;
    if (lost !== null) {
      const results = readOnlyResults(waiting, committer, lost);
      this.#finish(this.#dequeue(waiting.length), results);
      return;
    }
    const expected = allRecordsOf(waiting);
    const isLarge = Math.max(expected, this.#lastRecords) >= limits.threadRecordsMin;
    if (thread?.usable !== true || !isLarge || this.#contention.isOn) {
      this.#writeHere(waiting);
      return;
    }
    const rows = thread.batch();
    if (watch.takeWrote()) this.#wroteHere = true;
    const first = expected < limits.threadShareMin ? waiting : firstHalf(waiting);
    const changesets = [...committer.defer(first, rows, this.#wroteHere)];
    if (rows.size > 0) {
      const wroteHere = this.#wroteHere;
      this.#wroteHere = false;
      void this.#writeThere(thread, { changesets, rows, isClosed: true }, wroteHere);
      if (this.#queue.length > changesets.length) this.#lookSoon(true);
    } else if (committer.mayAnswer(changesets)) {
      this.#finish(this.#dequeue(changesets.length), this.#refuseLost(resultsOf(changesets)));
    } else this.#writeHere(waiting);
  }

  /** Writes a group on this thread and removes it from the queue. */
  #writeHere(group: readonly Request[]): void {
    const results = this.#parts.committer.run(group);
    if (results === null) {
      this.#waitForOthers();
      return;
    }
    this.#contention.end();
    this.#wroteHere = true;
    this.#finish(this.#dequeue(group.length), this.#refuseLost(results));
  }

  #refuseLost(results: readonly Result[]): readonly Result[] {
    const vouched = refuseLost(results, this.#parts.watch);
    if (vouched !== results) this.#parts.committer.forget();
    return vouched;
  }

  /** Another process holds the write lock: retries later, with the queue in the same order. */
  #waitForOthers(): void {
    this.#queue = this.#contention.withoutReads(this.#queue, this.#parts.committer);
    if (this.#queue.length > 0) {
      setTimeout(() => this.#flush(), this.#contention.pauseMs());
      return;
    }
    this.#end();
  }

  /** Writes a group on the writing thread. No other write runs meanwhile. */
  async #writeThere(thread: WritingThread, group: Group, wroteHere: boolean): Promise<void> {
    const { committer, watch } = this.#parts;
    const size = group.changesets.length;
    this.#writing = group;
    committer.handOver();
    watch.wait();
    let answer: WritingAnswer;
    try {
      answer = await thread.write(group.rows, wroteHere).finally(() => watch.proceed());
    } catch (error) {
      this.#forget();
      const failed = this.#dequeue(size);
      this.#finish(
        failed,
        failed.map((): Result => ({ ok: false, error })),
      );
      return;
    }
    if (answer !== 'written') {
      this.#forget();
      this.#writeHere(this.#queue.slice(0, size));
      return;
    }
    this.#writing = null;
    const isAhead = this.#ahead !== null && this.#ahead.rows.size > 0;
    if (!committer.deferred(isAhead)) this.#ahead = null;
    this.#finish(this.#dequeue(size), this.#refuseLost(resultsOf(group.changesets)));
  }

  /** What was decided ahead is decided again. */
  #forget(): void {
    this.#writing = null;
    this.#ahead = null;
    this.#parts.committer.forget();
  }

  #lookSoon(gathered: boolean): void {
    if (this.#looksSoon || this.#ahead?.isClosed === true) return;
    this.#looksSoon = true;
    whenGathered(gathered, () => {
      this.#looksSoon = false;
      this.#decideAhead();
    });
  }

  /** Decides what has arrived since the group that is written. */
  #decideAhead(): void {
    const { thread, watch } = this.#parts;
    if (this.#writing === null || thread === null || this.#exclusive > 0 || watch.lost !== null) return;
    this.#ahead ??= { changesets: [], rows: thread.batch(), isClosed: false };
    this.#join(this.#ahead, this.#writing.changesets.length);
  }

  /** @param before - How many requests of the queue the thread has. */
  #join(ahead: Group, before: number): void {
    if (ahead.isClosed) return;
    const { committer, limits } = this.#parts;
    const waiting = this.#queue.slice(before + ahead.changesets.length, before + limits.groupRequestsMax);
    const changesets = committer.deferAhead(waiting, ahead.rows);
    ahead.changesets.push(...changesets);
    ahead.isClosed = changesets.length < waiting.length || ahead.changesets.length >= limits.groupRequestsMax;
  }

  /**
   * The thread gets what was decided ahead, with what has arrived since: only after the callers of the group before have
   * their answers, which would wait where processors are few. What this thread has written meanwhile may matter to what
   * was decided ahead: then it is void.
   *
   * @returns False if there is nothing that the thread gets.
   */
  #writeAhead(thread: WritingThread): boolean {
    const { committer, watch } = this.#parts;
    const ahead = this.#ahead;
    this.#ahead = null;
    if (ahead === null) return false;
    const isVoid = this.#wroteHere || this.#exclusive > 0 || watch.lost !== null || !thread.usable;
    if (!isVoid) this.#join(ahead, 0);
    if (isVoid || ahead.rows.size === 0) {
      committer.takeBack();
      return false;
    }
    // A renewal of the lease matters to no decision.
    void this.#writeThere(thread, ahead, watch.takeWrote());
    if (this.#queue.length > ahead.changesets.length) this.#lookSoon(true);
    return true;
  }

  /** Removes the first requests from the queue. */
  #dequeue(count: number): readonly Request[] {
    const dequeued = this.#queue.slice(0, count);
    this.#queue = this.#queue.slice(count);
    return dequeued;
  }

  /** Calls the listeners and the callers, then continues with the queue. */
  #finish(group: readonly Request[], results: readonly Result[]): void {
    this.#lastRecords = 0;
    for (const result of results) {
      if (!result.ok) continue;
      this.#lastRecords += result.changes.length;
      if (result.changes.length > 0) this.#parts.onCommit(result.changes);
    }
    group.forEach((request, i) => request.answer(results[i] ?? { ok: false, error: new Error('No result') }));
    if (this.#queue.length > 0) setImmediate(() => this.#flush());
    else this.#end();
  }

  #end(): void {
    this.#isActive = false;
    this.#drained();
  }
}

/** About how many records a request will write. One about many records says so by what it loads. */
const recordsOf = ({ loads }: Request) => Math.max(1, loads.length);

const allRecordsOf = (requests: readonly Request[]) =>
  requests.reduce((sum, request) => sum + recordsOf(request), 0);

/**
 * The first requests, with half of the records. Callers who send their next request after each answer come in the groups
 * in which they were answered: with one large group, the disk and this thread would wait for each other.
 */
function firstHalf(requests: readonly Request[]): readonly Request[] {
  let recordsLeft = allRecordsOf(requests) / 2;
  for (const [i, request] of requests.entries()) {
    recordsLeft -= recordsOf(request);
    if (recordsLeft <= 0) return requests.slice(0, i + 1);
  }
  return requests;
}

/** Runs after the poll phase of the event loop, or after pending promise callbacks. */
function whenGathered(gathered: boolean, run: () => void): void {
  if (gathered) queueMicrotask(() => process.nextTick(run));
  else setImmediate(run);
}

const resultsOf = (changesets: readonly Changeset[]) =>
  changesets.map((changes): Result => ({ ok: true, changes }));
