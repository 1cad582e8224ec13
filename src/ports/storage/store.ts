// The database, as the service uses it. `store/` implements it; `test/store/conformance.ts` tests it.
import type { Changeset } from '../../domain/transactions/changeset.js';
import type { Damage } from '../../domain/damage/damage.js';
import type { Decide, LoadRequest, SessionAggregate } from '../../domain/transactions/loaded-records.js';
import type { Compaction } from '../../domain/states/retention.js';
import type { ReadCursor, StateHead, Tree } from '../../domain/records/records.js';
import type { PruneBounds, Pruned } from './pruning.js';
import type { Reader } from './reader.js';
import type { StorageHealth } from './storage.js';

/** Committed records that a store has in memory. What it returns is current; `undefined` says nothing. */
export interface KnownRecords {
  /** A session that is not deleted, with the records that affect its progress. A store may load it first. */
  session(idOrName: string): SessionAggregate | undefined;
  /** The tree of a root session. A store may load it first. */
  tree(rootSessionId: string): Tree | undefined;
}

/** The known records of a store that has none in memory. */
export const NOTHING_KNOWN: KnownRecords = { session: () => undefined, tree: () => undefined };

/** Who made a commit: this coordinator, or another one on the same database. */
export type CommitOrigin = 'this' | 'another';

export interface Store {
  readonly read: Reader;
  /** For requests that are admitted by these records; what is decided is decided on loaded records. */
  readonly known: KnownRecords;
  /** True if no other coordinator worked on the database at the last commit. */
  readonly isSoleCoordinator: boolean;

  /**
   * Loads records, runs a decision on them and writes its changes, as one atomic and durable step. Concurrent calls
   * share a commit. The promise resolves when the commit is on disk.
   *
   * @param loads - What to load first. If the decision asks for more, that is loaded and the decision runs again.
   * @param decide - Synchronous and pure; may run several times. It continues if it gets the same loaded records,
   * and starts over with others.
   * @param gathered - True if the caller has already waited one event loop iteration for others to join.
   * @throws StorageError - Nothing is acknowledged. If the file was lost or failed during the commit, the change may
   * still be present later.
   * @throws CommitUnknownError - The change may have been written.
   */
  transact<T>(loads: readonly LoadRequest[], decide: Decide<T>, gathered?: boolean): Promise<T>;

  /**
   * The head of a state if it is cached and certainly current; `undefined` says nothing. While the state does
   * not change, this is the same object.
   */
  cachedHead(stateId: string): StateHead | undefined;

  /**
   * The head of a state as it was last heard of; `undefined` says nothing. Only to prepare a decision, which finds out
   * whether it is current.
   */
  lastSeenHead(stateId: string): StateHead | undefined;

  /**
   * Waits until the other coordinators that write a state have written it as well, or could have: otherwise one of them
   * may be overtaken for ever. To be called before a write is prepared. @returns `undefined` if nobody is waited for.
   */
  waitForOtherWriters(stateId: string): Promise<void> | undefined;

  /** Tells the other coordinators that a prepared write of a state was overtaken: they wait for it. */
  overtaken(stateId: string): void;

  /**
   * Calls the listener with every changeset after its commit, in commit order, and with what another coordinator has
   * committed before the next decision. Of that, long texts are empty, and records that nobody waits for or caches are
   * left out. @returns A function that unsubscribes.
   */
  subscribe(listener: (changes: Changeset, by: CommitOrigin) => void): () => void;

  /**
   * Calls the listener if commits of another coordinator are not known: whatever was cached may be out of date. The
   * next decision waits for the listener, which may read and must not decide. @returns A function that unsubscribes.
   */
  onMissedCommits(listener: () => Promise<void>): () => void;

  /**
   * Calls the listener for each damaged record that a read or decision skips, each time. @returns A function
   * that unsubscribes.
   */
  onDamage(listener: (damage: Damage) => void): () => void;

  /**
   * Removes old data in one commit. In each compacted state, everything before the newest snapshot at or
   * below the compaction's version is removed. The oldest domain events and old idempotency records are
   * removed too. The newest domain event always stays.
   */
  prune(compactions: readonly Compaction[], bounds: PruneBounds): Promise<Pruned>;

  /**
   * Saves what sessions have read, and leaves out what they have read of deleted states. Nobody hears of it.
   *
   * @param cursors - At most one for each session and state.
   */
  saveReadCursors(cursors: readonly ReadCursor[]): Promise<void>;

  /** A value that is created once per database and then kept, such as the secret of session tokens. */
  setting(name: string, make: () => string): Promise<string>;

  /** Whether the database can be written now. */
  health(): Promise<StorageHealth>;

  /** The estimated memory of cached sessions. */
  readonly cacheBytes: number;

  /** Further numbers for metrics, by name and status. */
  gauges(): Readonly<Record<string, Readonly<Record<string, number>>>>;

  close(): Promise<void>;
}
