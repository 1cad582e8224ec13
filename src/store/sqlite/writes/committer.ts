// Runs decisions and commits them: one transaction per group of requests. If a write of the group fails, one
// per request.
import type { ReportedEvidence } from '../../../domain/evidence/tampered.js';
import type { Changeset } from '../../../domain/transactions/changeset.js';
import type { StoreLimits } from '../../limits.js';
import { isRepair, type Request, type Result } from '../../request.js';
import type { Client } from '../connection.js';
import { connect } from '../db.js';
import { Decisions, isAny, isIndependent, isReadOnly, type Decided } from './decisions.js';
import { SessionAggregates } from './session-aggregates.js';
import { isBusy, isOfStorage } from '../faults.js';
import { Heads } from './heads.js';
import { RecordRepair } from './record-repair.js';
import { Known } from './known.js';
import type { NotOnDisk } from './not-on-disk.js';
import { OtherCommits } from './other-commits.js';
import type { OnDamage } from '../../rows/intact-rows.js';
import { prepareLoading } from './loading.js';
import type { RowBatch } from '../thread/writing-thread.js';
import { isDeferrable, Writer } from './writer.js';
import { WrittenKeys } from './written-keys.js';
import type { LoadRequest } from '../../../domain/transactions/loaded-records.js';

/** Runs groups of requests on one connection. */
export class Committer {
  readonly #client: Client;
  readonly #writer: Writer;
  readonly #aggregates: SessionAggregates;
  readonly #heads: Heads;
  readonly #keys = new WrittenKeys();
  readonly #notOnDisk: readonly Omit<NotOnDisk<unknown>, 'open' | 'writing'>[];
  readonly #decisions: Decisions;
  readonly #others: OtherCommits;
  readonly known: Known;
  readonly #charactersMax: number;

  /** @param requireOwnership - Called in every transaction that may write. Throws if this process must not write. */
  constructor(
    client: Client,
    limits: StoreLimits,
    private readonly requireOwnership: () => void,
    onDamage: OnDamage,
    evidence: ReportedEvidence,
  ) {
    const db = connect(client);
    this.#client = client;
    const loading = prepareLoading(db);
    this.#aggregates = new SessionAggregates(
      client,
      loading,
      limits.aggregatesKeptBytesMax,
      limits.headsKeptMax,
    );
    this.#heads = new Heads(client, loading, limits.headsKeptMax, evidence);
    this.#notOnDisk = [this.#aggregates, this.#heads, this.#keys].map(({ notOnDisk }) => notOnDisk);
    this.#decisions = new Decisions(
      {
        loading,
        aggregates: this.#aggregates,
        heads: this.#heads,
        repair: new RecordRepair(db),
        onDamage,
      },
      limits.decisionRoundsMax,
    );
    this.#writer = new Writer(client, db, this.#heads);
    this.#others = new OtherCommits(client, () => this.forget());
    this.known = new Known(this.#aggregates, this.#heads, this.#others, () => client.open);
    this.#charactersMax = limits.threadCharactersMax;
  }

  /**
   * Runs a group as one commit.
   *
   * If a write of the group fails, everything is rolled back and each request gets its own transaction, so that only
   * the failing one fails.
   *
   * @param isFresh - Nothing is cached: what fails now would fail again.
   * @returns A result per request, in order; `null` if another process holds the write lock, and nothing was done.
   */
  run(group: readonly Request[], isFresh = false): readonly Result[] | null {
    try {
      this.#undo();
      this.#client.exec('BEGIN IMMEDIATE');
    } catch (error) {
      return isBusy(error) ? null : group.map(() => ({ ok: false, error }));
    }
    try {
      this.requireOwnership();
      this.#others.look();
    } catch (error) {
      // The failure does not depend on a request: each would fail alone too.
      this.#undoQuietly();
      return group.map(() => ({ ok: false, error }));
    }
    try {
      return this.#commit(group);
    } catch (error) {
      if (isFresh || (group.length === 1 && isOfStorage(error)))
        return group.map(() => ({ ok: false, error }));
      return group.flatMap((request) => this.run([request], true) ?? [{ ok: false, error }]);
    }
  }

  /**
   * Makes one decision in a read transaction.
   *
   * @returns Its result if it changes nothing; `null` if it has changes, and then nothing was done.
   */
  look(request: Request): Result | null {
    try {
      this.#undo();
      this.#client.exec('BEGIN');
      this.#others.look();
      const decided = this.#decisions.make(request, isAny);
      return decided?.changes.length === 0 ? { ok: true, changes: decided.changes } : null;
    } catch (error) {
      return { ok: false, error };
    } finally {
      this.#undoQuietly();
    }
  }

  /**
   * Makes the leading decisions of a group without a transaction, if their changes are plain rows. A decision that
   * follows another one sees its changes, so it may only look for records that are found by their keys.
   *
   * @param rows - Receives the rows of all of them.
   * @param wroteHere - True if this thread has written since the writing thread's last commit. Then the writing
   * thread cannot detect commits of other processes, so this method checks for them. Else the writing thread does.
   * @returns The changes of each decision, valid once the rows are on disk. Shorter than the group if a decision
   * needs more.
   */
  defer(group: readonly Request[], rows: RowBatch, wroteHere: boolean): readonly Changeset[] {
    // Checks now, not once per event loop iteration: another process may have written since the last check.
    if (wroteHere) this.#others.look();
    const changesets = this.#deferAll(group, rows, false);
    if (rows.size > 0) this.#others.paused = true;
    else this.takeBack();
    return changesets;
  }

  /**
   * Makes decisions while the writing thread writes those before. They see its changes. If it does not write them, these
   * decisions are void too: call `forget`.
   *
   * @param rows - The rows of earlier decisions of the same kind, if any. Receives those of these decisions.
   */
  deferAhead(group: readonly Request[], rows: RowBatch): readonly Changeset[] {
    return this.#deferAll(group, rows, true);
  }

  /** @param isAhead - True if rows of earlier decisions are not on disk yet. */
  #deferAll(group: readonly Request[], rows: RowBatch, isAhead: boolean): readonly Changeset[] {
    const changesets: Changeset[] = [];
    for (const request of group) {
      const before = rows.size;
      try {
        const mayLoad = isAhead || before > 0 ? this.#isIndependent : isReadOnly;
        const decided = this.#decisions.make(request, mayLoad);
        if (decided?.changes.every(isDeferrable) !== true) break;
        this.#writer.rowsOf(decided.changes, decided.records, rows);
        if (rows.characters > this.#charactersMax) {
          rows.cut(before);
          break;
        }
        this.#decided(decided);
        changesets.push(decided.changes);
      } catch {
        // The decision is made again in a transaction, after those before it.
        rows.cut(before);
        break;
      }
    }
    return changesets;
  }

  /** The writing thread gets the rows of all decisions so far. */
  handOver(): void {
    this.#others.paused = true;
    for (const kept of this.#notOnDisk) kept.handOver();
  }

  /** Decisions whose rows were not handed over are void. */
  takeBack(): void {
    this.#others.paused = false;
    for (const kept of this.#notOnDisk) kept.rolledBack();
  }

  readonly #isIndependent = (request: LoadRequest): boolean =>
    isIndependent(request) || this.#keys.isOnDisk(request);

  /** True if the decisions change nothing, and no other connection has written since their records were read. */
  mayAnswer(changesets: readonly Changeset[]): boolean {
    if (changesets.length === 0 || changesets.some((changes) => changes.length > 0)) return false;
    try {
      return this.#others.areNone();
    } catch {
      // The transaction reports the error.
      return false;
    }
  }

  /**
   * Call when the rows that were handed over are on disk, written by another connection of this process.
   *
   * @param isAhead - True if decisions were made on top of them, whose rows are still to be handed over.
   * @returns False if the caches could not be brought up to date. They are empty, and what was decided on them is void.
   */
  deferred(isAhead: boolean): boolean {
    // A commit of another process just before goes unnoticed here. The writing thread detects it with its
    // next batch; until then, revisions would not match.
    this.#others.paused = isAhead;
    try {
      this.#others.wasOwn();
    } catch {
      // The rows are on disk all the same; the next transaction reports the error.
      this.forget();
      return false;
    }
    for (const kept of this.#notOnDisk) kept.handedOverIsOnDisk();
    return true;
  }

  /** Discards all cached records. */
  forget(): void {
    this.#others.paused = false;
    this.#aggregates.clear();
    this.#heads.clear();
    this.#keys.notOnDisk.clear();
  }

  #commit(group: readonly Request[]): readonly Result[] {
    try {
      const results = group.map((request) => this.#carryOut(request));
      this.#client.exec(
        group.some(isRepair) || results.some((result) => result.ok && result.changes.length > 0)
          ? 'COMMIT'
          : 'ROLLBACK',
      );
      this.#committed();
      return results;
    } catch (error) {
      this.forget();
      this.#undoQuietly();
      throw error;
    }
  }

  /** If the disk is full, SQLite itself has already rolled back. */
  #undo(): void {
    if (this.#client.inTransaction) this.#client.exec('ROLLBACK');
  }

  #undoQuietly(): void {
    try {
      this.#undo();
    } catch {
      // The first error counts; the next group rolls back what is left.
    }
  }

  /** A decision that throws has written nothing, and the transaction continues. A write that throws aborts it. */
  #carryOut(request: Request): Result {
    let decided: Decided | null;
    // A repair writes before the decision is made.
    const isRepairing = isRepair(request);
    if (isRepairing) this.#client.exec('SAVEPOINT repair');
    try {
      decided = this.#decisions.make(request, isAny);
      if (decided === null) throw new Error('A decision was not made');
    } catch (error) {
      if (isRepairing) this.#undoRepair();
      return { ok: false, error };
    }
    if (isRepairing && decided.again) this.#undoRepair();
    else if (isRepairing) this.#client.exec('RELEASE repair');
    this.#writer.write(decided.changes, decided.records);
    this.#decided(decided);
    return { ok: true, changes: decided.changes };
  }

  /** Nothing that was loaded since may stay cached. The earlier decisions of the group are read from their rows. */
  #undoRepair(): void {
    this.#client.exec('ROLLBACK TO repair; RELEASE repair');
    this.#aggregates.clear();
    this.#heads.clear();
  }

  /** The next decisions of the group are made on these changes. They are visible outside after the commit. */
  #decided({ changes, records }: Decided): void {
    this.#aggregates.written(changes, records.aggregates);
    this.#heads.written(changes);
    this.#keys.written(changes);
  }

  #committed(): void {
    for (const kept of this.#notOnDisk) kept.committed();
  }
}
