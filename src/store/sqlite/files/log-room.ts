// Moves the write-ahead log into the database where space is short. Else the log could fill a disk with copies of pages,
// until the database could not grow to take them in.
import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { StoreLimits } from '../../limits.js';
import type { Client } from '../connection.js';
import type { FileGuard } from './file-guard.js';

interface LogRoomParts {
  readonly client: Client;
  readonly path: string;
  readonly guard: Pick<FileGuard, 'logBytes' | 'lossOfCommit'>;
  readonly limits: Pick<StoreLimits, 'shortBytes' | 'shortLogBytes'>;
}

export class LogRoom {
  readonly #parts: LogRoomParts;
  #failed = false;

  constructor(parts: LogRoomParts) {
    this.#parts = parts;
  }

  /** Call after a write that failed: perhaps the files cannot grow. */
  failed(): void {
    this.#failed = true;
  }

  /** True if the log takes space that is needed. */
  get isNeeded(): boolean {
    const { guard, path, limits } = this.#parts;
    if (this.#failed) return guard.logBytes > 0;
    return guard.logBytes >= limits.shortLogBytes && freeBytes(path) < limits.shortBytes;
  }

  /**
   * Copies the log into the database, and empties it if nobody reads it. Call while the files are in place and this
   * process writes nothing.
   *
   * @returns True if something may have changed on disk.
   */
  make(): boolean {
    this.#failed = false;
    try {
      this.#parts.client.pragma('wal_checkpoint(TRUNCATE)');
      return true;
    } catch {
      // The database cannot grow either. The write that failed has reported it.
      return false;
    } finally {
      // The log is smaller now, and the next failure is not to take that for a damage.
      this.#parts.guard.lossOfCommit();
    }
  }
}

/** Infinite if it is unknown. */
function freeBytes(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize;
  } catch {
    return Infinity;
  }
}
