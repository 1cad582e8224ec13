// The SQLite store: a queue of requests in front of one connection.
import { NO_KEYS } from '../../domain/evidence/check.js';
import type { SigningKeys } from '../../domain/evidence/keys.js';
import type { Changeset } from '../../domain/transactions/changeset.js';
import type { Damage } from '../../domain/damage/damage.js';
import type { Decide, LoadRequest } from '../../domain/transactions/loaded-records.js';
import type { StateHead } from '../../domain/records/records.js';
import type { TimeAway } from '../../domain/scheduling/time-away.js';
import type { Compaction } from '../../domain/states/retention.js';
import type { PruneBounds, Pruned } from '../../ports/pruning.js';
import type { Reader } from '../../ports/reader.js';
import type { StorageHealth } from '../../ports/storage.js';
import type { CommitOrigin, Store } from '../../ports/store.js';
import type { StoreLimits } from '../limits.js';
import { requestOf, type Request, type Result } from '../request.js';
import { Committer } from './writes/committer.js';
import type { Client } from './connection.js';
import { connect } from './db.js';
import type { Known } from './writes/known.js';
import { Contention, whenFree } from './files/contention.js';
import { isIoError, storageErrorOf, storageFull } from './faults.js';
import { SqliteReader } from './reads/reader.js';
import { prune } from './writes/prune.js';
import { addListener, Listeners } from '../listeners.js';
import { healthOf } from './files/health.js';
import { hasRoom, probe } from './files/room.js';
import { keptSetting } from './settings.js';
import type { SqliteStoreParts } from './store-parts.js';
import type { StorageWatch } from './files/storage-watch.js';
import { vouchFor, withoutWriting } from './files/vouching.js';
import type { WritingAnswer } from './thread/writing-protocol.js';
import { WritingThread, type RowBatch } from './thread/writing-thread.js';

/** A store on one SQLite file. `openSqliteStore` creates it. */
export class SqliteStore implements Store {
  readonly read: Reader;
  readonly isAlone = true;
  readonly known: Known;
  readonly away: TimeAway | null;
  readonly #client: Client;
  readonly #path: string;
  readonly #limits: StoreLimits;
  readonly #onError: (error: unknown) => void;
  readonly #committer: Committer;
  readonly #watch: StorageWatch;
  /** `null` for a database in memory: another connection cannot see it. */
  readonly #thread: WritingThread | null;
  #wroteHere = true;
  /** Number of records that the last group wrote. The next group is expected to have about as many. */
  #lastRecords = 0;
  readonly #listeners: Listeners;
  readonly #damageListeners = new Set<(damage: Damage) => void>();
  #queue: Request[] = [];
  #flushing = false;
  readonly #keys: SigningKeys | null;
  readonly #contention: Contention;
  #closed: Promise<void> | null = null;
  #drained: () => void = () => undefined;

  constructor({ client, path, limits, watch, away, evidence: given, onError }: SqliteStoreParts) {
    this.away = away;
    this.#watch = watch;
    this.#client = client;
    this.#path = path;
    this.#limits = limits;
    this.#onError = onError;
    const onDamage = (damage: Damage) => {
      // Deferred out of the read or transaction: a listener may access the store.
      queueMicrotask(() => {
        for (const listener of [...this.#damageListeners]) listener(damage);
      });
    };
    const evidence = { ...(given ?? NO_KEYS), report: onDamage };
    this.#keys = evidence.keys;
    this.#listeners = new Listeners(onError);
    this.#contention = new Contention(limits);
    this.#committer = new Committer(client, limits, () => watch.requireOwnership(), onDamage, evidence);
    this.known = this.#committer.known;
    this.#thread = path === ':memory:' ? null : new WritingThread(path, limits, watch.owner);
    this.read = new SqliteReader(connect(client), onDamage, evidence, this.known.settled);
  }

  transact<T>(loads: readonly LoadRequest[], decide: Decide<T>, gathered = false): Promise<T> {
    if (this.#closed !== null) return Promise.reject(new Error('The store is closed'));
    const { request, value } = requestOf(loads, decide, (error) => this.#named(error));
    this.#enqueue(request, gathered);
    return value;
  }

  knownHead(stateId: string): StateHead | undefined {
    return this.known.head(stateId);
  }

  likelyHead(stateId: string): StateHead | undefined {
    return this.knownHead(stateId);
  }

  subscribe(listener: (changes: Changeset, by: CommitOrigin) => void): () => void {
    return this.#listeners.add(listener);
  }

  gauges(): Readonly<Record<string, never>> {
    return {};
  }

  onMissedCommits(): () => void {
    return () => undefined;
  }

  /** Nobody else writes. */
  readonly awaitOthers = () => undefined;
  readonly overtaken = () => undefined;

  onDamage(listener: (damage: Damage) => void): () => void {
    return addListener(this.#damageListeners, listener);
  }

  setting(name: string, make: () => string): Promise<string> {
    return this.#exclusively(this.#limits.busyMs, () =>
      keptSetting(this.#client, name, make, () => this.#watch.requireOwnership()),
    );
  }

  prune(cuts: readonly Compaction[], bounds: PruneBounds): Promise<Pruned> {
    return this.#exclusively(this.#limits.busyMs, () =>
      prune(this.#client, cuts, bounds, this.#keys, () => this.#watch.requireOwnership()),
    );
  }

  async health(): Promise<StorageHealth> {
    const probeMs = Math.min(this.#limits.busyMs, this.#limits.probeMs);
    const canWrite = () => this.#exclusively(probeMs, () => probe(this.#client)).catch(() => false);
    return healthOf(this.#path, this.#limits.freeBytesMin, this.#watch, canWrite);
  }

  close(): Promise<void> {
    this.#closed ??= new Promise<void>((resolve) => {
      if (this.#queue.length === 0 && !this.#flushing) resolve();
      else this.#drained = resolve;
    }).then(async () => {
      await this.#thread?.close();
      this.#watch.stop();
      try {
        this.#client.pragma('wal_checkpoint(TRUNCATE)');
      } catch (error) {
        // No data is lost: the next open reads the log.
        this.#onError(error);
      } finally {
        this.#client.close();
        this.#watch.closed();
      }
    });
    return this.#closed;
  }

  /** The value of a pragma on the store's own connection; for tests and `doctor`. */
  pragma(text: string): unknown {
    return this.#client.pragma(text, { simple: true });
  }

  #enqueue(request: Request, gathered: boolean): void {
    this.#queue.push(request);
    if (this.#flushing) return;
    this.#flushing = true;
    // Runs after the poll phase: all requests of this event loop iteration share the commit. Gathered
    // requests only wait for pending promise callbacks.
    if (gathered) queueMicrotask(() => process.nextTick(() => this.#flush()));
    else setImmediate(() => this.#flush());
  }

  #flush(): void {
    const waiting = this.#queue.slice(0, this.#limits.groupRequestsMax);
    const { lost } = this.#watch;
    if (lost !== null) {
      const results = withoutWriting(waiting, this.#committer, lost);
      this.#queue = this.#queue.slice(waiting.length);
      this.#settle(waiting, results);
      return;
    }
    const many = Math.max(waiting.length, this.#lastRecords) >= this.#limits.threadRecordsMin;
    if (this.#thread?.usable !== true || !many || this.#contention.isOn) {
      this.#writeHere(waiting);
      return;
    }
    const rows = this.#thread.batch();
    if (this.#watch.takeWrote()) this.#wroteHere = true;
    const changesets = this.#committer.defer(waiting, rows, this.#wroteHere);
    const group = waiting.slice(0, changesets.length);
    if (rows.size === 0) {
      if (this.#committer.mayAnswer(changesets)) this.#answer(group, changesets);
      else this.#writeHere(waiting);
    } else void this.#writeThere(this.#thread, group, changesets, rows);
  }

  #answer(group: readonly Request[], changesets: readonly Changeset[]): void {
    this.#queue = this.#queue.slice(group.length);
    this.#settle(group, this.#vouchedFor(changesets.map((changes) => ({ ok: true, changes }))));
  }

  /** Writes a group on this thread and removes it from the queue. */
  #writeHere(group: readonly Request[]): void {
    const results = this.#committer.run(group);
    if (results === null) {
      this.#waitForOthers();
      return;
    }
    this.#contention.end();
    this.#queue = this.#queue.slice(group.length);
    this.#wroteHere = true;
    this.#settle(group, this.#vouchedFor(results));
  }

  #vouchedFor(results: readonly Result[]): readonly Result[] {
    const vouched = vouchFor(results, this.#watch);
    if (vouched !== results) this.#committer.forget();
    return vouched;
  }

  /** Another process holds the write lock: retries later, with the queue in the same order. */
  #waitForOthers(): void {
    this.#queue = this.#contention.sift(this.#queue, this.#committer);
    if (this.#queue.length > 0) {
      setTimeout(() => this.#flush(), this.#contention.pauseMs());
      return;
    }
    this.#flushing = false;
    this.#drained();
  }

  /** Writes a group on the writing thread. No other write runs meanwhile; new requests form the next group. */
  async #writeThere(
    thread: WritingThread,
    group: readonly Request[],
    changesets: readonly Changeset[],
    rows: RowBatch,
  ): Promise<void> {
    let answer: WritingAnswer;
    this.#watch.wait();
    try {
      answer = await thread.write(rows, this.#wroteHere).finally(() => this.#watch.proceed());
    } catch (error) {
      this.#committer.forget();
      this.#queue = this.#queue.slice(group.length);
      const results = group.map((): Result => ({ ok: false, error }));
      this.#settle(group, results);
      return;
    }
    if (answer !== 'written') {
      this.#committer.forget();
      this.#writeHere(group);
      return;
    }
    this.#wroteHere = false;
    this.#committer.deferred();
    this.#answer(group, changesets);
  }

  /** Calls the listeners and the callers, then continues with the queue. */
  #settle(group: readonly Request[], results: readonly Result[]): void {
    this.#lastRecords = 0;
    for (const result of results) {
      if (!result.ok) continue;
      this.#lastRecords += result.changes.length;
      if (result.changes.length > 0) this.#listeners.tell(result.changes, 'this');
    }
    group.forEach((request, i) => request.answer(results[i] ?? { ok: false, error: new Error('No result') }));
    if (this.#queue.length > 0) {
      setImmediate(() => this.#flush());
      return;
    }
    this.#flushing = false;
    this.#drained();
  }

  /** Runs work on this connection alone, once no other connection writes. */
  async #exclusively<T>(busyMs: number, work: () => T): Promise<T> {
    try {
      const value = await whenFree(busyMs, this.#limits.busyPauseMsMax, work);
      this.#wroteHere = true;
      const lost = this.#watch.afterCommit();
      if (lost !== null) throw lost;
      return value;
    } catch (error) {
      throw this.#named(error);
    }
  }

  /** Converts SQLite's errors into those of the store's interface. */
  #named(error: unknown): Error {
    const isFull = isIoError(error) && !hasRoom(this.#path, this.#limits.freeBytesMin);
    return isFull ? storageFull(error) : storageErrorOf(error);
  }
}
