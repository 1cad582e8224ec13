// Tracks failures of background work by record: when to retry, and when to give up. In memory only: after a
// restart every record is tried at once.
import type { LRUCache } from 'lru-cache';
import { boundedCache } from '../../lib/bounded-cache.js';
import { RecordDamagedError } from '../../domain/damage/damage.js';
import type { Limits } from '../../domain/limits.js';
import { NoThreadError } from '../../ports/schema-engine.js';
import { CommitUnknownError, StorageError } from '../../ports/storage/storage.js';

type Bounds = Pick<
  Limits,
  'recordFailuresMax' | 'recordRetryMs' | 'recordRetryMsMax' | 'troubledRecordFactsMax'
>;

interface Trouble {
  readonly failures: number;
  readonly restsUntil: number;
}

export class RecordRetries {
  readonly #troubled: LRUCache<string, Trouble>;

  constructor(private readonly bounds: Bounds) {
    this.#troubled = boundedCache(bounds.troubledRecordFactsMax);
  }

  /** Roughly how many records wait for a retry. A query has to read that many more rows. */
  get size(): number {
    return this.#troubled.size;
  }

  isWaiting(id: string, now: number): boolean {
    return (this.#troubled.get(id)?.restsUntil ?? 0) > now;
  }

  /** Clears the failures of a record after its work has succeeded. */
  done(id: string): void {
    this.#troubled.delete(id);
  }

  /** Counts a failure. @returns True if the record should be given up, because further retries will not help. */
  failed(id: string, error: unknown, now: number): boolean {
    const { recordFailuresMax, recordRetryMs, recordRetryMsMax } = this.bounds;
    if (isTroubleOfAll(error)) return false;
    const failures = (this.#troubled.get(id)?.failures ?? 0) + 1;
    const delayMs = Math.min(recordRetryMs * 2 ** Math.min(failures - 1, 20), recordRetryMsMax);
    this.#troubled.set(id, { failures, restsUntil: now + delayMs });
    // That is not the record's fault either.
    if (error instanceof NoThreadError) return false;
    return error instanceof RecordDamagedError || failures >= recordFailuresMax;
  }
}

/** Errors of the database as a whole, such as a full disk or a lock of another process, are not the record's fault. */
export function isTroubleOfAll(error: unknown): boolean {
  if (error instanceof StorageError || error instanceof CommitUnknownError) return true;
  return error instanceof Error && error.name === 'SqliteError';
}
