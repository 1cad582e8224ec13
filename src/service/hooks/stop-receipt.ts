// What is remembered of a stop that was reported, so that one which is asked about again ends nothing twice.
import { contentHash } from '../../schema/index.js';
import type { ServiceContext } from '../context.js';
import { ReceiptBook } from '../receipt-book.js';
import type { Trees } from '../trees.js';

const FINGERPRINT = 'session_stop';

export class StopReceipt {
  /** Decides about the stop: once, where something tells it from others. */
  readonly trees: Trees;
  readonly #receiptId: string | null;

  /** @param invocation - What tells the stop from others. */
  constructor(
    private readonly context: ServiceContext,
    sessionId: string,
    invocation: string | undefined,
  ) {
    const key = invocation === undefined ? null : contentHash(`hook stop\n${sessionId}\n${invocation}`);
    this.trees = key === null ? context.trees : context.trees.keeping(new ReceiptBook(key, FINGERPRINT));
    this.#receiptId = key === null ? null : new ReceiptBook(key, FINGERPRINT).next().receiptId;
  }

  /** Whether the stop was reported before. */
  async isThere(): Promise<boolean> {
    return this.#receiptId !== null && (await this.context.store.read.receipt(this.#receiptId)) !== null;
  }
}
