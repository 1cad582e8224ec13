// What is remembered of a stop that was reported, so that one which is asked about again ends nothing twice.
import { contentHash } from '../../document/index.js';
import type { ServiceContext } from '../context.js';
import { IdempotencyStore } from '../transactions/idempotency-store.js';
import type { TreeTransactions } from '../transactions/tree-transactions.js';

const FINGERPRINT = 'session_stop';

export class StopReceipt {
  /** Decides about the stop: once, where something tells it from others. */
  readonly trees: TreeTransactions;
  readonly #receiptId: string | null;

  /** @param invocation - What tells the stop from others. */
  constructor(
    private readonly context: ServiceContext,
    sessionId: string,
    invocation: string | undefined,
  ) {
    const key = invocation === undefined ? null : contentHash(`hook stop\n${sessionId}\n${invocation}`);
    this.trees = key === null ? context.trees : context.trees.keeping(new IdempotencyStore(key, FINGERPRINT));
    this.#receiptId = key === null ? null : new IdempotencyStore(key, FINGERPRINT).next().receiptId;
  }

  /** Whether the stop was reported before. */
  async isThere(): Promise<boolean> {
    return this.#receiptId !== null && (await this.context.store.read.receipt(this.#receiptId)) !== null;
  }
}
