// Opens a PostgreSQL store: the connection, its settings and the tables.
import { NO_KEYS, type Evidence } from '../../domain/evidence/check.js';
import type { SigningKeys } from '../../domain/evidence/keys.js';
import type { Logger } from '../../ports/runtime.js';
import { DatabaseNewerError, DatabaseUnusableError } from '../errors.js';
import { DEFAULT_STORE_LIMITS, type StoreLimits } from '../limits.js';
import { addressesOf, type DatabaseAddresses } from './connection/addresses.js';
import { Connections, type Connection } from './connection/connections.js';
import { copyStateOf } from './copy-state.js';
import { codeOf } from './connection/faults.js';
import { DEFAULT_POSTGRES_LIMITS, type PostgresLimits } from './limits.js';
import { knownMigrations, migrate, requireMigrated } from './migrations.js';
import { signOnOpening, verifiableOf } from './signing.js';
import { checkStructure } from './structure.js';
import type { VerifiableDatabase } from '../evidence/verify.js';
import { PostgresStore } from './store.js';
import { StorageError } from '../../ports/storage/storage.js';

/** Options of `openPostgresStore`. */
export interface PostgresStoreOptions {
  /**
   * `postgres://user:password@host:port/database`, with the parameters of libpq. Of several hosts, `host:port,host:port`, the
   * one is used that accepts writes, also after another one has taken over. Behind PgBouncer in transaction mode:
   * `pool_mode=transaction`, and `listen=host:port` of the server itself.
   */
  readonly url: string;
  /** Refuses a database without tables or with those of an older version, and changes nothing. For tools. */
  readonly mustExist?: boolean;
  /** Signs histories, for a coordinator. Tools omit it. */
  readonly coordinate?: { readonly keys: SigningKeys | null; readonly logger: Pick<Logger, 'warn'> };
  readonly limits?: Partial<StoreLimits & PostgresLimits>;
  /** Called with errors of subscribers, and with a `StorageError` if an idle connection is lost. Default: ignored. */
  readonly onError?: (error: unknown) => void;
}

/** The oldest version with all that the statements use. */
const VERSION_MIN = 14;

const READ_ONLY = 'the server accepts no writes; it is a standby, or read-only';

const WHY_NOT: Readonly<Record<string, string>> = {
  '28P01': 'the server refuses the password',
  '28000': 'the server refuses this user',
  '3D000': 'there is no such database on the server',
  '42501': 'this user may not do what is needed',
  '42P07': 'it has a table of another program with the name of one of Countersign',
  '25006': READ_ONLY,
  '53300': 'the server has no connection left',
  '55P03': 'another program keeps a lock on it for too long',
  ECONNREFUSED: 'nothing accepts connections at this address',
  ENOTFOUND: 'there is no host of this name',
  EAI_AGAIN: 'the name of the host cannot be resolved now',
  ETIMEDOUT: 'the server does not answer',
};

/**
 * Opens a database and applies missing migrations.
 *
 * @throws DatabaseNewerError - A newer version of the program wrote it. Nothing was changed.
 * @throws DatabaseUnusableError - It cannot be reached or used. The message has no password.
 */
export function openPostgresStore(options: PostgresStoreOptions): Promise<PostgresStore> {
  return opened(options, (connections, limits, evidence, onError) =>
    Promise.resolve(new PostgresStore({ connections, limits, evidence, onError })),
  );
}

/** Opens a database to verify its histories. Nothing is changed. @throws As `openPostgresStore`. */
export function openPostgresHistories(url: string): Promise<VerifiableDatabase> {
  return opened({ url, mustExist: true }, (connections, limits) =>
    Promise.resolve(verifiableOf(connections, limits, parsed(url).name)),
  );
}

async function opened<T>(
  options: PostgresStoreOptions,
  work: (
    connections: Connections,
    limits: StoreLimits & PostgresLimits,
    evidence: Evidence,
    onError: (error: unknown) => void,
  ) => Promise<T>,
): Promise<T> {
  const limits = { ...DEFAULT_STORE_LIMITS, ...DEFAULT_POSTGRES_LIMITS, ...options.limits };
  const addresses = parsed(options.url);
  const { name } = addresses;
  const onError = options.onError ?? (() => undefined);
  const evidence = await patiently(addresses, limits, async (connection) => {
    await requireUsable(connection, name, options.mustExist === true);
    if (options.mustExist === true) await requireMigrated(connection, name);
    else await migrate(connection, name, limits);
    await requireCopied(connection, name);
    if (options.coordinate !== undefined)
      await checkStructure(connection, name, knownMigrations(), options.coordinate.logger);
    return evidenceOf(connection, name, limits, options.coordinate);
  });
  const connections = new Connections(addresses, limits, onError);
  try {
    await connections.findPrimary();
    return await work(connections, limits, evidence, onError);
  } catch (error) {
    await connections.close();
    throw unusable(name, error);
  }
}

/** @throws DatabaseUnusableError - The keys are not those of the database. */
async function evidenceOf(
  connection: Connection,
  name: string,
  limits: PostgresLimits,
  coordinate: PostgresStoreOptions['coordinate'],
): Promise<Evidence> {
  if (coordinate === undefined) return NO_KEYS;
  const { keys, logger } = coordinate;
  const prepared = await signOnOpening(connection, keys, logger, limits);
  if ('evidence' in prepared) return prepared.evidence;
  throw new DatabaseUnusableError(`The database ${name} cannot be used: ${prepared.refused}`);
}

/**
 * Runs statements on one connection to a database, with missing migrations applied. For tools.
 *
 * @param work - Gets the name of the database, for errors.
 * @throws DatabaseNewerError, DatabaseUnusableError - As `openPostgresStore`.
 */
export async function withDatabase<T>(
  url: string,
  work: (connection: Connection, name: string) => Promise<T>,
): Promise<T> {
  const addresses = parsed(url);
  const { name } = addresses;
  return await patiently(addresses, DEFAULT_POSTGRES_LIMITS, async (connection) => {
    await requireUsable(connection, name, false);
    await migrate(connection, name, DEFAULT_POSTGRES_LIMITS);
    return work(connection, name);
  });
}

/** Runs statements on one connection of their own. Each may take as long as it has to. */
async function patiently<T>(
  addresses: DatabaseAddresses,
  limits: PostgresLimits,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const patient = { ...limits, connectionsMax: 1, statementMs: 0, answerMs: 0 };
  const connections = new Connections(addresses, patient, () => undefined);
  try {
    await connections.findPrimary();
    return await connections.use(work);
  } catch (error) {
    throw unusable(addresses.name, error);
  } finally {
    await connections.close();
  }
}

async function requireCopied(connection: Connection, name: string): Promise<void> {
  const copy = await copyStateOf(connection);
  if (copy === null || copy.isDone) return;
  throw new DatabaseUnusableError(
    `The database ${name} cannot be used: a copy into it was interrupted; run the same countersign db copy again`,
  );
}

/** @throws DatabaseUnusableError - It is no URL of PostgreSQL. */
function parsed(url: string): DatabaseAddresses {
  const addresses = addressesOf(url);
  if (addresses !== null) return addresses;
  throw new DatabaseUnusableError(
    'The URL of the database is not valid; give postgres://user:password@host:port/database, with several hosts as host:port,host:port',
  );
}

/** @param mayBeReadOnly - Tools also read a standby. */
async function requireUsable(connection: Connection, name: string, mayBeReadOnly: boolean): Promise<void> {
  const { rows } = await connection.query<{
    version: number;
    encoding: string;
    version_name: string;
    read_only: string;
  }>(
    `select current_setting('server_version_num')::int as version, current_setting('server_version') as version_name,
      current_setting('server_encoding') as encoding, current_setting('transaction_read_only') as read_only`,
  );
  const [server] = rows;
  if (server === undefined) throw new Error('The server has no version');
  if (server.version < VERSION_MIN * 10_000) {
    throw new DatabaseUnusableError(
      `The database ${name} cannot be used: its server is PostgreSQL ${server.version_name}; version ${String(VERSION_MIN)} or newer is needed`,
    );
  }
  if (server.read_only === 'on' && !mayBeReadOnly) {
    throw new DatabaseUnusableError(`The database ${name} cannot be used: ${READ_ONLY}`);
  }
  if (server.encoding !== 'UTF8') {
    throw new DatabaseUnusableError(
      `The database ${name} cannot be used: its encoding is ${server.encoding}; UTF8 is needed`,
    );
  }
}

function unusable(name: string, error: unknown): DatabaseNewerError | DatabaseUnusableError {
  if (error instanceof DatabaseNewerError || error instanceof DatabaseUnusableError) return error;
  const cause = error instanceof StorageError ? error.cause : error;
  const message = cause instanceof Error ? cause.message : String(cause);
  const why = WHY_NOT[codeOf(cause)] ?? message;
  return new DatabaseUnusableError(`The database ${name} cannot be used: ${why}`, { cause });
}
