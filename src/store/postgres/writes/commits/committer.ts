// Makes decisions and commits them: one transaction per group of requests. If a write of the group fails, one per
// request. Several groups run at the same time.
import { setTimeout as pause } from 'node:timers/promises';
import type { ReportedEvidence } from '../../../../domain/evidence/tampered.js';
import type { StoreLimits } from '../../../limits.js';
import type { PostgresLimits } from '../../limits.js';
import { isRepair, type Request } from '../../../request.js';
import type { OnDamage } from '../../../rows/intact-rows.js';
import type { Connection, Connections } from '../../connection/connections.js';
import { busy, codeOf, isConnectionLoss, isForAll, isOvertaken } from '../../connection/faults.js';
import { CommitUnknownError } from '../../../../ports/storage/storage.js';
import { Caches, type Known } from '../loading/caches.js';
import { RemoteCommits } from './remote-commits.js';
import { PRUNE_KEY, type Asked, type CommitResult } from './commit-keys.js';
import { checked, type Committed } from './commit-log.js';
import { contradictionOf } from '../contradictions.js';
import { Decisions, type Decided, type LookedUp } from '../decisions.js';
import { SeenCommits } from '../seen-commits.js';
import { InProgress } from '../in-progress.js';
import type { Roots } from '../../roots.js';
import { Scopes } from '../scopes.js';
import { MissedCommitsError, Transaction, type Written } from '../transaction.js';
import { StaleRecordError } from '../writer.js';

interface CommitterParts {
  readonly connections: Connections;
  readonly limits: StoreLimits & PostgresLimits;
  readonly coordinatorId: string;
  readonly roots: Roots;
  readonly onDamage: OnDamage;
  readonly evidence: ReportedEvidence;
  /** Called with the changes of another coordinator: those of a tree before the next decision about it. */
  readonly onForeign: (committed: Committed) => void;
  /** Called if commits of another coordinator are not known. The next decision waits for it. */
  readonly onMissed: () => Promise<void>;
}

/** What a transaction begins with. */
interface Begun {
  /** The keys to lock. */
  readonly keys: readonly string[];
  /** See `Writer`. */
  readonly isChecked: boolean;
  /** Whose names and idempotency records are looked up. */
  readonly requests?: readonly Request[];
}

/**
 * How often a request is made again whose records others have changed, or may have. After a standstill, a runner sends many
 * at once.
 */
const OVERTAKEN_MAX = 20;
/** The longest pause before the second try, in milliseconds; before the third one twice that, and so on. */
const OVERTAKEN_PAUSE_MS = 4;

export class Committer {
  readonly #parts: CommitterParts;
  readonly #scopes: Scopes;
  readonly #caches: Caches;
  /** The keys that transactions in progress have locked, or are about to. */
  readonly #inProgress = new InProgress();
  /** Those of them that may not be locked yet. */
  readonly #expected = new InProgress();
  readonly #seen: SeenCommits;
  readonly #decisions: Decisions;
  /** What other coordinators commit. */
  readonly remote: RemoteCommits;
  /** How many other coordinators worked on the database at the last transaction, or were seen since. */
  #others = 0;

  constructor(parts: CommitterParts) {
    const { limits } = parts;
    this.#parts = parts;
    this.#scopes = new Scopes(limits.headsKeptMax);
    this.#caches = new Caches(limits, parts.evidence, this.#scopes);
    this.#decisions = new Decisions({ ...parts, caches: this.#caches });
    this.#seen = new SeenCommits({
      scopes: this.#scopes,
      apply: (changes) => this.#caches.onRemoteCommit(changes),
      onRemote: (committed) => {
        parts.roots.note(committed.changes);
        parts.onForeign(checked(committed, parts.evidence));
      },
    });
    this.remote = new RemoteCommits({ ...parts, scopes: this.#scopes, seen: this.#seen });
  }

  /** The keys that a request locks, as far as they are known without a look at the database. */
  keysOf({ request, keys }: Asked): ReadonlySet<string> {
    return new Set([...keys, ...request.loads.flatMap((load) => this.#parts.roots.known(load))]);
  }

  /** True if another coordinator worked on the database at the last transaction, or was seen since. */
  get isShared(): boolean {
    return this.#others > 0;
  }

  /** So many other coordinators have been seen beside the transactions. */
  meets(others: number): void {
    this.#others = Math.max(this.#others, others);
  }

  /** The estimated memory of cached sessions. */
  get cacheBytes(): number {
    return this.#caches.aggregates.bytes;
  }

  /** What is cached. Another coordinator may have written meanwhile. */
  get known(): Known {
    return this.#caches;
  }

  /**
   * Runs a group as one commit. If a write of the group fails, everything is rolled back and each request gets its own
   * transaction, so that only the failing one fails.
   *
   * @returns A result per request, in order.
   */
  async run(group: readonly Asked[]): Promise<readonly CommitResult[]> {
    try {
      return await this.#commit(group, false);
    } catch (error) {
      if (isForAll(error)) return group.map(() => ({ ok: false, error }));
      const results: CommitResult[] = [];
      for (const asked of group) results.push(await this.#alone(asked));
      return results;
    }
  }

  async #alone(asked: Asked): Promise<CommitResult> {
    for (let tries = 1; ; tries += 1) {
      try {
        const [result] = await this.#commit([asked], true);
        if (result !== undefined) return result;
      } catch (error) {
        const isAgain = error instanceof StaleRecordError || isOvertaken(error);
        if (!isAgain || tries >= OVERTAKEN_MAX) return { ok: false, error: contradictionOf(error) ?? error };
        await pause(Math.random() * OVERTAKEN_PAUSE_MS * tries);
      }
    }
  }

  /** Runs statements in a transaction while nobody else does, and no commit of the states is in progress. */
  async exclusively<T>(
    stateIds: readonly string[],
    work: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    const loads = stateIds.map((stateId) => ({ load: 'state', stateId }) as const);
    return this.#parts.connections.use(async (connection) => {
      const keys = [PRUNE_KEY, ...(await this.#parts.roots.keysOf(loads, () => connection))];
      return this.#inTransaction(connection, { keys, isChecked: true }, async (transaction) => {
        const result = await work(connection);
        await transaction.commit([]);
        return result;
      });
    });
  }

  async #commit(group: readonly Asked[], isChecked: boolean): Promise<readonly CommitResult[]> {
    const keys = group.flatMap((asked) => [...this.keysOf(asked)]);
    const requests = group.map(({ request }) => request);
    return this.#parts.connections.use((connection) =>
      this.#inTransaction(connection, { keys, isChecked, requests }, async (transaction, lookedUp) => {
        const results: CommitResult[] = [];
        for (const request of requests) results.push(await this.#carryOut(transaction, request, lookedUp));
        const changes = results.flatMap((result) => (result.ok ? result.changes : []));
        if (requests.some((request) => isRepair(request))) await this.#end(transaction, null);
        else if (changes.length > 0) await this.#end(transaction, changes);
        else await transaction.rollback();
        return results;
      }),
    );
  }

  async #end(transaction: Transaction, written: Written): Promise<void> {
    await transaction.commit(written);
    if (written === null) {
      this.#parts.roots.clear();
      for (const key of transaction.keys) this.#scopes.drop(key);
    } else this.#parts.roots.note(written);
  }

  async #inTransaction<T>(
    connection: Connection,
    { keys, isChecked, requests = [] }: Begun,
    work: (transaction: Transaction, lookedUp: LookedUp) => Promise<T>,
  ): Promise<T> {
    const { coordinatorId, limits, connections, roots } = this.#parts;
    const { coordinatorGoneMs } = limits;
    const { begin } = connections;
    const [seen, inProgress, expected] = [this.#seen, this.#inProgress, this.#expected];
    const coordinator = { begin, coordinatorId, coordinatorGoneMs, seen, roots, inProgress, expected };
    const parts = { ...coordinator, connection, isChecked };
    let expects = !isChecked;
    for (let tries = 1; ; tries += 1) {
      const expecting = expects ? Transaction.expecting(parts, keys, this.#others) : undefined;
      const transaction = expecting ?? Transaction.locking(parts, keys);
      // Sent with the statements that begin it, whose errors come first.
      const lookedUp = this.#decisions.lookUp(transaction, requests);
      lookedUp.catch(() => undefined);
      try {
        await transaction.begun;
        const result = await work(transaction, await lookedUp);
        this.#others = transaction.others;
        return result;
      } catch (error) {
        for (const key of [...keys, ...transaction.keys]) this.#scopes.drop(key);
        await connection.query('rollback').catch(() => undefined);
        const failure = await transaction.failure();
        if (failure !== null && isOvertaken(failure)) expects = false;
        else if (error instanceof MissedCommitsError) {
          if (tries >= OVERTAKEN_MAX) throw busy();
          await this.remote.lookAgain();
        } else throw error instanceof CommitUnknownError ? error : (failure ?? error);
      } finally {
        for (const one of [this.#caches, this.#inProgress, this.#expected]) one.ended(transaction);
      }
    }
  }

  /** A decision that throws has written nothing, and the transaction continues. A write that throws aborts it. */
  async #carryOut(transaction: Transaction, request: Request, lookedUp: LookedUp): Promise<CommitResult> {
    const { writer } = transaction;
    // A repair writes before the decision is made.
    const isRepairing = isRepair(request);
    if (isRepairing) {
      await writer.flush();
      await transaction.start().query('savepoint repair');
    }
    let decided: Decided;
    let needs: readonly string[];
    try {
      const onRepaired = () => this.#uncache(transaction);
      decided = await this.#decisions.decide(transaction, request, lookedUp, onRepaired);
      needs = 'needs' in decided ? decided.needs : await transaction.lockChanges(decided.decision.changes);
    } catch (error) {
      if (error instanceof MissedCommitsError) throw error;
      if (writer.failed || codeOf(error) !== '' || isConnectionLoss(error)) throw error;
      if (isRepairing) await this.#undoRepair(transaction);
      return { ok: false, error };
    }
    if ('needs' in decided || needs.length > 0) {
      if (isRepairing) await this.#undoRepair(transaction);
      return { ok: false, needs };
    }
    const { changes, again } = decided.decision;
    if (isRepairing && again === true) await this.#undoRepair(transaction);
    await writer.write(changes);
    this.#parts.roots.noteIds(changes);
    this.#caches.written(changes, decided.loaded, transaction);
    return { ok: true, changes };
  }

  /** Nothing that was loaded since may stay cached. */
  async #undoRepair(transaction: Transaction): Promise<void> {
    await transaction.start().query('rollback to savepoint repair');
    this.#uncache(transaction);
  }

  #uncache(transaction: Transaction): void {
    for (const key of transaction.keys) {
      const commits = this.#scopes.get(key)?.commits;
      this.#scopes.drop(key);
      if (commits !== undefined) this.#scopes.reach(key, commits, 'this');
    }
  }
}
