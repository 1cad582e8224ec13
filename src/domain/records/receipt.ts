// The stored record of a request with an idempotency key. The rules are in transactions/idempotency.ts.
import type { JsonValue } from '../json/json.js';

/** Immutable; kept for a day. */
export interface Receipt {
  readonly receiptId: string;
  /** Hash of the request. */
  readonly fingerprint: string;
  /** The stored answer or decision. */
  readonly value: JsonValue;
  readonly createdAt: number;
}
