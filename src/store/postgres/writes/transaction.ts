// One transaction: it locks the trees of what it loads, in the order of their keys, and commits with its last statements.
import type { Change, Changeset } from '../../../domain/transactions/changeset.js';
import type { LoadRequest } from '../../../domain/transactions/loaded-records.js';
import { CommitUnknownError } from '../../../ports/storage/storage.js';
import type { Connection } from '../connection/connections.js';
import { isConnectionLoss } from '../connection/faults.js';
import { inOrder, isAfter, keysOfChange, WEBHOOKS_KEY } from './commits/commit-keys.js';
import { LOCK_EXPECTED, NOTIFY, OTHERS_EXPECTED, RECORD, textOfCommit } from './commits/commit-log.js';
import type { SeenCommits } from './seen-commits.js';
import type { InProgress } from './in-progress.js';
import { commitsSince, lockKeys, type Since } from './locks.js';
import type { Roots } from '../roots.js';
import { Writer } from './writer.js';

/** What was written; `null` if it is not known record by record. */
export type Written = Changeset | null;

/** The parts of a transaction. */
interface TransactionParts {
  readonly connection: Connection;
  /** The statements that begin a transaction. */
  readonly begin: string;
  readonly coordinatorId: string;
  readonly coordinatorGoneMs: number;
  readonly seen: SeenCommits;
  readonly roots: Roots;
  /** The keys that transactions in progress have locked, or are about to. */
  readonly inProgress: InProgress;
  /** Those of them that may not be locked yet. */
  readonly expected: InProgress;
  /** See `Writer`. */
  readonly isChecked: boolean;
}

/** Thrown if commits of others are not known. The transaction is made again after the listeners have looked. */
export class MissedCommitsError extends Error {
  override readonly name = 'MissedCommitsError';
}

/** Keys to lock: of new trees, held by a statement of the same transaction, or any. */
type LockedKeys = 'new' | 'held' | 'any';

/**
 * Beside other coordinators, a key is expected to be as it was only if this one has made its last commits: it probably makes
 * the next one too.
 */
const OWN_COMMITS_MIN = 3;

export class Transaction {
  readonly writer: Writer;
  /** Resolved once the keys are locked, or at once if they are expected to be. @throws MissedCommitsError */
  readonly begun: Promise<void>;
  readonly #parts: TransactionParts;
  /** The number of this commit, by key. */
  readonly #numbers = new Map<string, number>();
  #last = '';
  /** Resolves once the keys that are being locked are, or cannot be; `null` if none are. */
  #locking: Promise<unknown> | null = null;
  #others = 0;
  /** What the statements that begin it have to check; `null` once they are sent. */
  #expected: Expected | null;
  /** These statements. */
  #checks: readonly Promise<unknown>[] = [];

  private constructor(parts: TransactionParts, ordered: readonly string[], expected: Expected | null) {
    this.#parts = parts;
    this.#expected = expected;
    this.writer = new Writer(() => this.start(), parts.isChecked);
    if (expected !== null) this.#expect(expected);
    this.begun = expected === null ? this.#lockFirst(ordered) : Promise.resolve();
  }

  /** Begins with the locks of keys. */
  static locking(parts: TransactionParts, keys: Iterable<string>): Transaction {
    return new Transaction(parts, inOrder(keys), null);
  }

  /**
   * Expects that what is cached is current. Nothing is sent before the first other statement, so that a decision on cached
   * records costs one round trip. If they were out of date, the transaction fails as overtaken, with nothing written.
   *
   * @param others - How many other coordinators there are.
   * @returns `undefined` if it is not known what to expect.
   */
  static expecting(parts: TransactionParts, keys: Iterable<string>, others: number): Transaction | undefined {
    const { seen } = parts;
    const ordered = inOrder(keys);
    // The decision of a transaction in progress may be rolled back.
    const isFree = (key: string) => !parts.inProgress.has(key);
    const ownMin = others === 0 ? 0 : OWN_COMMITS_MIN;
    const numbers = new Map<string, number>();
    for (const key of ordered) {
      const next = isFree(key) ? seen.next(key, ownMin) : undefined;
      if (next === undefined) return undefined;
      numbers.set(key, next);
    }
    const watched =
      numbers.get(WEBHOOKS_KEY) ?? (isFree(WEBHOOKS_KEY) ? seen.next(WEBHOOKS_KEY, 0) : undefined);
    if (watched === undefined || ordered.length === 0) return undefined;
    return new Transaction(parts, ordered, {
      numbers,
      watched: numbers.has(WEBHOOKS_KEY) ? watched : watched - 1,
      others,
    });
  }

  async #lockFirst(ordered: readonly string[]): Promise<void> {
    const { connection, begin, inProgress } = this.#parts;
    for (const key of ordered) inProgress.add(this, key);
    const [, locked, since] = await Promise.all([
      connection.query(begin),
      lockKeys(connection, ordered, true),
      commitsSince(connection, this.#parts, ordered),
    ]);
    if (!ordered.includes(WEBHOOKS_KEY)) this.writer.watched = since.watched;
    this.#hear(locked, since);
  }

  #expect({ numbers, watched, others }: Expected): void {
    this.#others = others;
    for (const [key, commits] of numbers) {
      for (const one of [this.#parts.inProgress, this.#parts.expected]) one.add(this, key);
      this.#holds(key, commits);
    }
    if (!numbers.has(WEBHOOKS_KEY)) this.writer.watched = watched;
  }

  /** Sends the statements that begin the transaction, if they are not sent yet. @returns The connection, for those that follow. */
  start(): Connection {
    const { connection, begin, coordinatorId, coordinatorGoneMs } = this.#parts;
    const expected = this.#expected;
    if (expected === null) return connection;
    this.#expected = null;
    const { numbers, watched, others } = expected;
    const { server } = this.#parts.seen;
    const values = [watched, others > 0, coordinatorId, WEBHOOKS_KEY, coordinatorGoneMs, server];
    this.#checks = [
      connection.query(begin),
      connection.query({ ...LOCK_EXPECTED, values: [[...numbers.keys()], [...numbers.values()]] }),
      connection.query<{ others: number }>({ ...OTHERS_EXPECTED, values }).then(({ rows }) => {
        this.#others = rows[0]?.others ?? others;
      }),
    ];
    for (const check of this.#checks) check.catch(() => undefined);
    return connection;
  }

  /** Why it could not begin; `null` if it could. Whatever is sent after that fails too. */
  async failure(): Promise<unknown> {
    const results = await Promise.allSettled(this.#checks);
    return results.find((result) => result.status === 'rejected')?.reason ?? null;
  }

  /** How many other coordinators work on the database. */
  get others(): number {
    return this.#others;
  }

  #holds(key: string, commits: number): void {
    this.#parts.seen.locked(key, commits);
    this.#numbers.set(key, commits);
    if (isAfter(key, this.#last)) this.#last = key;
  }

  #hear(locked: ReadonlyMap<string, number>, { server, others, missed, watched, isGone }: Since): void {
    const { seen } = this.#parts;
    this.#others = Math.max(this.#others, others);
    seen.meets(server);
    if (seen.hasSwitched) throw new MissedCommitsError('Another server has the database');
    if (isGone) seen.miss();
    seen.note(missed);
    for (const [key, commits] of locked) this.#holds(key, commits);
    if (!this.#numbers.has(WEBHOOKS_KEY)) seen.notLocked(WEBHOOKS_KEY, watched);
    if (seen.isMissing) throw new MissedCommitsError('Commits of another coordinator are not known');
  }

  /**
   * Locks what load requests need.
   *
   * @returns The keys that come before those that it has: the request has to be made again with all of them. Empty: all
   *   are locked.
   * @throws MissedCommitsError
   */
  async lock(loads: readonly LoadRequest[]): Promise<readonly string[]> {
    return this.#lockKeys(await this.#parts.roots.keysOf(loads, () => this.start()));
  }

  /** Locks keys that a statement of this transaction has locked without waiting. As `lock`. */
  hold(keys: readonly string[]): Promise<readonly string[]> {
    return this.#lockKeys(keys, 'held');
  }

  /** Locks what changes need and was not loaded. Nobody else holds the locks of new trees. As `lock`. */
  lockChanges(changes: Changeset): Promise<readonly string[]> {
    const needed: string[] = [];
    const made = new Set<string>();
    for (const change of changes) {
      const keys = keysOfChange(change);
      const [first] = keys;
      if (first !== undefined && keys.every((key) => !this.#numbers.has(key))) needed.push(first);
      if ('put' in change && change.put === 'tree' && change.record.revision === 1)
        made.add(change.record.rootSessionId);
    }
    return this.#lockKeys(needed, needed.every((key) => made.has(key)) ? 'new' : 'any');
  }

  /** One call after the other: what is being locked is neither locked twice, nor overtaken by a key that comes before it. */
  async #lockKeys(keys: readonly string[], are: LockedKeys = 'any'): Promise<readonly string[]> {
    while (this.#locking !== null) await this.#locking;
    const needed = inOrder(keys).filter((key) => !this.#numbers.has(key));
    if (needed.length === 0 || !this.#canLock(needed, are)) return needed;
    const locked = this.#lockMore(needed);
    const ended = () => (this.#locking = null);
    this.#locking = locked.then(ended, ended);
    await locked;
    return [];
  }

  /** @param needed - Some keys, in order. */
  #canLock(needed: readonly string[], are: LockedKeys): boolean {
    const [first = ''] = needed;
    const { hasNumber } = this.writer;
    const isLate = { any: hasNumber || !isAfter(first, this.#last), held: hasNumber, new: false }[are];
    // Another transaction that only expects to lock a key may have cached changes that it will discard.
    const isUncertain = needed.some((key) => this.#parts.expected.has(key));
    // The writer checks that nobody changed the webhooks, unless their key is held from the beginning on.
    return !needed.includes(WEBHOOKS_KEY) && !isUncertain && !isLate;
  }

  async #lockMore(keys: readonly string[]): Promise<void> {
    for (const key of keys) this.#parts.inProgress.add(this, key);
    const connection = this.start();
    const [locked, since] = await Promise.all([
      lockKeys(connection, keys, false),
      commitsSince(connection, this.#parts, keys),
    ]);
    this.#hear(locked, since);
  }

  /** Sends the last statements and the commit in one round trip. If a statement fails, the commit rolls back. */
  async commit(written: Written): Promise<void> {
    const { writer } = this;
    const connection = this.start();
    if (this.#parts.isChecked) await writer.flush();
    const sent: Promise<unknown>[] = [...this.#checks, ...writer.send()];
    if (this.others > 0) sent.push(...writer.takeNumber(), this.#record(written));
    const committed = connection.query('commit');
    sent.push(committed);
    // A hint: without it, the others find the commit when they look.
    if (this.others > 0)
      connection.query({ ...NOTIFY, values: [this.#parts.coordinatorId] }).catch(() => undefined);
    for (const result of await Promise.allSettled(sent)) {
      if (result.status === 'fulfilled') continue;
      if (!isConnectionLoss(result.reason)) throw result.reason;
      throw new CommitUnknownError('The connection was lost during the commit', { cause: result.reason });
    }
    // A transaction that failed before answers a commit with a rollback.
    if ((await committed).command !== 'COMMIT') throw new Error('The transaction was rolled back');
  }

  /** Nothing is written, and what was read stays current. */
  async rollback(): Promise<void> {
    for (const [key, commits] of this.#numbers) this.#parts.seen.unlocked(key, commits);
    await this.start().query('rollback');
    await Promise.all(this.#checks);
  }

  /** The keys that are locked, or are to be. */
  get keys(): Iterable<string> {
    return this.#numbers.keys();
  }

  #record(written: Written): Promise<unknown> {
    const { coordinatorId: by } = this.#parts;
    const byKey = new Map<string, Change[]>([...this.#numbers.keys()].map((key) => [key, []]));
    for (const change of written ?? []) byKey.get(this.#keyOf(change) ?? '')?.push(change);
    const texts = [...byKey.values()].map((changes) =>
      written === null ? null : textOfCommit({ by, changes }),
    );
    const values = [by, [...byKey.keys()], [...this.#numbers.values()], texts];
    return this.start().query({ ...RECORD, values });
  }

  #keyOf(change: Change): string | undefined {
    if ('remove' in change && change.remove === 'state')
      return this.#parts.roots.known({ load: 'state', stateId: change.id })[0];
    return keysOfChange(change).find((key) => this.#numbers.has(key)) ?? [...this.#numbers.keys()][0];
  }
}

/** The assumptions of a transaction that has not locked its keys yet. */
interface Expected {
  /** The number of this commit, by key. */
  readonly numbers: ReadonlyMap<string, number>;
  /** The number of commits of the webhooks. */
  readonly watched: number;
  readonly others: number;
}
