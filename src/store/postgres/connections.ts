// The pool of connections, and the transactions on it. Knows no table.
import pg from 'pg';
import { fault, isConnectionLoss } from './faults.js';
import type { PostgresLimits } from './limits.js';

/** A connection that was taken from the pool. */
export type Connection = pg.PoolClient;

const READ_ONLY = 'begin isolation level repeatable read, read only';

/** Connections to one PostgreSQL database. */
export class Connections {
  readonly #pool: pg.Pool;
  readonly #url: string;
  #closed: Promise<void> | null = null;

  /** @param onError - Called with a `StorageError` if an idle connection is lost. The pool replaces it. */
  constructor(url: string, limits: PostgresLimits, onError: (error: unknown) => void) {
    this.#url = url;
    this.#pool = new pg.Pool({
      connectionString: url,
      application_name: 'countersign',
      max: limits.connectionsMax,
      connectionTimeoutMillis: limits.connectMs,
      idleTimeoutMillis: limits.idleMs,
      query_timeout: limits.answerMs,
      statement_timeout: limits.statementMs,
      lock_timeout: limits.lockMs,
      idle_in_transaction_session_timeout: limits.idleInTransactionMs,
      keepAlive: true,
      // Statements follow one another without waiting for the answers of those before.
      pipeline: true,
    });
    this.#pool.on('error', (error) => {
      // The pool adds the connection, with all its settings and statements: nothing for a log.
      Reflect.deleteProperty(error, 'client');
      onError(fault(error));
    });
  }

  /** How many connections are idle and busy, and how many requests wait for one. */
  get counts(): Readonly<Record<'idle' | 'busy' | 'waiting', number>> {
    const { idleCount, totalCount, waitingCount } = this.#pool;
    return { idle: idleCount, busy: totalCount - idleCount, waiting: waitingCount };
  }

  /** Runs statements on one connection, each as a transaction of its own. @throws StorageError */
  async use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    let connection: Connection;
    try {
      connection = await this.#pool.connect();
    } catch (error) {
      throw fault(error);
    }
    // A connection that is lost while it is taken also emits an event, which would end the process.
    const ignore = () => undefined;
    connection.on('error', ignore);
    let lost = false;
    try {
      return await work(connection);
    } catch (error) {
      lost = isConnectionLoss(error);
      throw fault(error);
    } finally {
      connection.off('error', ignore);
      connection.release(lost);
    }
  }

  /** True if a new connection can be made in this time. */
  async canConnect(withinMs: number): Promise<boolean> {
    const client = new pg.Client({ connectionString: this.#url, connectionTimeoutMillis: withinMs });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return true;
    } catch {
      return false;
    } finally {
      void client.end().catch(() => undefined);
    }
  }

  /** Runs reads that all see the same point in time. @throws StorageError */
  atOneMoment<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.use(async (connection) => {
      try {
        // The first read is on its way before the answer to `begin` arrives.
        const [, result] = await Promise.all([connection.query(READ_ONLY), work(connection)]);
        return result;
      } finally {
        await connection.query('rollback').catch(() => undefined);
      }
    });
  }

  close(): Promise<void> {
    this.#closed ??= this.#pool.end();
    return this.#closed;
  }
}
