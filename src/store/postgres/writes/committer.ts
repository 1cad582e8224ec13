// Makes decisions and commits them: one transaction per group of requests. If a write of the group fails, one per
// request.
import type { Decision } from '../../../domain/transactions/loaded-records.js';
import { CommitUnknownError } from '../../../ports/store.js';
import type { StoreLimits } from '../../limits.js';
import { mends, type Request, type Result } from '../../request.js';
import type { OnDamage } from '../../sound.js';
import type { Connection, Connections } from '../connections.js';
import { connect } from '../db.js';
import { codeOf, isConnectionLoss } from '../faults.js';
import { AggregateCache } from './aggregate-cache.js';
import { HeadCache } from './head-cache.js';
import { Loader } from './loader.js';
import { prepareLoading, type Loading } from './loading.js';
import { Mender } from './mender.js';
import { Writer } from './writer.js';

/** The positions of the last commit, under a lock that the transaction keeps. */
const LOCK = {
  name: 'lock_commit_positions',
  text: 'select commits, events, notices from commit_positions where id = 1 for update',
};

const ADVANCE = {
  name: 'advance_commit_positions',
  text: 'update commit_positions set commits = $1, events = $2, notices = $3 where id = 1',
};

/** An open transaction. */
interface Transaction {
  readonly connection: Connection;
  readonly commits: number;
  readonly positions: { events: number; notices: number };
  readonly writer: Writer;
}

type Decided = Exclude<Decision<unknown>, { more: unknown }>;

/** Runs groups of requests on the connections of a pool, one group at a time. */
export class Committer {
  readonly #connections: Connections;
  readonly #onDamage: OnDamage;
  readonly #roundsMax: number;
  readonly #aggregates: AggregateCache;
  readonly #heads: HeadCache;
  readonly #loadings = new WeakMap<Connection, Loading>();
  /** The number of commits that the caches have seen. */
  #seen = -1;

  constructor(connections: Connections, limits: StoreLimits, onDamage: OnDamage) {
    this.#connections = connections;
    this.#onDamage = onDamage;
    this.#roundsMax = limits.decisionRoundsMax;
    this.#aggregates = new AggregateCache(limits.desksKeptBytesMax);
    this.#heads = new HeadCache(limits.headsKeptMax);
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
      if (group.length === 1 || error instanceof CommitUnknownError || isConnectionLoss(error))
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
        await this.#end(transaction, true);
        return result;
      }),
    );
  }

  #commit(group: readonly Request[]): Promise<readonly Result[]> {
    return this.#connections.use((connection) =>
      this.#inTransaction(connection, async (transaction) => {
        const results: Result[] = [];
        for (const request of group) results.push(await this.#carryOut(transaction, request));
        const wrote = group.some(mends) || results.some((result) => result.ok && result.changes.length > 0);
        await this.#end(transaction, wrote);
        return results;
      }),
    );
  }

  async #inTransaction<T>(
    connection: Connection,
    work: (transaction: Transaction) => Promise<T>,
  ): Promise<T> {
    try {
      const [, { rows }] = await Promise.all([
        connection.query('begin'),
        connection.query<Record<'commits' | 'events' | 'notices', string>>(LOCK),
      ]);
      const [row] = rows;
      if (row === undefined) throw new Error('The row of commit_positions is missing');
      const commits = Number(row.commits);
      if (commits !== this.#seen) this.#forget();
      this.#seen = commits;
      const positions = { events: Number(row.events), notices: Number(row.notices) };
      return await work({ connection, commits, positions, writer: new Writer(connection, positions) });
    } catch (error) {
      this.#forget();
      await connection.query('rollback').catch(() => undefined);
      throw error;
    }
  }

  async #end({ connection, commits, positions, writer }: Transaction, wrote: boolean): Promise<void> {
    if (!wrote) {
      await connection.query('rollback');
      return;
    }
    await writer.flush();
    await connection.query({ ...ADVANCE, values: [commits + 1, positions.events, positions.notices] });
    try {
      await connection.query('commit');
    } catch (cause) {
      if (isConnectionLoss(cause))
        throw new CommitUnknownError('The connection was lost during the commit', { cause });
      throw cause;
    }
    this.#seen = commits + 1;
  }

  /** Discards all cached records. */
  #forget(): void {
    this.#seen = -1;
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
    this.#aggregates.clear();
    this.#heads.clear();
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
      onDamage: this.#onDamage,
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
    let loading = this.#loadings.get(connection);
    if (loading === undefined)
      this.#loadings.set(connection, (loading = prepareLoading(connect(connection))));
    return loading;
  }
}
