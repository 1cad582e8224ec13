// Whether what is written can be found again: the files are in their places, and the database is still this process's.
// Looks after every commit, and by a timer. Knows no record.
import type { Logger } from '../../../ports/runtime.js';
import { StorageError } from '../../../ports/store.js';
import type { StoreLimits } from '../../limits.js';
import type { Client } from '../connection.js';
import { whenFree } from './contention.js';
import { isBusy } from '../faults.js';
import type { FileGuard, FileLoss } from './file-guard.js';
import type { Lease } from './lease.js';

const WHAT_TO_DO =
  'Nothing is written any more. Put the same files back, or end the service, restore a backup and start it again';
const TAKEN_OVER =
  'Another coordinator has taken the database over; this one writes nothing any more. End this service';

export interface StorageWatchParts {
  readonly client: Client;
  readonly path: string;
  /** `null` for a database in memory. */
  readonly guard: FileGuard | null;
  /** `null` where the store does not coordinate. */
  readonly lease: Lease | null;
  readonly limits: StoreLimits;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
}

/** Watches over one database for as long as it is open. */
export class StorageWatch {
  readonly #parts: StorageWatchParts;
  #lost: StorageError | null = null;
  #takenOver = false;
  #timer: NodeJS.Timeout | null = null;
  #beatAt: number;
  /** True where something was committed since the last sign of life: then a moment's time is worth keeping. */
  #active = false;
  #beating = false;
  #wrote = false;

  constructor(parts: StorageWatchParts) {
    this.#parts = parts;
    this.#beatAt = performance.now();
    parts.guard?.begin();
    if (parts.guard === null && parts.lease === null) return;
    this.#timer = setInterval(() => this.look(), parts.limits.watchMs).unref();
  }

  /** Why nothing may be written now; `null` where it may. */
  get lost(): StorageError | null {
    return this.#lost;
  }

  /** What the lease's row has to say, for another thread to compare. */
  get owner(): string | null {
    return this.#parts.lease?.text ?? null;
  }

  /**
   * To be called in every transaction that writes.
   *
   * @throws StorageError - The files are lost, or the database is another coordinator's now.
   */
  requireOwnership(): void {
    const { lease } = this.#parts;
    if (this.#lost !== null) throw this.#lost;
    if (lease === null || lease.isHeld()) return;
    this.#takenOver = true;
    throw this.#lose(TAKEN_OVER);
  }

  /**
   * To be called after every commit, before it is acknowledged.
   *
   * @param failed - True where SQLite could not read or write.
   * @returns Why it may not be.
   */
  afterCommit(failed = false): StorageError | null {
    this.#active = true;
    return this.#found(this.#parts.guard?.lossOfCommit(failed) ?? null);
  }

  /** Looks at everything, and says that the owner is there. */
  look(): void {
    if (this.#found(this.#parts.guard?.loss() ?? null) === null) void this.#beat();
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    try {
      if (this.#lost === null) this.#parts.lease?.release();
    } catch (error) {
      // The next coordinator finds that this process is gone.
      this.#parts.logger.warn({ err: error }, 'the lease on the database could not be given back');
    }
  }

  /** Once the connections are closed. */
  closed(): void {
    this.#parts.guard?.close();
  }

  /** True where a sign of life was written since this was last asked. */
  takeWrote(): boolean {
    const wrote = this.#wrote;
    this.#wrote = false;
    return wrote;
  }

  async #beat(): Promise<void> {
    const { lease, limits, logger } = this.#parts;
    if (lease === null || this.#beating || this.#timer === null) return;
    if (!this.#active && performance.now() - this.#beatAt < limits.leaseMs / 3) return;
    this.#beating = true;
    try {
      const held = await whenFree(
        limits.watchMs,
        limits.busyPauseMsMax,
        () => this.#timer === null || lease.beat(),
      );
      if (!held) this.requireOwnership();
      this.#beatAt = performance.now();
      this.#active = false;
      this.#wrote = true;
    } catch (error) {
      // It is tried again at the next look; whoever wants to write hears what is wrong.
      if (!isBusy(error)) logger.warn({ err: error }, 'the lease on the database could not be renewed');
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
    if (this.#lost === null) logger.error({ db: path, brought_over: this.#bringOver() }, message);
    this.#lost = lost;
    return lost;
  }

  /** Where only the log is gone, what it holds goes into the database, so that the next start finds it there. */
  #bringOver(): boolean {
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
