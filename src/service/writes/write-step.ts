// One write of a batch: in the queue, and from its preparation to its answer.
import type { Result } from '../../domain/errors.js';
import type { Receipt } from '../../domain/records/records.js';
import type { WriteStep, Written } from '../../domain/states/write.js';
import type { IdempotencyTerms } from '../../domain/transactions/idempotency.js';
import type { WriteCommand, WriteResult } from './prepare-write.js';

/** A write in the queue, and the functions that answer its caller. */
export interface Waiting {
  readonly command: WriteCommand;
  readonly resolve: (result: Result<WriteResult>) => void;
  readonly reject: (error: unknown) => void;
}

/** One write of a batch from its preparation to its answer. */
export interface Step extends WriteStep {
  /** The idempotency record of an accepted write with an idempotency key. */
  readonly receipt?: ((written: Written, now: number) => Receipt) | undefined;
  readonly once?: IdempotencyTerms | undefined;
  /** Answers the caller after the batch was committed or refused. */
  readonly answer: (result: Result<Written>) => void;
}

export function rejectAll(waiting: readonly Waiting[], error: unknown): void {
  for (const one of waiting) one.reject(error);
}
