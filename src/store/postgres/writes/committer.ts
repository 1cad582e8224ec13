// Makes decisions and commits them: one transaction per group of requests. If a write of the group fails, one per
// request.
import type { ReportedEvidence } from '../../../domain/evidence/tampered.js';
import type { Changeset } from '../../../domain/transactions/changeset.js';
import type { Decision } from '../../../domain/transactions/loaded-records.js';
import { CommitUnknownError } from '../../../ports/storage.js';
import type { StoreLimits } from '../../limits.js';
import type { PostgresLimits } from '../limits.js';
import { mends, type Request, type Result } from '../../request.js';
import type { OnDamage } from '../../sound.js';
import type { Connection, Connections } from '../connections.js';
import { connect } from '../db.js';
import { codeOf, isConnectionLoss, isOfAll } from '../faults.js';
import { AggregateCache } from './aggregate-cache.js';
import { ADVANCE, CATCH_UP, LOCK, NOTIFY, RECORD, SINCE, textOfCommit } from './commit-log.js';
import type { Committed } from './commit-log.js';
import { HeadCache } from './head-cache.js';
import { Loader } from './loader.js';
import { prepareLoading, type Loading } from './loading.js';
import { Mender } from './mender.js';
import { warmUp } from './warm-up.js';
import { Writer } from './writer.js';

/** An open transaction. */
interface Transaction {
  readonly connection: Connection;
  readonly commits: number;
  readonly positions: { events: number; notices: number };
  readonly writer: Writer;
}

type Decided = Exclude<Decision<unknown>, { more: unknown }>;

/** What was written; `null` if it is not known record by record. */
type Written = Changeset | null;

/** What was committed since a commit, oldest first; `null` if it is not known record by record. */
interface Missed {
  readonly missed: readonly (Committed | null)[];
}

/** The parts of a committer. */
export interface CommitterParts {
  readonly connections: Connections;
  readonly limits: StoreLimits & PostgresLimits;
  readonly coordinatorId: string;
  readonly onDamage: OnDamage;
  readonly evidence: ReportedEvidence;
  /** Called with the changes of another coordinator, in commit order, before the next decision. */
  readonly onForeign: (committed: Committed) => void;
  /** Called if commits of another coordinator are not known. The next decision waits for it. */
  readonly onMissed: () => Promise<void>;
}

/**
 * Runs groups of requests on the connections of a pool. Call one method at a time: what is cached is current as of the
 * last one.
 */
export class Committer {
  readonly #connections: Connections;
  readonly #parts: CommitterParts;
  readonly #roundsMax: number;
  readonly #aggregates: AggregateCache;
  readonly #heads: HeadCache;
  readonly #loadings = new WeakMap<Connection, Loading>();
  /** The last commit that the caches and the listeners have seen; `null` before the first look at the database. */
  #seen: number | null = null;
  /** True while listeners have not looked again after commits that are not known. */
  #isMissing = false;
  /** True if another coordinator worked on the database at the last transaction. Only the committer sets it. */
  isShared = false;

  constructor(parts: CommitterParts) {
    const { limits } = parts;
    this.#connections = parts.connections;
    this.#parts = parts;
    this.#roundsMax = limits.decisionRoundsMax;
    this.#aggregates = new AggregateCache(limits.desksKeptBytesMax);
    this.#heads = new HeadCache(limits.headsKeptMax, parts.evidence);
  }

  /**
   * Runs a group as one commit. If a write of the group fails, everything is rolled back and each request gets its own
   * transaction, so that only the failing one fails.
   *
   * @returns A result per request, in order.
   */
  async run(group: readonly Request[]): Promise<readonly Result[]> {
    try {
      return await this.#commit(group);
    } catch (error) {
      if (group.length === 1 || error instanceof CommitUnknownError || isOfAll(error))
        return group.map(() => ({ ok: false, error }));
      const results: Result[] = [];
      for (const request of group) results.push(...(await this.run([request])));
      return results;
    }
  }

  /** Runs statements in a transaction that follows all commits before, and precedes all after. */
  async exclusively<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#connections.use((connection) =>
      this.#inTransaction(connection, async (transaction) => {
        const result = await work(connection);
        await this.#end(transaction, []);
        return result;
      }),
    );
  }

  /** True if a commit was made that this coordinator has not heard of. */
  isBehind(commits: number): boolean {
    return this.#seen === null || commits > this.#seen;
  }

  /** Hears of what other coordinators have committed. */
  async catchUp(): Promise<void> {
    await this.#connections.use(async (connection) => {
      const values = [this.#since()];
      const { rows } = await connection.query<Missed & { commits: string }>({ ...CATCH_UP, values });
      for (const { commits, missed } of rows) this.#hear(Number(commits), missed);
    });
    await this.#lookAgain();
  }

  async #lookAgain(): Promise<void> {
    if (!this.#isMissing) return;
    await this.#parts.onMissed();
    this.#isMissing = false;
  }

  #since(): number {
    return this.#seen ?? Number.MAX_SAFE_INTEGER;
  }

  #hear(commits: number, missed: Missed['missed']): void {
    const seen = this.#seen ?? commits;
    this.#seen = commits;
    if (commits === seen) return;
    const known = missed.flatMap((one) => (one === null ? [] : [one]));
    if (known.length !== commits - seen) {
      this.#isMissing = true;
      this.#forget();
      return;
    }
    for (const one of known) {
      this.#aggregates.written(one.changes);
      this.#heads.written(one.changes);
      this.#parts.onForeign(one);
    }
  }

  /** A coordinator that is alone has cached what it needs. Beside others, the lock is too dear to wait for reads. */
  async #warmUp(group: readonly Request[]): Promise<void> {
    if (!this.isShared) return;
    const caches = { aggregates: this.#aggregates, heads: this.#heads };
    await this.#connections.atOneMoment((connection) =>
      warmUp(group, connection, this.#loadingOf(connection), caches),
    );
  }

  async #commit(group: readonly Request[]): Promise<readonly Result[]> {
    await this.#warmUp(group);
    return this.#connections.use((connection) =>
      this.#inTransaction(connection, async (transaction) => {
        const results: Result[] = [];
        for (const request of group) results.push(await this.#carryOut(transaction, request));
        const changes = results.flatMap((result) => (result.ok ? result.changes : []));
        if (group.some(mends)) await this.#end(transaction, null);
        else if (changes.length > 0) await this.#end(transaction, changes);
        else await connection.query('rollback');
        return results;
      }),
    );
  }

  async #inTransaction<T>(
    connection: Connection,
    work: (transaction: Transaction) => Promise<T>,
  ): Promise<T> {
    try {
      let transaction = await this.#begin(connection);
      while (transaction === null) {
        await connection.query('rollback');
        await this.#lookAgain();
        transaction = await this.#begin(connection);
      }
      return await work(transaction);
    } catch (error) {
      this.#forget();
      await connection.query('rollback').catch(() => undefined);
      throw error;
    }
  }

  /** Takes the lock, and hears of the commits before. @returns `null` if not all of them are known. */
  async #begin(connection: Connection): Promise<Transaction | null> {
    const { coordinatorId, limits } = this.#parts;
    const values = [this.#since(), coordinatorId, limits.coordinatorGoneMs];
    const [, { rows }, since] = await Promise.all([
      connection.query('begin'),
      connection.query<Record<'commits' | 'events' | 'notices', string>>(LOCK),
      connection.query<Missed & { others: number }>({ ...SINCE, values }),
    ]);
    const [row] = rows;
    if (row === undefined) throw new Error('The row of commit_positions is missing');
    const { others = 0, missed = [] } = since.rows[0] ?? {};
    const commits = Number(row.commits);
    this.isShared = others > 0;
    this.#hear(commits, missed);
    if (this.#isMissing) return null;
    const positions = { events: Number(row.events), notices: Number(row.notices) };
    const writer = new Writer(connection, positions);
    return { connection, commits, positions, writer };
  }

  async #end(transaction: Transaction, written: Written): Promise<void> {
    const { connection, commits, positions, writer } = transaction;
    await writer.flush();
    const number = commits + 1;
    const sent = [connection.query({ ...ADVANCE, values: [number, positions.events, positions.notices] })];
    if (this.isShared) {
      const by = this.#parts.coordinatorId;
      const text = written === null ? null : textOfCommit({ by, changes: written });
      sent.push(connection.query({ ...RECORD, values: [number, text] }));
      sent.push(connection.query({ ...NOTIFY, values: [`${String(number)} ${by}`] }));
    }
    // In the same round trip. If a statement before it fails, it rolls back.
    sent.push(connection.query('commit'));
    for (const result of await Promise.allSettled(sent)) {
      if (result.status === 'fulfilled') continue;
      if (!isConnectionLoss(result.reason)) throw result.reason;
      throw new CommitUnknownError('The connection was lost during the commit', { cause: result.reason });
    }
    this.#seen = number;
  }

  #forget(): void {
    this.#aggregates.clear();
    this.#heads.clear();
  }

  /** A decision that throws has written nothing, and the transaction continues. A write that throws aborts it. */
  async #carryOut(transaction: Transaction, request: Request): Promise<Result> {
    const { connection, writer } = transaction;
    // Mending writes before the decision is made.
    const mending = mends(request);
    if (mending) {
      await writer.flush();
      await connection.query('savepoint mending');
    }
    let decided: Decided;
    try {
      decided = await this.#decide(transaction, request);
    } catch (error) {
      if (writer.failed || codeOf(error) !== '' || isConnectionLoss(error)) throw error;
      if (mending) await this.#undoMending(connection);
      return { ok: false, error };
    }
    if (mending && decided.again === true) await this.#undoMending(connection);
    await writer.write(decided.changes);
    this.#aggregates.written(decided.changes);
    this.#heads.written(decided.changes);
    return { ok: true, changes: decided.changes };
  }

  /** Nothing that was loaded since may stay cached. */
  async #undoMending(connection: Connection): Promise<void> {
    await connection.query('rollback to savepoint mending');
    this.#forget();
  }

  async #decide({ connection, writer }: Transaction, { loads, decide }: Request): Promise<Decided> {
    const prepared = this.#loadingOf(connection);
    const loader = new Loader({
      loading: async () => {
        await writer.flush();
        return prepared;
      },
      aggregates: this.#aggregates,
      heads: this.#heads,
      mender: new Mender(connect(connection)),
      onDamage: this.#parts.onDamage,
    });
    await loader.load(loads);
    for (let round = 0; round < this.#roundsMax; round++) {
      const decision = decide(loader);
      if (!('more' in decision)) return decision;
      await loader.load(decision.more);
    }
    throw new Error(`A decision asked for more records ${String(this.#roundsMax)} times`);
  }

  #loadingOf(connection: Connection): Loading {
    const known = this.#loadings.get(connection);
    const loading = known ?? prepareLoading(connect(connection));
    if (known === undefined) this.#loadings.set(connection, loading);
    return loading;
  }
}
