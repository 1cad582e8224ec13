// Idempotency records: a request with an idempotency key takes effect once, however often it is sent. The
// record of a decision is part of the changeset of that decision, so neither exists without the other.
import { ok, fail, type Result } from '../errors.js';
import type { JsonValue } from '../json/json.js';
import type { Receipt, ReceiptKey } from '../records/receipt.js';
import type { LoadRequest } from './loaded-records.js';

/** The idempotency record that a decision writes or finds. */
export interface IdempotencyTerms extends ReceiptKey {
  readonly fingerprint: string;
}

/**
 * Answers a repeated request from its idempotency record.
 *
 * @returns The first answer or decision; or `idempotency_mismatch`.
 */
export function replay(receipt: Receipt, fingerprint: string): Result<JsonValue> {
  if (receipt.fingerprint === fingerprint) return ok(receipt.value);
  return fail(
    'idempotency_mismatch',
    'This Idempotency-Key was used with another request. Send the first request again as it was, or take a new key.',
  );
}

/** The idempotency record of a decision. */
export function receiptOf(once: IdempotencyTerms, value: unknown, now: number): Receipt {
  return { value: (value ?? null) as JsonValue, createdAt: now, ...once };
}

/** True for the id of a record that holds an object or an array. That of an effect has the effect's name behind it. */
export function isOfAnswer(receiptId: string): boolean {
  return !receiptId.includes('#');
}

/** Loads the record with a key, for a decision. */
export function loadReceipt({ receiptId, rootSessionId }: ReceiptKey): LoadRequest {
  return { load: 'receipt', receiptId, rootSessionId };
}
