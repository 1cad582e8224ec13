// The SQLite store: the parts of one database file, behind the interface of the store.
import { NO_KEYS, type Evidence } from '../../domain/evidence/check.js';
import type { SigningKeys } from '../../domain/evidence/keys.js';
import type { Changeset } from '../../domain/transactions/changeset.js';
import type { Damage } from '../../domain/damage/damage.js';
import type { Decide, LoadRequest } from '../../domain/transactions/loaded-records.js';
import type { ReadCursor, StateHead } from '../../domain/records/records.js';
import type { TimeAway } from '../../domain/scheduling/time-away.js';
import type { Compaction } from '../../domain/states/retention.js';
import type { PruneBounds, Pruned } from '../../ports/storage/pruning.js';
import type { Reader } from '../../ports/storage/reader.js';
import type { StorageHealth } from '../../ports/storage/storage.js';
import type { CommitOrigin, Store } from '../../ports/storage/store.js';
import type { StoreLimits } from '../limits.js';
import { requestOf } from '../request.js';
import { Committer } from './writes/committer.js';
import type { Client } from './connection.js';
import { connect } from './db.js';
import type { Known } from './writes/known.js';
import { isIoError, storageErrorOf, storageFull } from './faults.js';
import { SqliteReader } from './reads/reader.js';
import { prune } from './writes/prune.js';
import { addListener, Listeners } from '../listeners.js';
import { whyNotWritable } from './files/file-modes.js';
import { hasFreeSpace, probe } from './files/free-space.js';
import { keptSetting } from './settings.js';
import type { StorageWatch } from './files/storage-watch.js';
import { CommitQueue } from './thread/commit-queue.js';
import { WritingThread } from './thread/writing-thread.js';

/** The parts of a store. */
interface SqliteStoreParts {
  readonly client: Client;
  readonly path: string;
  readonly limits: StoreLimits;
  readonly watch: StorageWatch;
  /** How long the database had no coordinator before this store; `null` if it never had one, or this store is none. */
  readonly away: TimeAway | null;
  /** What histories are checked with. Default: no keys. */
  readonly evidence?: Evidence | undefined;
  /** Called with errors of subscribers and of closing. */
  readonly onError: (error: unknown) => void;
}

/** A store on one SQLite file. `openSqliteStore` creates it. */
export class SqliteStore implements Store {
  readonly read: Reader;
  readonly isSoleCoordinator = true;
  readonly known: Known;
  readonly away: TimeAway | null;
  readonly #client: Client;
  readonly #path: string;
  readonly #limits: StoreLimits;
  readonly #onError: (error: unknown) => void;
  readonly #watch: StorageWatch;
  /** `null` for a database in memory: another connection cannot see it. */
  readonly #thread: WritingThread | null;
  readonly #listeners: Listeners;
  readonly #damageListeners = new Set<(damage: Damage) => void>();
  readonly #queue: CommitQueue;
  readonly #keys: SigningKeys | null;
  #closed: Promise<void> | null = null;

  constructor({ client, path, limits, watch, away, evidence = NO_KEYS, onError }: SqliteStoreParts) {
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
    const reported = { ...evidence, report: onDamage };
    this.#keys = evidence.keys;
    this.#listeners = new Listeners(onError);
    const committer = new Committer(client, limits, () => watch.requireOwnership(), onDamage, reported);
    this.known = committer.known;
    this.#thread = path === ':memory:' ? null : new WritingThread(path, limits, watch.owner);
    const onCommit = (changes: Changeset) => this.#listeners.notify(changes, 'this');
    this.#queue = new CommitQueue({ committer, watch, thread: this.#thread, limits, onCommit });
    this.read = new SqliteReader(connect(client), onDamage, reported, this.known.committed);
  }

  transact<T>(loads: readonly LoadRequest[], decide: Decide<T>, gathered = false): Promise<T> {
    if (this.#closed !== null) return Promise.reject(new Error('The store is closed'));
    // A coordinator will have many requests at once, which then find the thread started.
    if (this.#watch.owner !== null) this.#thread?.start();
    const { request, value } = requestOf(loads, decide, (error) => this.#named(error));
    this.#queue.add(request, gathered);
    return value;
  }

  async saveReadCursors(cursors: readonly ReadCursor[]): Promise<void> {
    const stateIds = [...new Set(cursors.map(({ stateId }) => stateId))];
    await this.transact(
      stateIds.map((stateId) => ({ load: 'state', stateId }) as const),
      ({ states }) => ({
        changes: cursors
          .filter(({ stateId }) => states.has(stateId))
          .map((record) => ({ put: 'readCursor', record })),
        value: null,
      }),
    );
  }

  cachedHead(stateId: string): StateHead | undefined {
    return this.known.head(stateId);
  }

  lastSeenHead(stateId: string): StateHead | undefined {
    return this.cachedHead(stateId);
  }

  subscribe(listener: (changes: Changeset, by: CommitOrigin) => void): () => void {
    return this.#listeners.add(listener);
  }

  get cacheBytes(): number {
    return this.known.bytes;
  }

  gauges(): Readonly<Record<string, never>> {
    return {};
  }

  onMissedCommits(): () => void {
    return () => undefined;
  }

  /** Nobody else writes. */
  readonly waitForOtherWriters = () => undefined;
  readonly overtaken = () => undefined;

  onDamage(listener: (damage: Damage) => void): () => void {
    return addListener(this.#damageListeners, listener);
  }

  setting(name: string, make: () => string): Promise<string> {
    return this.#exclusively(this.#limits.busyMs, () =>
      keptSetting(this.#client, name, make, () => this.#watch.requireOwnership()),
    );
  }

  prune(compactions: readonly Compaction[], bounds: PruneBounds): Promise<Pruned> {
    return this.#exclusively(this.#limits.busyMs, () =>
      prune(this.#client, compactions, bounds, this.#keys, () => this.#watch.requireOwnership()),
    );
  }

  async health(): Promise<StorageHealth> {
    const [path, watch] = [this.#path, this.#watch];
    const { busyMs, probeMs, freeBytesMin } = this.#limits;
    watch.checkNow();
    if (watch.lost !== null) return 'lost';
    if (path !== ':memory:' && whyNotWritable(path) !== null) return 'not_writable';
    // The renewals reach the disk: a file system that fails all writes shows in nothing else.
    if (!(await watch.canRenew()) || !hasFreeSpace(path, freeBytesMin)) return 'not_writable';
    const write = this.#exclusively(Math.min(busyMs, probeMs), () => probe(this.#client));
    return (await write.catch(() => false)) ? 'ok' : 'not_writable';
  }

  close(): Promise<void> {
    this.#closed ??= this.#queue.drained().then(async () => {
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

  /** Runs work on this connection alone, once no other connection writes. */
  async #exclusively<T>(busyMs: number, work: () => T): Promise<T> {
    try {
      return await this.#queue.exclusively(busyMs, work);
    } catch (error) {
      throw this.#named(error);
    }
  }

  /** Converts SQLite's errors into those of the store's interface. */
  #named(error: unknown): Error {
    const isFull = isIoError(error) && !hasFreeSpace(this.#path, this.#limits.freeBytesMin);
    return isFull ? storageFull(error) : storageErrorOf(error);
  }
}
