// Background work that fails on one record: when it is tried again, and when it is given up. In memory only: after a
// restart each record is tried at once.
import { LRUCache } from 'lru-cache';
import { RecordDamagedError } from '../../domain/damage/damage.js';
import type { Limits } from '../../domain/limits.js';
import { CommitUnknownError, StorageError } from '../../ports/store.js';

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
    this.#troubled = new LRUCache({ max: bounds.troubledRecordFactsMax });
  }

  /** How many records are at rest, about: so many more have to be looked for. */
  get size(): number {
    return this.#troubled.size;
  }

  rests(id: string, now: number): boolean {
    return (this.#troubled.get(id)?.restsUntil ?? 0) > now;
  }

  /** The work has been done. */
  done(id: string): void {
    this.#troubled.delete(id);
  }

  /** Notes a failure. @returns True where the record is to be given up: it will not be otherwise. */
  failed(id: string, error: unknown, now: number): boolean {
    const { recordFailuresMax, recordRetryMs, recordRetryMsMax } = this.bounds;
    if (isTroubleOfAll(error)) return false;
    const failures = (this.#troubled.get(id)?.failures ?? 0) + 1;
    const delayMs = Math.min(recordRetryMs * 2 ** Math.min(failures - 1, 20), recordRetryMsMax);
    this.#troubled.set(id, { failures, restsUntil: now + delayMs });
    return error instanceof RecordDamagedError || failures >= recordFailuresMax;
  }
}

/** A disk that is full, or a database that is held by another, is no fault of the record. */
function isTroubleOfAll(error: unknown): boolean {
  if (error instanceof StorageError || error instanceof CommitUnknownError) return true;
  return error instanceof Error && error.name === 'SqliteError';
}

/** Why a record is given up, as a sentence. */
export function whyGivenUp(error: unknown): string {
  if (error instanceof RecordDamagedError) return `${error.message}.`;
  const message = error instanceof Error ? error.message : String(error);
  return `It could not be carried out: ${message.slice(0, 500)}`;
}
