// Opens a SQLite store: the file, its tables and the connection settings.
import { realpathSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Evidence } from '../../domain/evidence/check.js';
import type { SigningKeys } from '../../domain/evidence/keys.js';
import type { Logger } from '../../ports/runtime.js';
import { DatabaseNewerError, DatabaseUnusableError } from '../errors.js';
import { DEFAULT_STORE_LIMITS, type StoreLimits } from '../limits.js';
import { checkExists, checkKind, configure, openClient, unusable, type Client } from './connection.js';
import { isBusy } from './faults.js';
import { FileGuard } from './files/file-guard.js';
import { requireOneName, requireWritable, takeFromOthers } from './files/file-modes.js';
import { lockPathOf } from './files/lock-file.js';
import { lastWriteMs } from './files/last-write.js';
import { Lease } from './files/lease.js';
import { inspect, knownMigrations, migrate, requireTables } from './migrations.js';
import { moveReceiptTimes, renumberRows, type Renumbered } from './repairs.js';
import { signOnOpening } from './signing.js';
import { StorageWatch } from './files/storage-watch.js';
import { SqliteStore } from './store.js';

/** Options of `openSqliteStore`. */
interface SqliteStoreOptions {
  /** The database file. It is created if missing; its folder must exist. `:memory:` persists nothing. */
  readonly path: string;
  /** Rejects a missing file, or one without tables, without writing. For programs that only read or change existing data. */
  readonly mustExist?: boolean;
  readonly limits?: Partial<StoreLimits>;
  /** Called with errors of subscribers, and with errors at close that lose no data. Default: they are ignored. */
  readonly onError?: (error: unknown) => void;
  /** Receives warnings and errors about the files, and what the store did about them. */
  readonly logger?: Pick<Logger, 'warn' | 'error'>;
  /** Sign histories. Without `coordinate`, only checked if they are given. */
  readonly keys?: SigningKeys | null | undefined;
  /** Acquires the database for this process as its only coordinator. `now` is service time. Tools omit it. */
  readonly coordinate?: { readonly now: () => number };
}

const SILENT: Pick<Logger, 'warn' | 'error'> = { warn: () => undefined, error: () => undefined };

const BUSY_PAUSE_MS = 20;

interface TakenOver extends ReturnType<typeof Lease.acquire> {
  readonly renumbered: readonly Renumbered[];
}

/** Acquires the database, and puts right what no decision could work with. */
function takeOver(
  client: Client,
  options: Omit<Parameters<typeof Lease.acquire>[1], 'lastWriteMs'>,
): TakenOver {
  const acquired = Lease.acquire(client, { ...options, lastWriteMs: lastWriteMs(client, options.now()) });
  moveReceiptTimes(client, acquired.away?.clockShiftMs ?? 0);
  return { ...acquired, renumbered: renumberRows(client) };
}

/**
 * Retries while the database is busy: SQLite does not wait when another process sets the journal mode too,
 * and the connection never waits for a lock.
 */
async function prepareFile(
  client: Client,
  path: string,
  limits: StoreLimits,
  check: typeof requireTables,
  acquire: () => TakenOver | null,
): Promise<TakenOver | null> {
  const until = performance.now() + limits.busyMs;
  const known = knownMigrations();
  for (;;) {
    try {
      check(client, path, known);
      configure(client, limits);
      return migrate(client, path, known, acquire);
    } catch (error) {
      if (!isBusy(error) || performance.now() > until) throw error;
      await pause(BUSY_PAUSE_MS);
    }
  }
}

/**
 * Opens a database and applies missing migrations.
 *
 * Guarantees: acknowledged data is on disk (`synchronous=FULL`), even after a power failure, and in the file
 * at the path. Only the owner can access the files.
 *
 * @throws DatabaseNewerError - A newer version of the program wrote it. Nothing was changed.
 * @throws DatabaseUnusableError - It cannot be opened, read or written, belongs to another program, or has
 * another coordinator.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  const { path, coordinate, keys = null, logger = SILENT } = options;
  const limits: StoreLimits = { ...DEFAULT_STORE_LIMITS, ...options.limits };
  const inMemory = path === ':memory:';
  if (options.mustExist === true) checkExists(path);
  if (!inMemory) {
    checkKind(path);
    requireWritable(path);
    requireOneName(path);
  }
  const check = options.mustExist === true ? requireTables : inspect;
  const client = openClient(path);
  try {
    const acquire = () =>
      coordinate === undefined || inMemory
        ? null
        : takeOver(client, {
            path,
            lockPath: lockPathOf(path),
            leaseMs: limits.leaseMs,
            now: coordinate.now,
          });
    const acquired = await prepareFile(client, path, limits, check, acquire);
    if (acquired?.isBeatWrong === true)
      logger.warn(
        { away_ms: acquired.away?.elapsedMs },
        'the last sign of life of the coordinator was edited: its time away counts from the last write',
      );
    for (const fields of acquired?.renumbered ?? [])
      logger.warn({ ...fields }, 'rows had numbers that the service never gives, and have others now');
    if (!inMemory) closeToOthers(path, logger);
    const isSigning = coordinate !== undefined || keys !== null;
    const evidence = isSigning ? await evidenceOf(client, path, keys, logger) : undefined;
    const guard = inMemory ? null : new FileGuard(path);
    return new SqliteStore({
      client,
      path,
      limits,
      watch: new StorageWatch({ client, path, guard, lease: acquired?.lease ?? null, limits, logger }),
      away: acquired?.away ?? null,
      evidence,
      onError: options.onError ?? (() => undefined),
    });
  } catch (error) {
    client.close();
    if (error instanceof DatabaseNewerError || error instanceof DatabaseUnusableError) throw error;
    throw unusable(path, error);
  }
}

/** @throws DatabaseUnusableError - The keys are not those of the database. */
async function evidenceOf(
  client: Client,
  path: string,
  keys: SigningKeys | null,
  logger: Pick<Logger, 'warn'>,
): Promise<Evidence> {
  const prepared = await signOnOpening(client, keys, logger);
  if ('evidence' in prepared) return prepared.evidence;
  throw new DatabaseUnusableError(`The database ${path} cannot be used: ${prepared.refused}`);
}

function closeToOthers(path: string, logger: Pick<Logger, 'warn'>): void {
  for (const { repaired, ...fields } of takeFromOthers(realpathSync(path))) {
    if (repaired)
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
