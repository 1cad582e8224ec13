// Opens the store that a database needs: SQLite for the path of a file, PostgreSQL for a URL.
import type { SigningKeys } from '../domain/evidence/keys.js';
import type { TimeAway } from '../domain/scheduling/time-away.js';
import type { Clock, Logger } from '../ports/runtime.js';
import type { Store } from '../ports/storage/store.js';
import type { CopyReport } from './copy/copy.js';
import { DatabaseUnusableError } from './errors.js';
import type { VerifiableDatabase } from './evidence/verify.js';
import { addressesOf } from './postgres/connection/addresses.js';
import { lockDatabase, openReadOnly, openSqliteStore } from './sqlite/index.js';

export { verifyHistories, type VerifiableDatabase } from './evidence/verify.js';

/** Options of `openStore`. */
interface StoreOptions {
  /** Path of a file, `:memory:`, or `postgres://…`. */
  readonly db: string;
  /** Refuses a database without tables, and creates none. */
  readonly mustExist?: boolean;
}

/** Options of `openCoordinatorStore`. */
interface CoordinatorStoreOptions {
  readonly db: string;
  /** Sign histories. A database with signed histories is opened with their keys only. */
  readonly keys: SigningKeys | null;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
  /** Called with errors of subscribers, and with a `StorageError` if an idle connection to a server is lost. */
  readonly onError: (error: unknown) => void;
}

/** The store of a coordinator. */
export interface CoordinatorStore {
  readonly store: Store;
  /** How long the database had no coordinator; `null` if unknown. */
  readonly away: TimeAway | null;
  /** The clock for the service: that of the database server if several coordinators may share it. */
  readonly clock: Clock;
  close(): Promise<void>;
  /** Waits no more for a server that may be silent: whatever waits for it fails, and `close` ends. */
  abandon(): void;
}

/** `postgres` for a URL of PostgreSQL, `other` for any other URL, `file` for a path. */
export function databaseKind(db: string): 'postgres' | 'file' | 'other' {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(db)?.[1]?.toLowerCase();
  if (scheme === undefined) return 'file';
  return scheme === 'postgres' || scheme === 'postgresql' ? 'postgres' : 'other';
}

/** The database as logs and errors show it: a URL without its password and parameters. */
export function databaseName(db: string): string {
  if (databaseKind(db) === 'file') return db;
  return addressesOf(db)?.name ?? 'the database of the URL';
}

/**
 * Opens a database for a tool.
 *
 * @throws DatabaseUnusableError, DatabaseNewerError - One plain sentence each.
 */
export async function openStore({ db, mustExist = false }: StoreOptions): Promise<Store> {
  requireKnown(db);
  if (databaseKind(db) === 'file') return openSqliteStore({ path: db, mustExist });
  return (await postgres()).openPostgresStore({ url: db, mustExist });
}

/**
 * Opens a database to verify its histories, or to examine it. Nothing is changed, and a service may work on it.
 *
 * @throws DatabaseUnusableError, DatabaseNewerError - One plain sentence each.
 */
export async function openHistories(db: string): Promise<VerifiableDatabase> {
  requireKnown(db);
  if (databaseKind(db) === 'postgres') return (await postgres()).openPostgresHistories(db);
  const database = openReadOnly(db);
  return {
    ...database.verifiable,
    close: () => {
      database.close();
      return Promise.resolve();
    },
  };
}

/**
 * Opens a database for a coordinator. A file then belongs to this process alone.
 *
 * @throws DatabaseUnusableError, DatabaseNewerError - One plain sentence each.
 */
export async function openCoordinatorStore(options: CoordinatorStoreOptions): Promise<CoordinatorStore> {
  const { db, keys, clock, logger, onError } = options;
  requireKnown(db);
  if (databaseKind(db) === 'postgres') {
    const store = await (
      await postgres()
    ).openPostgresStore({ url: db, coordinate: { keys, logger }, onError });
    try {
      await store.follow();
    } catch (error) {
      await store.close();
      throw error;
    }
    return {
      store,
      away: null,
      clock: store.clock,
      close: () => store.close(),
      abandon: () => store.abandon(),
    };
  }
  const lock = lockDatabase(db);
  try {
    const store = await openSqliteStore({ path: db, logger, keys, coordinate: clock, onError });
    const close = async () => {
      await store.close();
      lock.release();
    };
    return { store, away: store.away, clock, close, abandon: () => undefined };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/**
 * Copies a database file to PostgreSQL. See `copyDatabase` in copy/copy.ts.
 *
 * @throws DatabaseUnusableError, DatabaseNewerError - One plain sentence each.
 */
export async function copyStore(from: string, to: string): Promise<CopyReport> {
  if (databaseKind(from) !== 'file' || from === ':memory:')
    throw new DatabaseUnusableError('A copy is made from the path of a file (--from)');
  if (databaseKind(to) !== 'postgres')
    throw new DatabaseUnusableError('A copy is made to postgres://user:password@host:port/database (--to)');
  return (await import('./copy/copy.js')).copyDatabase(from, to);
}

/** Loaded when it is needed: most databases are files. */
function postgres() {
  return import('./postgres/index.js');
}

function requireKnown(db: string): void {
  if (databaseKind(db) !== 'other') return;
  const scheme = db.slice(0, db.indexOf('://'));
  throw new DatabaseUnusableError(
    `${scheme}:// databases are not supported; give the path of a file, or postgres://…`,
  );
}
