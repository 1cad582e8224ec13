// What is remembered of a request that named an idempotency key, so that it happens once however often it is sent. A
// decision's receipt is written by the changeset of that decision: there is never one without the other.
import { accepted, refused, type Outcome } from '../errors.js';
import type { JsonValue } from '../json/json.js';

/** Immutable; kept for a day. */
export interface Receipt {
  readonly receiptId: string;
  /** Hash of the request. */
  readonly fingerprint: string;
  /** What was decided or answered. */
  readonly value: JsonValue;
  readonly createdAt: number;
}

/** Which receipt a decision is to leave, or to find. */
export interface Once {
  readonly receiptId: string;
  readonly fingerprint: string;
}

/**
 * What a receipt says to a request that names its key.
 *
 * @returns What was decided or answered the first time; or `idempotency_mismatch`.
 */
export function replay(receipt: Receipt, fingerprint: string): Outcome<JsonValue> {
  if (receipt.fingerprint === fingerprint) return accepted(receipt.value);
  return refused(
    'idempotency_mismatch',
    'This Idempotency-Key was used with another request. Send the first request again as it was, or take a new key.',
  );
}

/** The receipt of a decision, made with it. */
export function receiptOf(once: Once, value: unknown, now: number): Receipt {
  return { ...once, value: (value ?? null) as JsonValue, createdAt: now };
}
