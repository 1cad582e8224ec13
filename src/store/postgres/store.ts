// The PostgreSQL store: a queue of requests in front of a pool of connections.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { NO_KEYS, type Evidence } from '../../domain/evidence/check.js';
import type { SigningKeys } from '../../domain/evidence/keys.js';
import type { Damage } from '../../domain/damage/damage.js';
import type { ReadCursor, StateHead } from '../../domain/records/records.js';
import type { Compaction } from '../../domain/states/retention.js';
import type { Changeset } from '../../domain/transactions/changeset.js';
import type { Decide, LoadRequest } from '../../domain/transactions/loaded-records.js';
import type { Clock } from '../../ports/runtime.js';
import type { PruneBounds, Pruned } from '../../ports/storage/pruning.js';
import type { Reader } from '../../ports/storage/reader.js';
import type { StorageHealth } from '../../ports/storage/storage.js';
import type { CommitOrigin, KnownRecords, Store } from '../../ports/storage/store.js';
import type { StoreLimits } from '../limits.js';
import { addListener, Listeners } from '../listeners.js';
import { requestOf } from '../request.js';
import type { Connections } from './connection/connections.js';
import { DatabaseClock } from './connection/database-clock.js';
import { fault } from './connection/faults.js';
import { Follower } from './follower.js';
import { healthOf } from './connection/health.js';
import type { PostgresLimits } from './limits.js';
import { PostgresReader } from './reads/reader.js';
import { NOTIFY_OVERTAKEN } from './writes/commits/commit-log.js';
import { CommitQueue } from './writes/commits/commit-queue.js';
import { Committer } from './writes/commits/committer.js';
import { Roots } from './roots.js';
import { keptSetting } from './settings.js';
import { prune } from './writes/prune.js';
import { saveReadCursors } from './writes/save-read-cursors.js';
import { RoundRobin } from './writes/commits/round-robin.js';

/** The parts of a store. */
interface PostgresStoreParts {
  readonly connections: Connections;
  readonly limits: StoreLimits & PostgresLimits;
  /** What histories are checked with. Default: no keys. */
  readonly evidence?: Evidence | undefined;
  /** Called with errors of subscribers, and with a `StorageError` if a connection is lost that nobody uses. */
  readonly onError: (error: unknown) => void;
}

/** Least time between two looks at what others have committed, in milliseconds. */
const LOOK_GAP_MS = 10;
/** The same while a write waits until another coordinator has written. */
const HEAR_GAP_WAITING_MS = 2;

/** A store on one PostgreSQL database, which other coordinators may use too. `openPostgresStore` creates it. */
export class PostgresStore implements Store {
  readonly read: Reader;
  /** What another coordinator has committed is heard of a moment later: requests are admitted by it, and nothing is decided. */
  readonly known: KnownRecords = {
    session: (idOrName) => (this.#isFollowing ? this.#committer.known.aggregates.known(idOrName) : undefined),
    // Another coordinator may have just given it another state.
    tree: (rootSessionId) =>
      this.#isFollowing && this.isSoleCoordinator
        ? this.#committer.known.heads.knownTree(rootSessionId)
        : undefined,
  };
  readonly #connections: Connections;
  readonly #limits: StoreLimits & PostgresLimits;
  readonly #keys: SigningKeys | null;
  readonly #committer: Committer;
  readonly #listeners: Listeners;
  readonly #damageListeners = new Set<(damage: Damage) => void>();
  readonly #missedListeners = new Set<() => Promise<void>>();
  readonly #coordinatorId = randomUUID();
  readonly #roundRobin = new RoundRobin();
  readonly #clock = new DatabaseClock();
  readonly #follower: Follower;
  /** True if the store is a coordinator's: it hears what others commit. */
  #isFollowing = false;
  /** How often all that was cached was discarded, because commits of others were not known. */
  #missedCommits = 0;
  /** The settings that were asked for. They never change. */
  readonly #settings = new Map<string, Promise<string>>();
  readonly #queue: CommitQueue;
  #isBehind = false;
  /** Hears of what others have committed; `null` if there is nothing to hear of. */
  #catchingUp: Promise<void> | null = null;
  #closed: Promise<void> | null = null;

  constructor({ connections, limits, evidence = NO_KEYS, onError }: PostgresStoreParts) {
    this.#connections = connections;
    this.#limits = limits;
    const onDamage = (damage: Damage) => {
      for (const listener of [...this.#damageListeners]) listener(damage);
    };
    const reported = { ...evidence, report: onDamage };
    this.#keys = evidence.keys;
    this.#listeners = new Listeners(onError);
    const coordinatorId = this.#coordinatorId;
    const roots = new Roots();
    this.#committer = new Committer({
      connections,
      limits,
      coordinatorId,
      roots,
      onDamage,
      evidence: reported,
      onForeign: ({ changes, by }) => {
        this.#roundRobin.remote(changes, by);
        this.#listeners.notify(changes, 'another');
      },
      onMissed: () => {
        roots.clear();
        return this.#missed();
      },
    });
    this.#queue = new CommitQueue({
      committer: this.#committer,
      limits,
      onCommitted: (changes) => {
        this.#roundRobin.own(changes);
        this.#listeners.notify(changes, 'this');
      },
    });
    this.#follower = new Follower({
      connections,
      limits,
      coordinatorId,
      clock: this.#clock,
      onCommit: (newest) => {
        if (newest === null) this.#committer.meets(1);
        if (newest === null || this.#committer.remote.isBehind(newest)) this.#catchUp();
      },
      onOthers: (others) => this.#committer.meets(others),
      onGone: () => this.#gone(),
      onOvertaken: (stateId, by) => this.#roundRobin.overtaken(stateId, by),
      onError,
    });
    this.read = new PostgresReader(connections, roots, onDamage, reported, limits.answerMs);
  }

  /** The clock of the server, once the store follows it. */
  get clock(): Clock {
    return this.#clock;
  }

  /** From here on, the store hears what other coordinators commit. */
  async follow(): Promise<void> {
    await this.#follower.start();
    this.#isFollowing = true;
  }

  transact<T>(loads: readonly LoadRequest[], decide: Decide<T>, gathered = false): Promise<T> {
    if (this.#closed !== null) return Promise.reject(new Error('The store is closed'));
    const { request, value } = requestOf(loads, decide, fault);
    this.#queue.add(request, gathered);
    return value;
  }

  /** Another coordinator may have written: no cached head is certainly current. */
  cachedHead(): StateHead | undefined {
    return undefined;
  }

  lastSeenHead(stateId: string): StateHead | undefined {
    return this.#isFollowing ? this.#committer.known.heads.known(stateId) : undefined;
  }

  waitForOtherWriters(stateId: string): Promise<void> | undefined {
    return this.#roundRobin.wait(stateId);
  }

  /** A hint: if it is lost, the others only wait less. */
  overtaken(stateId: string): void {
    const values = [`${this.#coordinatorId} ${stateId}`];
    this.#connections
      .use((connection) => connection.query({ ...NOTIFY_OVERTAKEN, values }))
      .catch(() => undefined);
  }

  subscribe(listener: (changes: Changeset, by: CommitOrigin) => void): () => void {
    return this.#listeners.add(listener);
  }

  onMissedCommits(listener: () => Promise<void>): () => void {
    return addListener(this.#missedListeners, listener);
  }

  onDamage(listener: (damage: Damage) => void): () => void {
    return addListener(this.#damageListeners, listener);
  }

  prune(cuts: readonly Compaction[], bounds: PruneBounds): Promise<Pruned> {
    if (this.#closed !== null) return Promise.reject(new Error('The store is closed'));
    const stateIds = cuts.map(({ stateId }) => stateId);
    return this.#queue.beside(
      this.#committer
        .exclusively(stateIds, (connection) => prune(connection, cuts, bounds, this.#keys))
        .catch((error: unknown) => {
          throw fault(error);
        }),
    );
  }

  saveReadCursors(cursors: readonly ReadCursor[]): Promise<void> {
    if (this.#closed !== null) return Promise.reject(new Error('The store is closed'));
    return this.#queue.beside(
      this.#connections
        .use((connection) => saveReadCursors(connection, cursors))
        .catch((error: unknown) => {
          throw fault(error);
        }),
    );
  }

  setting(name: string, make: () => string): Promise<string> {
    let setting = this.#settings.get(name);
    if (setting === undefined) {
      setting = this.#connections.use((connection) => keptSetting(connection, name, make));
      this.#settings.set(name, setting);
      setting.catch(() => this.#settings.delete(name));
    }
    return setting;
  }

  health(): Promise<StorageHealth> {
    return healthOf(this.#connections, this.#limits.probeMs);
  }

  get isSoleCoordinator(): boolean {
    return !this.#committer.isShared;
  }

  get cacheBytes(): number {
    return this.#committer.cacheBytes;
  }

  gauges(): Readonly<Record<string, Readonly<Record<string, number>>>> {
    return { database_connections: this.#connections.counts, missed_commits: { met: this.#missedCommits } };
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  /** Waits no more for a server that may be silent: whatever waits for it fails, and `close` ends. */
  abandon(): void {
    this.#connections.abandon();
  }

  async #close(): Promise<void> {
    await this.#queue.idle();
    if (this.#isFollowing) await this.#follower.stop();
    await this.#catchingUp;
    await this.#queue.idle();
    await this.#connections.close();
  }

  #catchUp(): void {
    if (this.#closed !== null) return;
    this.#isBehind = true;
    this.#catchingUp ??= this.#hearAll().finally(() => {
      this.#catchingUp = null;
    });
  }

  async #hearAll(): Promise<void> {
    while (this.#isBehind) {
      const from = performance.now();
      this.#isBehind = false;
      // If it fails, the follower asks again.
      await this.#committer.remote.catchUp().catch(() => undefined);
      // Of commits in quick succession, several are heard of at once.
      do await pause(HEAR_GAP_WAITING_MS);
      while (!this.#roundRobin.isWaiting && performance.now() - from < LOOK_GAP_MS);
    }
  }

  /** From here on, the others record their commits for this coordinator. Those in progress may not. */
  async #gone(): Promise<void> {
    await this.#committer.remote.start();
    if (this.#isFollowing) await this.#committer.remote.missed();
  }

  /** Whatever was cached may be out of date. */
  async #missed(): Promise<void> {
    this.#missedCommits += 1;
    const { remote } = this.#committer;
    const wasGone = this.#isFollowing && (await this.#follower.notifyOthers());
    if (wasGone || remote.hasSwitched) await remote.start();
    for (const listener of [...this.#missedListeners]) await listener();
  }
}
