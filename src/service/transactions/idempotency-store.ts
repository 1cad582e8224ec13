// The receipts of one request with an idempotency key. A request may take several decisions; each has a receipt of its
// own, so that one that was broken off is taken up where it was.
import type { Once } from '../../domain/transactions/idempotency.js';

export class IdempotencyStore {
  #decisions = 0;

  /** @param receiptId - Of the request's answer. */
  constructor(
    readonly receiptId: string,
    readonly fingerprint: string,
  ) {}

  /** The receipt of the next decision: the same one, when the request is sent again. */
  next(): Once {
    this.#decisions += 1;
    return { receiptId: `${this.receiptId}#${String(this.#decisions)}`, fingerprint: this.fingerprint };
  }
}
