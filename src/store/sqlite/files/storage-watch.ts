// Checks that writes can be found again: the files are in place, and this process still owns the database.
// Runs after every commit and on a timer. Knows no record.
import type { Logger } from '../../../ports/runtime.js';
import { StorageError } from '../../../ports/storage/storage.js';
import type { StoreLimits } from '../../limits.js';
import type { Client } from '../connection.js';
import { whenFree } from './contention.js';
import { isBusy } from '../faults.js';
import type { FileGuard, FileLoss } from './file-guard.js';
import type { Lease } from './lease.js';
import { LogSpace } from './log-space.js';

const WHAT_TO_DO =
  'Nothing is written any more. Put the same files back, or end the service, restore a backup and start it again';
const TAKEN_OVER =
  'Another coordinator has taken the database over; this one writes nothing any more. End this service';

interface StorageWatchParts {
  readonly client: Client;
  readonly path: string;
  /** `null` for a database in memory. */
  readonly guard: FileGuard | null;
  /** `null` if the store does not coordinate. */
  readonly lease: Lease | null;
  readonly limits: StoreLimits;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
}

/** Watches one database for as long as it is open. */
export class StorageWatch {
  readonly #parts: StorageWatchParts;
  readonly #logSpace: LogSpace | null;
  #lost: StorageError | null = null;
  #takenOver = false;
  #timer: NodeJS.Timeout | null = null;
  #beatAt: number;
  /** True if something was committed since the last renewal. Then the lease is renewed at the next check. */
  #active = false;
  #beating = false;
  /** True if the last renewal could not be written. It is repeated at every check until one is. */
  #failing = false;
  #wrote = false;
  /** True while the writing thread writes. */
  #waits = false;
  /** True if the lease was to be renewed meanwhile. */
  #due = false;
  /** True if the log was to be moved meanwhile. */
  #checkpointDue = false;

  constructor(parts: StorageWatchParts) {
    const { guard } = parts;
    this.#parts = parts;
    this.#logSpace = guard === null ? null : new LogSpace({ ...parts, guard });
    this.#beatAt = performance.now();
    guard?.begin();
    if (guard === null && parts.lease === null) return;
    const tick = () => {
      this.#checkpointIfShort();
      this.checkNow();
    };
    this.#timer = setInterval(tick, parts.limits.watchMs).unref();
  }

  /** Why nothing can be written now; `null` if writes are possible. */
  get lost(): StorageError | null {
    return this.#lost;
  }

  /** The content of the lease's owner row, for the writing thread to compare. */
  get owner(): string | null {
    return this.#parts.lease?.text ?? null;
  }

  /**
   * Call in every transaction that writes.
   *
   * @throws StorageError - The files are lost, or another coordinator owns the database.
   */
  requireOwnership(): void {
    const { lease } = this.#parts;
    if (this.#lost !== null) throw this.#lost;
    if (lease === null || lease.isHeld()) return;
    this.#takenOver = true;
    throw this.#lose(TAKEN_OVER);
  }

  /**
   * Call after every commit, before acknowledging it.
   *
   * @param failed - True if SQLite failed to read or write.
   * @returns Why the commit must not be acknowledged; `null` if it may be.
   */
  afterCommit(failed = false): StorageError | null {
    this.#active = true;
    if (failed) this.#logSpace?.failed();
    return this.#found(this.#parts.guard?.lossOfCommit(failed) ?? null);
  }

  /** Checks all files and renews the lease. */
  checkNow(): void {
    if (this.#found(this.#parts.guard?.loss() ?? null) === null) void this.#beat();
  }

  /** Tries it again if the last renewal of the lease could not be written. */
  async canRenew(): Promise<boolean> {
    if (this.#failing) await this.#beat();
    return !this.#failing;
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    try {
      if (this.#lost === null) this.#parts.lease?.release();
    } catch (error) {
      // The next coordinator detects that this process is gone.
      this.#parts.logger.warn({ err: error }, 'the lease on the database could not be given back');
    }
  }

  /** Call after the connections are closed. */
  closed(): void {
    this.#parts.guard?.close();
  }

  /** True if the lease was renewed, or the log moved, since the last call. */
  takeWrote(): boolean {
    const wrote = this.#wrote;
    this.#wrote = false;
    return wrote;
  }

  /**
   * Call before the writing thread gets a batch. To the thread, a renewal meanwhile would look like a commit of another
   * process: it would refuse the batch, and everything cached would be discarded.
   */
  wait(): void {
    this.#waits = true;
  }

  /** Call when the thread has answered. */
  proceed(): void {
    this.#waits = false;
    if (this.#checkpointDue) this.#checkpointIfShort();
    if (!this.#due) return;
    this.#due = false;
    void this.#beat();
  }

  #checkpointIfShort(): void {
    this.#checkpointDue = this.#waits;
    if (this.#waits || this.#found(this.#parts.guard?.loss() ?? null) !== null) return;
    if (this.#logSpace?.isNeeded === true && this.#logSpace.checkpoint()) this.#wrote = true;
  }

  async #beat(): Promise<void> {
    const { lease, limits, logger } = this.#parts;
    if (lease === null || this.#beating || this.#timer === null) return;
    if (!this.#active && !this.#failing && performance.now() - this.#beatAt < limits.leaseMs / 3) return;
    this.#beating = true;
    try {
      const isHeld = await whenFree(limits.watchMs, limits.busyPauseMsMax, () => {
        if (this.#timer === null) return true;
        return this.#waits ? 'later' : lease.beat();
      });
      if (isHeld === 'later') {
        this.#due = true;
        return;
      }
      if (!isHeld) this.requireOwnership();
      this.#beatAt = performance.now();
      this.#active = false;
      this.#failing = false;
      this.#wrote = true;
    } catch (error) {
      // The next check retries. A write reports the error.
      if (isBusy(error)) return;
      this.#failing = true;
      this.#logSpace?.failed();
      logger.warn({ err: error }, 'the lease on the database could not be renewed');
    } finally {
      this.#beating = false;
    }
  }

  #found(loss: FileLoss | null): StorageError | null {
    if (this.#takenOver) return this.#lost;
    if (loss !== null) return this.#lost ?? this.#lose(`${loss.what}. ${WHAT_TO_DO}`);
    if (this.#lost !== null) {
      this.#parts.logger.warn(
        { db: this.#parts.path },
        'the files of the database are back; writes are taken',
      );
      this.#lost = null;
    }
    return null;
  }

  #lose(message: string): StorageError {
    const { logger, path } = this.#parts;
    const lost = new StorageError('storage_lost', message);
    if (this.#lost === null) logger.error({ db: path, brought_over: this.#checkpointLog() }, message);
    this.#lost = lost;
    return lost;
  }

  /**
   * If only the log or shared memory is gone, a checkpoint copies the log's content into the database for the
   * next start.
   */
  #checkpointLog(): boolean {
    const { client, guard } = this.#parts;
    if (this.#takenOver || guard?.canBringOver !== true) return false;
    try {
      const [row] = client.pragma('wal_checkpoint(PASSIVE)') as { log: number; checkpointed: number }[];
      return row !== undefined && row.log === row.checkpointed;
    } catch {
      return false;
    }
  }
}
