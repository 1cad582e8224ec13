// The stored record of a request with an idempotency key. The rules are in transactions/idempotency.ts.
import type { JsonValue } from '../json/json.js';

/** By what a record is found. */
export interface ReceiptKey {
  readonly receiptId: string;
  /**
   * The tree of the session that sent the request; null for callers that are no session. Earlier versions wrote null for
   * all, so a search by a tree also finds such a record.
   */
  readonly rootSessionId: string | null;
}

/** Immutable; kept for a day. */
export interface Receipt extends ReceiptKey {
  /** Hash of the request. */
  readonly fingerprint: string;
  /** The stored answer or decision. */
  readonly value: JsonValue;
  readonly createdAt: number;
}
