// Runs decisions and commits them: one transaction per group of requests. If a write of the group fails, one
// per request.
import type { Statement } from 'better-sqlite3';
import type { Changeset } from '../../../domain/transactions/changeset.js';
import type { Decision, LoadRequest } from '../../../domain/transactions/loaded-records.js';
import type { StateHead } from '../../../domain/records/records.js';
import type { StoreLimits } from '../../limits.js';
import { mends, type Request, type Result } from '../../request.js';
import type { Client } from '../connection.js';
import { connect } from '../db.js';
import { SessionAggregates } from './session-aggregates.js';
import { isBusy } from '../faults.js';
import { Heads } from './heads.js';
import { Loader } from './loader.js';
import { Mender } from './mender.js';
import type { OnDamage } from '../../sound.js';
import { prepareLoading, type Loading } from './loading.js';
import type { RowBatch } from '../thread/writing-thread.js';
import { isDeferrable, Writer } from './writer.js';

/** Runs groups of requests on one connection. */
export class Committer {
  readonly #client: Client;
  readonly #loading: Loading;
  readonly #writer: Writer;
  readonly #aggregates: SessionAggregates;
  readonly #heads: Heads;
  readonly #loader: () => Loader;
  readonly #dataVersion: Statement;
  /** The `data_version` at which everything cached was read. It changes when another connection writes. */
  #known: unknown;
  #lookedForOthers = false;
  /** True while the writing thread writes deferred rows. */
  #deferring = false;
  readonly #roundsMax: number;
  readonly #charactersMax: number;

  /** @param requireOwnership - Called in every transaction that may write. Throws if this process must not write. */
  constructor(
    client: Client,
    limits: StoreLimits,
    private readonly requireOwnership: () => void,
    onDamage: OnDamage,
  ) {
    const db = connect(client);
    const mender = new Mender(client, db);
    this.#client = client;
    this.#loading = prepareLoading(db);
    this.#aggregates = new SessionAggregates(this.#loading, limits.desksKeptBytesMax);
    this.#heads = new Heads(client, this.#loading, limits.headsKeptMax);
    this.#loader = () =>
      new Loader({
        loading: this.#loading,
        aggregates: this.#aggregates,
        heads: this.#heads,
        mender,
        onDamage,
      });
    this.#writer = new Writer(client, db, this.#heads);
    this.#dataVersion = client.prepare('pragma data_version').pluck();
    this.#roundsMax = limits.decisionRoundsMax;
    this.#charactersMax = limits.threadCharactersMax;
  }

  /**
   * Runs a group as one commit.
   *
   * If a write of the group fails, everything is rolled back and each request gets its own transaction, so that only
   * the failing one fails.
   *
   * @returns A result per request, in order; `null` if another process holds the write lock, and nothing was done.
   */
  run(group: readonly Request[]): readonly Result[] | null {
    try {
      this.#undo();
      this.#client.exec('BEGIN IMMEDIATE');
    } catch (error) {
      return isBusy(error) ? null : group.map(() => ({ ok: false, error }));
    }
    try {
      this.requireOwnership();
      this.#lookForOthers();
    } catch (error) {
      // The failure does not depend on a request: each would fail alone too.
      this.#undoQuietly();
      return group.map(() => ({ ok: false, error }));
    }
    try {
      return this.#commit(group);
    } catch (error) {
      if (group.length === 1) return [{ ok: false, error }];
      return group.flatMap((request) => this.run([request]) ?? [{ ok: false, error }]);
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
      this.#lookForOthers();
      const { changes } = this.#decide(request);
      return changes.length === 0 ? { ok: true, changes } : null;
    } catch (error) {
      return { ok: false, error };
    } finally {
      this.#undoQuietly();
    }
  }

  /**
   * Makes the leading decisions of a group that need nothing from the database: all records that they need are
   * cached, and their changes are plain rows. No two of them concern the same tree, so none depends on another's
   * changes.
   *
   * @param rows - Receives the rows of all of them.
   * @param wroteHere - True if this thread has written since the writing thread's last commit. Then the writing
   * thread cannot detect commits of other processes, so this method checks for them. Else the writing thread does.
   * @returns The changes of each decision, valid once the rows are on disk. Shorter than the group if a decision
   * needs more.
   */
  defer(group: readonly Request[], rows: RowBatch, wroteHere: boolean): readonly Changeset[] {
    // Checks now, not once per event loop iteration: another process may have written since the last check.
    if (wroteHere) this.#lookForOthers();
    const changesets: Changeset[] = [];
    const trees = new Set<string>();
    for (const { loads, decide } of group) {
      const roots = loads.map((request) => this.#keptRoot(request));
      if (roots.some((root) => root === null || trees.has(root))) break;
      const before = rows.size;
      try {
        const family = this.#loader();
        family.load(loads);
        const decision = decide(family);
        if ('more' in decision || !decision.changes.every(isDeferrable)) break;
        this.#writer.rowsOf(decision.changes, rows);
        if (rows.characters > this.#charactersMax) {
          rows.cut(before);
          break;
        }
        changesets.push(decision.changes);
      } catch {
        // The decision runs again with access to the database, and fails there.
        rows.cut(before);
        break;
      }
      for (const root of roots) if (root !== null) trees.add(root);
    }
    this.#deferring = rows.size > 0;
    return changesets;
  }

  /** Call when the deferred rows are on disk, written by another connection of this process. */
  deferred(changesets: readonly Changeset[]): void {
    // A commit of another process just before goes unnoticed here. The writing thread detects it with its
    // next batch; until then, revisions would not match.
    this.#deferring = false;
    try {
      this.#known = this.#dataVersion.get();
    } catch {
      // The rows are on disk all the same; the next transaction reports the error.
      this.forget();
      return;
    }
    this.#looked();
    for (const changes of changesets) {
      this.#aggregates.written(changes);
      this.#heads.written(changes);
    }
  }

  /** The root session of the tree that a load request concerns, if all of its records are cached; else `null`. */
  #keptRoot(request: LoadRequest): string | null {
    if (request.load === 'state') {
      const root = this.#heads.peek(request.stateId)?.rootSessionId;
      return root !== undefined && this.#heads.keptTree(root) !== undefined ? root : null;
    }
    if (request.load !== 'aggregate') return null;
    let aggregate = this.#aggregates.kept(request.sessionId);
    while (aggregate !== undefined && aggregate.session.parentSessionId !== null) {
      aggregate = this.#aggregates.kept(aggregate.session.parentSessionId);
    }
    const root = aggregate?.session.rootSessionId;
    return root !== undefined && this.#heads.keptTree(root) !== undefined ? root : null;
  }

  /** The current head of a state if it is cached; `undefined` says nothing. */
  knownHead(stateId: string): StateHead | undefined {
    this.#lookOnce();
    return this.#heads.kept(stateId);
  }

  /** Checks at most once per event loop iteration: calls within one iteration count as simultaneous. */
  #lookOnce(): void {
    if (this.#lookedForOthers) return;
    this.#lookForOthers();
    this.#looked();
  }

  #looked(): void {
    if (this.#lookedForOthers) return;
    this.#lookedForOthers = true;
    setImmediate(() => (this.#lookedForOthers = false));
  }

  #lookForOthers(): void {
    // The writing thread's own commit would look like that of another process.
    if (this.#deferring) return;
    const version = this.#dataVersion.get();
    if (version === this.#known) return;
    this.forget();
    this.#known = version;
  }

  /** Discards all cached records. */
  forget(): void {
    this.#deferring = false;
    this.#aggregates.clear();
    this.#heads.clear();
  }

  #commit(group: readonly Request[]): readonly Result[] {
    try {
      const results = group.map((request) => this.#carryOut(request));
      this.#client.exec(
        group.some(mends) || results.some((result) => result.ok && result.changes.length > 0)
          ? 'COMMIT'
          : 'ROLLBACK',
      );
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
    let decided: Exclude<Decision<unknown>, { more: unknown }>;
    // Mending writes before the decision is made.
    const mending = mends(request);
    if (mending) this.#client.exec('SAVEPOINT mending');
    try {
      decided = this.#decide(request);
    } catch (error) {
      if (mending) this.#client.exec('ROLLBACK TO mending; RELEASE mending');
      return { ok: false, error };
    }
    if (mending) this.#client.exec('RELEASE mending');
    this.#writer.write(decided.changes);
    this.#aggregates.written(decided.changes);
    this.#heads.written(decided.changes);
    return { ok: true, changes: decided.changes };
  }

  #decide({ loads, decide }: Request): Exclude<Decision<unknown>, { more: unknown }> {
    const family = this.#loader();
    family.load(loads);
    for (let round = 0; round < this.#roundsMax; round++) {
      const decision = decide(family);
      if (!('more' in decision)) return decision;
      family.load(decision.more);
    }
    throw new Error(`A decision asked for more records ${this.#roundsMax} times`);
  }
}
