// The idempotency records of one request with an idempotency key. A request may make several decisions. Each has
// a record of its own, so a request that was interrupted continues where it stopped.
import type { Once } from '../../domain/transactions/idempotency.js';

export class IdempotencyStore {
  #decisions = 0;

  /** @param receiptId - Id of the record that holds the request's answer. */
  constructor(
    readonly receiptId: string,
    readonly fingerprint: string,
  ) {}

  /** The record of the next decision. A repeated request gets the same records in the same order. */
  next(): Once {
    this.#decisions += 1;
    return { receiptId: `${this.receiptId}#${String(this.#decisions)}`, fingerprint: this.fingerprint };
  }
}
