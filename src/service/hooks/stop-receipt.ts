// The idempotency record of a reported stop. A repeated request for the same stop changes nothing.
import { contentHash } from '../../document/index.js';
import type { Session } from '../../domain/records/records.js';
import type { Store } from '../../ports/storage/store.js';
import { IdempotencyStore } from '../transactions/idempotency-store.js';
import type { TreeTransactions } from '../transactions/tree-transactions.js';

interface Parts {
  readonly store: Store;
  readonly transactions: TreeTransactions;
}

const FINGERPRINT = 'session_stop';

export class StopReceipt {
  /** The transactions to report the stop with. They store an idempotency record if the client identifies the stop. */
  readonly transactions: TreeTransactions;
  readonly #receipts: IdempotencyStore | null;

  /** @param invocation - Identifies the stop; `undefined` if the client does not identify it. */
  constructor(
    private readonly context: Parts,
    { sessionId, rootSessionId }: Session,
    invocation: string | undefined,
  ) {
    const answer = (invoked: string) => ({
      receiptId: contentHash(`hook stop\n${sessionId}\n${invoked}`),
      rootSessionId,
      fingerprint: FINGERPRINT,
    });
    this.#receipts =
      invocation === undefined ? null : new IdempotencyStore(context.store, answer(invocation));
    this.transactions =
      this.#receipts === null ? context.transactions : context.transactions.keeping(this.#receipts);
  }

  /** Whether the stop was reported before. */
  async isThere(): Promise<boolean> {
    if (this.#receipts === null) return false;
    return (await this.context.store.read.receipt(this.#receipts.of('report_session'))) !== null;
  }
}
