// Moves the write-ahead log into the database where space is short. Else the log could fill a disk with copies of pages,
// until the database could not grow to take them in.
import type { StoreLimits } from '../../limits.js';
import type { Client } from '../connection.js';
import type { FileGuard } from './file-guard.js';
import { freeBytes } from './free-space.js';

interface LogSpaceParts {
  readonly client: Client;
  readonly path: string;
  readonly guard: Pick<FileGuard, 'logBytes' | 'lossOfCommit'>;
  readonly limits: Pick<StoreLimits, 'shortBytes' | 'shortLogBytes'>;
}

export class LogSpace {
  readonly #parts: LogSpaceParts;
  #failed = false;

  constructor(parts: LogSpaceParts) {
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
    return guard.logBytes >= limits.shortLogBytes && isShort(path, limits.shortBytes);
  }

  /**
   * Copies the log into the database, and empties it if nobody reads it. Call while the files are in place and this
   * process writes nothing.
   *
   * @returns True if something may have changed on disk.
   */
  checkpoint(): boolean {
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

function isShort(path: string, bytes: number): boolean {
  try {
    return freeBytes(path) < bytes;
  } catch {
    return false; // it is unknown
  }
}
