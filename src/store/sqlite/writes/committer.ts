// Carries out decisions: one transaction for each group of requests, or for one that spoilt its group.
import type { Statement } from 'better-sqlite3';
import type { Changeset } from '../../../domain/transactions/changeset.js';
import type { Decide, Decision, LoadRequest } from '../../../domain/transactions/loaded-records.js';
import type { StateHead } from '../../../domain/records/records.js';
import type { StoreLimits } from '../../limits.js';
import type { Client } from '../connection.js';
import { connect } from '../db.js';
import { Desks } from './session-aggregates.js';
import { isBusy } from '../faults.js';
import { Heads } from './heads.js';
import { Loader } from './loader.js';
import { Mender } from './mender.js';
import type { OnDamage } from '../reads/sound.js';
import { prepareLoading, type Loading } from './loading.js';
import type { RowBatch } from '../thread/writing-thread.js';
import { isDeferrable, Writer } from './writer.js';

/** A decision to be made and written; `answer` tells whoever asked, once it is known to be on disk or not. */
export interface Request {
  readonly wants: readonly LoadRequest[];
  readonly decide: Decide<unknown>;
  /** When it was asked for, on the process's own clock. */
  readonly since: number;
  readonly answer: (result: Result) => void;
}

export type Result =
  { readonly ok: true; readonly changes: Changeset } | { readonly ok: false; readonly error: unknown };

/** What is mended is written beside the changes. */
function mends({ wants }: Request): boolean {
  return wants.some(({ want }) => want === 'mended');
}

/** Runs groups of requests on one connection. */
export class Committer {
  readonly #client: Client;
  readonly #loading: Loading;
  readonly #writer: Writer;
  readonly #desks: Desks;
  readonly #heads: Heads;
  readonly #loader: () => Loader;
  readonly #dataVersion: Statement;
  /** The `data_version` under which everything kept was read; it changes when another connection writes. */
  #known: unknown;
  #lookedForOthers = false;
  /** True while the thread writes what was deferred. */
  #deferring = false;
  readonly #roundsMax: number;
  readonly #charactersMax: number;

  /** @param requireOwnership - Called within every transaction that may write; throws where nothing may be written. */
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
    this.#desks = new Desks(this.#loading, limits.desksKeptBytesMax);
    this.#heads = new Heads(client, this.#loading, limits.headsKeptMax);
    this.#loader = () =>
      new Loader({
        loading: this.#loading,
        desks: this.#desks,
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
   * Carries out a group as one commit.
   * Where one of its writes fails, all is undone and each request gets a transaction of its own, so that only the bad one fails.
   *
   * @returns A result for each request, in their order; `null` where another process writes, and nothing was done.
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
      // Nobody's fault in particular: alone, each would only meet the same.
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
   * Makes one decision without the right to write.
   *
   * @returns What it came to where it changes nothing; `null` where it would, and nothing was done.
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
   * Makes the decisions at the head of a group that need nothing from the database: what they look at is kept, and what
   * they write are rows. Each is of a tree of its own, so that none has to see what another one has decided.
   *
   * @param rows - Gets the rows of all of them.
   * @param wroteHere - True where this thread has written since the other one, which then cannot tell a commit of others.
   *   Else it does, before it writes.
   * @returns What each came to, as soon as the rows are on disk; shorter than the group where one needs more.
   */
  defer(group: readonly Request[], rows: RowBatch, wroteHere: boolean): readonly Changeset[] {
    // Now, and not once for this turn: others may have written since it was looked for.
    if (wroteHere) this.#lookForOthers();
    const changesets: Changeset[] = [];
    const trees = new Set<string>();
    for (const { wants, decide } of group) {
      const roots = wants.map((want) => this.#keptRoot(want));
      if (roots.some((root) => root === null || trees.has(root))) break;
      const before = rows.size;
      try {
        const family = this.#loader();
        family.load(wants);
        const decision = decide(family);
        if ('more' in decision || !decision.changes.every(isDeferrable)) break;
        this.#writer.rowsOf(decision.changes, rows);
        if (rows.characters > this.#charactersMax) {
          rows.cut(before);
          break;
        }
        changesets.push(decision.changes);
      } catch {
        // It is made again with its turn at the database, and fails there.
        rows.cut(before);
        break;
      }
      for (const root of roots) if (root !== null) trees.add(root);
    }
    this.#deferring = rows.size > 0;
    return changesets;
  }

  /** What was deferred is on disk, written by another connection of this process. */
  deferred(changesets: readonly Changeset[]): void {
    // A commit of another process, just before, goes unseen here; the thread sees it with its next batch, and until
    // then revisions would not fit.
    this.#deferring = false;
    try {
      this.#known = this.#dataVersion.get();
    } catch {
      // It is on disk all the same; the next transaction says what is wrong.
      this.forget();
      return;
    }
    this.#looked();
    for (const changes of changesets) {
      this.#desks.written(changes);
      this.#heads.written(changes);
    }
  }

  /** The tree that a want is of, where all of it is kept. */
  #keptRoot(want: LoadRequest): string | null {
    if (want.want === 'state') {
      const root = this.#heads.peek(want.stateId)?.rootSessionId;
      return root !== undefined && this.#heads.keptTree(root) !== undefined ? root : null;
    }
    if (want.want !== 'desk') return null;
    let desk = this.#desks.kept(want.sessionId);
    while (desk !== undefined && desk.session.parentSessionId !== null) {
      desk = this.#desks.kept(desk.session.parentSessionId);
    }
    const root = desk?.session.rootSessionId;
    return root !== undefined && this.#heads.keptTree(root) !== undefined ? root : null;
  }

  /** The newest head of a state where it is known without asking for it; says nothing of other states. */
  knownHead(stateId: string): StateHead | undefined {
    this.#lookOnce();
    return this.#heads.kept(stateId);
  }

  /** Once for each turn of the event loop: what is asked for in one is asked for at the same time. */
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
    // The thread's own commit would look like that of another process.
    if (this.#deferring) return;
    const version = this.#dataVersion.get();
    if (version === this.#known) return;
    this.forget();
    this.#known = version;
  }

  /** Nothing that is kept can be trusted. */
  forget(): void {
    this.#deferring = false;
    this.#desks.clear();
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

  /** Where the disk is full, SQLite itself has rolled back already. */
  #undo(): void {
    if (this.#client.inTransaction) this.#client.exec('ROLLBACK');
  }

  #undoQuietly(): void {
    try {
      this.#undo();
    } catch {
      // What went wrong first is what counts; the next group undoes what is left.
    }
  }

  /** A decision that throws has written nothing and spoils nobody's transaction; a write that throws does. */
  #carryOut(request: Request): Result {
    let decided: Exclude<Decision<unknown>, { more: unknown }>;
    // Whoever mends writes before it decides.
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
    this.#desks.written(decided.changes);
    this.#heads.written(decided.changes);
    return { ok: true, changes: decided.changes };
  }

  #decide({ wants, decide }: Request): Exclude<Decision<unknown>, { more: unknown }> {
    const family = this.#loader();
    family.load(wants);
    for (let round = 0; round < this.#roundsMax; round++) {
      const decision = decide(family);
      if (!('more' in decision)) return decision;
      family.load(decision.more);
    }
    throw new Error(`A decision asked for more records ${this.#roundsMax} times`);
  }
}
