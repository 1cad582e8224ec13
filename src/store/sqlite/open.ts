// Opens a SQLite store: file, tables, settings of the connection.
import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseNewerError, DatabaseUnusableError } from '../errors.js';
import { DEFAULT_STORE_LIMITS, type StoreLimits } from '../limits.js';
import { checkExists, configure, openClient, sqliteCode, unusable, type Client } from './connection.js';
import { inspect, migrate } from './migrations.js';
import { SqliteStore } from './store.js';

/** What can be said when a store is opened. */
export interface SqliteStoreOptions {
  /** The database file, made where there is none; its folder has to exist. `:memory:` keeps nothing. */
  readonly path: string;
  /** Refuses a file that is missing or empty, and writes nothing then. For programs that only look, or change what is there. */
  readonly mustExist?: boolean;
  readonly limits?: Partial<StoreLimits>;
  /** Hears what a subscriber threw, and what went wrong at closing without loss; by default it is dropped. */
  readonly onError?: (error: unknown) => void;
}

const BUSY_PAUSE_MS = 20;

/** Setting the mode of the log does not wait for another process that is doing the same, so this does. */
async function prepareFile(client: Client, path: string, limits: StoreLimits): Promise<void> {
  const until = Date.now() + limits.busyMs;
  for (;;) {
    try {
      inspect(client, path);
      configure(client, limits);
      migrate(client, path);
      return;
    } catch (error) {
      if (!sqliteCode(error).startsWith('SQLITE_BUSY') || Date.now() > until) throw error;
      await pause(BUSY_PAUSE_MS);
    }
  }
}

/**
 * Opens a database and brings it up to date.
 *
 * Guarantees: what was acknowledged is on disk (`synchronous=FULL`), also after a power cut.
 *
 * @throws DatabaseNewerError - It was written by a newer version of the program. Nothing was changed.
 * @throws DatabaseUnusableError - It cannot be opened, read or written, or is another program's.
 * @see design.md, section 7
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  const limits: StoreLimits = { ...DEFAULT_STORE_LIMITS, ...options.limits };
  if (options.mustExist === true) checkExists(options.path);
  const client = openClient(options.path, limits.busyMs);
  try {
    await prepareFile(client, options.path, limits);
    return new SqliteStore({
      client,
      path: options.path,
      limits,
      onError: options.onError ?? (() => undefined),
    });
  } catch (error) {
    client.close();
    if (error instanceof DatabaseNewerError || error instanceof DatabaseUnusableError) throw error;
    throw unusable(options.path, error);
  }
}
