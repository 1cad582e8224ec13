// Opens a SQLite store: file, tables, settings of the connection.
import { realpathSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '../../ports/runtime.js';
import { DatabaseNewerError, DatabaseUnusableError } from '../errors.js';
import { DEFAULT_STORE_LIMITS, type StoreLimits } from '../limits.js';
import { checkExists, configure, openClient, unusable, type Client } from './connection.js';
import { isBusy } from './faults.js';
import { FileGuard } from './files/file-guard.js';
import { requireWritable, takeFromOthers } from './files/file-modes.js';
import { lockPathOf } from './files/hold.js';
import { Lease } from './files/lease.js';
import { inspect, migrate } from './migrations.js';
import { StorageWatch } from './files/storage-watch.js';
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
  /** Hears what is wrong with the files, and what was done about it. */
  readonly logger?: Pick<Logger, 'warn' | 'error'>;
  /** Takes the database for this process alone, as its coordinator; `now` is service time. Tools leave it out. */
  readonly coordinate?: { readonly now: () => number };
}

const SILENT: Pick<Logger, 'warn' | 'error'> = { warn: () => undefined, error: () => undefined };

const BUSY_PAUSE_MS = 20;

type Taken = ReturnType<typeof Lease.take>;

/** Setting the mode of the log does not wait for another process that is doing the same, nor does anything else, so this does. */
async function prepareFile(
  client: Client,
  path: string,
  limits: StoreLimits,
  take: () => Taken | null,
): Promise<Taken | null> {
  const until = performance.now() + limits.busyMs;
  for (;;) {
    try {
      inspect(client, path);
      configure(client, limits);
      return migrate(client, path, take);
    } catch (error) {
      if (!isBusy(error) || performance.now() > until) throw error;
      await pause(BUSY_PAUSE_MS);
    }
  }
}

/**
 * Opens a database and brings it up to date.
 *
 * Guarantees: what was acknowledged is on disk (`synchronous=FULL`), also after a power cut; and it is in the file that is
 * at the path. The files are their owner's alone.
 *
 * @throws DatabaseNewerError - It was written by a newer version of the program. Nothing was changed.
 * @throws DatabaseUnusableError - It cannot be opened, read or written, is another program's, or another coordinator has it.
 * @see design.md, section 7
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  const { path, coordinate, logger = SILENT } = options;
  const limits: StoreLimits = { ...DEFAULT_STORE_LIMITS, ...options.limits };
  const inMemory = path === ':memory:';
  if (options.mustExist === true) checkExists(path);
  if (!inMemory) requireWritable(path);
  const client = openClient(path);
  try {
    const take = () =>
      coordinate === undefined || inMemory
        ? null
        : Lease.take(client, {
            path,
            lockPath: lockPathOf(path),
            leaseMs: limits.leaseMs,
            now: coordinate.now,
          });
    const taken = await prepareFile(client, path, limits, take);
    if (!inMemory) closeToOthers(path, logger);
    const guard = inMemory ? null : new FileGuard(path);
    return new SqliteStore({
      client,
      path,
      limits,
      watch: new StorageWatch({ client, path, guard, lease: taken?.lease ?? null, limits, logger }),
      away: taken?.away ?? null,
      onError: options.onError ?? (() => undefined),
    });
  } catch (error) {
    client.close();
    if (error instanceof DatabaseNewerError || error instanceof DatabaseUnusableError) throw error;
    throw unusable(path, error);
  }
}

function closeToOthers(path: string, logger: Pick<Logger, 'warn'>): void {
  for (const { mended, ...fields } of takeFromOthers(realpathSync(path))) {
    if (mended)
      logger.warn(
        fields,
        'others could read a file of the database, which holds secrets; its mode is 0600 now',
      );
    else
      logger.warn(
        fields,
        'others can read a file of the database, which holds secrets; set its mode to 0600',
      );
  }
}
