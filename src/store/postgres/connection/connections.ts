// The pool of connections to the server that accepts writes, and the transactions on it. Knows no table.
import pg from 'pg';
import { StorageError } from '../../../ports/storage/storage.js';
import type { DatabaseAddresses } from './addresses.js';
import { Client, destroyNow, destroyLater } from './client.js';
import { codeOf, connectionFault, fault, isConnectionLoss } from './faults.js';
import type { PostgresLimits } from '../limits.js';

/** A connection that was taken from the pool. */
export type Connection = pg.PoolClient;

const READ_ONLY = 'begin isolation level repeatable read, read only';

const READ_ONLY_SERVER = '25006';
const NOT_PREPARED = '26000';

/** A connection that may not write. Its session keeps that, also where the database can be written again. */
export class ReadOnlyConnectionError extends Error {
  override readonly name = 'ReadOnlyConnectionError';
  readonly code = READ_ONLY_SERVER;
}

const WRITABLE = "select current_setting('transaction_read_only') = 'off' as is_writable";

/** Whether a connection may write now: false on a standby, and where the database is set to be read only. */
export async function isWritable(connection: pg.ClientBase): Promise<boolean> {
  const { rows } = await connection.query<{ is_writable: boolean }>(WRITABLE);
  return rows[0]?.is_writable === true;
}

/** What a new connection to a server says, such as `isWritable`; `null` if it cannot be reached in this time. */
async function askServer(
  url: string,
  withinMs: number,
  ask: (connection: pg.ClientBase) => Promise<boolean>,
): Promise<boolean | null> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: withinMs,
    query_timeout: withinMs,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await ask(client);
  } catch {
    return null;
  } finally {
    void client.end().catch(() => undefined);
  }
}

/** Each setting of `PostgresLimits` that the server keeps for a session or a transaction. 0 means no bound. */
function settingsOf(
  { statementMs, lockMs, idleInTransactionMs }: PostgresLimits,
  scope: 'local' | 'session',
) {
  const settings = {
    statement_timeout: statementMs,
    lock_timeout: lockMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
  };
  return Object.entries(settings).map(([name, ms]) => `set ${scope} ${name} = ${String(ms)}`);
}

function unreachable(): StorageError {
  return new StorageError('storage_failed', 'The database cannot be reached');
}

/** Connections to one PostgreSQL database. */
export class Connections {
  readonly #pool: pg.Pool;
  readonly #urls: readonly string[];
  readonly #connectMs: number;
  /** The server that accepted writes when it was last looked for. */
  #url: string;
  /** The server of each connection. */
  readonly #servers = new WeakMap<Connection, string>();
  #finding: Promise<boolean> | null = null;
  #closed: Promise<void> | null = null;
  #isAbandoned = false;
  /** The connections that are open, or are being opened or closed. */
  readonly #open = new Set<Client>();
  /** Those who wait for a connection: a pool that is closed forgets them. */
  readonly #waiting = new Set<(error: Error) => void>();

  readonly #listenUrls: readonly string[];
  #listenAt = 0;
  /** The statements that begin a transaction that writes. */
  readonly begin: string;
  readonly #beginReadOnly: string;

  /** @param onError - Called with a `StorageError` if an idle connection is lost. The pool replaces it. */
  constructor(
    { urls, arePoolers, listenUrls }: DatabaseAddresses,
    limits: PostgresLimits,
    onError: (error: unknown) => void,
  ) {
    const [first = ''] = urls;
    this.#urls = urls;
    this.#listenUrls = listenUrls;
    // A pooler in transaction mode passes on no settings of a session. One in session mode does, but refuses a connection
    // that begins with them.
    const begin = (statement: string) =>
      arePoolers ? [statement, ...settingsOf(limits, 'local')].join('; ') : statement;
    this.begin = begin('begin');
    this.#beginReadOnly = begin(READ_ONLY);
    const settings = settingsOf(limits, 'session').join('; ');
    this.#url = first;
    this.#connectMs = limits.connectMs;
    const url = () => this.#url;
    const open = this.#open;
    this.#pool = new pg.Pool({
      Client: class extends Client {
        constructor(config?: string | pg.ClientConfig) {
          super({ ...(typeof config === 'object' ? config : {}), connectionString: url() }, arePoolers);
          // A loss that no statement waits for is an event, also while the pool hands the connection out or ends it.
          // Without a listener it would end the process.
          this.on('error', () => undefined);
          open.add(this);
          this.on('end', () => open.delete(this));
        }
      },
      application_name: 'countersign',
      max: limits.connectionsMax,
      connectionTimeoutMillis: limits.connectMs,
      idleTimeoutMillis: limits.idleMs,
      query_timeout: limits.answerMs,
      keepAlive: true,
      // Statements follow one another without waiting for the answers of those before.
      pipeline: true,
    });
    // Sent before the first statement of a new connection, and with it.
    if (!arePoolers)
      this.#pool.on('connect', (client) => void client.query(settings).catch(() => destroyNow(client)));
    this.#pool.on('error', (error) => {
      // The pool adds the connection, with all its settings and statements: nothing for a log.
      Reflect.deleteProperty(error, 'client');
      onError(connectionFault(error));
    });
  }

  /** How many connections are idle and busy, and how many requests wait for one. */
  get counts(): Readonly<Record<'idle' | 'busy' | 'waiting', number>> {
    const { idleCount, totalCount, waitingCount } = this.#pool;
    return { idle: idleCount, busy: totalCount - idleCount, waiting: waitingCount };
  }

  /** Runs statements on one connection, each as a transaction of its own. @throws StorageError */
  async use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = await this.#acquire();
    let lost = false;
    try {
      return await work(connection);
    } catch (error) {
      const code = codeOf(error);
      lost = isConnectionLoss(error) || code === READ_ONLY_SERVER || code === NOT_PREPARED;
      // The server is a standby now.
      if (code === READ_ONLY_SERVER) await this.#find();
      // A pooler still accepts connections when its server has ended.
      else if (lost) void this.#find();
      throw fault(error);
    } finally {
      connection.release(lost);
    }
  }

  /** The URL to listen for notifications at; `null` if there is none. After one that failed, the next is given. */
  nextListenUrl(): string | null {
    if (this.#listenUrls.length === this.#urls.length && this.#listenUrls.includes(this.#url))
      return this.#url;
    const url = this.#listenUrls[this.#listenAt % this.#listenUrls.length];
    this.#listenAt += 1;
    return url ?? null;
  }

  /** With several servers: chooses the one that accepts writes. Otherwise the first one is used until it fails. */
  async findPrimary(): Promise<void> {
    await this.#find();
  }

  /** What a new connection says; `null` if none can be made in this time. */
  askAnew(withinMs: number, ask: (connection: pg.ClientBase) => Promise<boolean>): Promise<boolean | null> {
    return askServer(this.#url, withinMs, ask);
  }

  /** With several servers: a connection to the one that accepts writes, which is looked for if need be. */
  async #acquire(): Promise<Connection> {
    for (let tries = 0; ; tries += 1) {
      const asked = this.#url;
      try {
        const connection = await this.#connect();
        if (this.#servers.get(connection) === undefined) this.#servers.set(connection, asked);
        if (this.#servers.get(connection) === this.#url) return connection;
        // It is from before the other server took over.
        connection.release(true);
      } catch (error) {
        if (tries > 0 || !(await this.#find())) throw connectionFault(error);
      }
    }
  }

  #connect(): Promise<Connection> {
    if (this.#isAbandoned) return Promise.reject(unreachable());
    return new Promise((resolve, reject) => {
      this.#waiting.add(reject);
      this.#pool
        .connect()
        .then(resolve, reject)
        .finally(() => this.#waiting.delete(reject));
    });
  }

  /** Looks for the server that accepts writes. @returns Whether it is another one than before. */
  #find(): Promise<boolean> {
    if (this.#urls.length === 1) return Promise.resolve(false);
    this.#finding ??= this.#look().finally(() => {
      this.#finding = null;
    });
    return this.#finding;
  }

  async #look(): Promise<boolean> {
    const found = await Promise.all(this.#urls.map((url) => askServer(url, this.#connectMs, isWritable)));
    const url = this.#urls.find((_, index) => found[index] === true);
    if (url === undefined || url === this.#url) return false;
    this.#url = url;
    return true;
  }

  /** Runs reads that all see the same point in time. @throws StorageError */
  atOneMoment<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.use(async (connection) => {
      try {
        // The first read is on its way before the answer to `begin` arrives.
        const [, result] = await Promise.all([connection.query(this.#beginReadOnly), work(connection)]);
        return result;
      } finally {
        await connection.query('rollback').catch(() => undefined);
      }
    });
  }

  /** Waits for those who have a connection. */
  close(): Promise<void> {
    this.#closed ??= this.#pool.end().then(() => {
      for (const client of this.#open) destroyLater(client);
    });
    return this.#closed;
  }

  /** Waits for nobody any more, now and from here on: whoever has a connection, or asks for one, gets a `StorageError`. */
  abandon(): void {
    this.#isAbandoned = true;
    void this.close();
    for (const fail of this.#waiting) fail(unreachable());
    for (const client of this.#open) destroyNow(client);
  }
}
