// The result of one attempt to send: delivered, to be retried, or dead. Pure arithmetic on one delivery.
import type { Limits } from '../limits.js';
import type { DeliveryAttempt, WebhookDelivery } from '../records/webhook-records.js';
import { deliveryWith } from '../lifecycle/webhook.js';

/** The result of a POST. */
export type SendResult =
  | {
      readonly kind: 'answer';
      readonly status: number;
      /** Value of `Retry-After`, milliseconds from now. */
      readonly retryAfterMs: number | null;
      readonly response: string;
      readonly durationMs: number;
    }
  | { readonly kind: 'error'; readonly error: string; readonly durationMs: number };

const GONE = 410;

/** True if the receiver has accepted the message. */
export function isSuccess(result: SendResult): boolean {
  return result.kind === 'answer' && result.status >= 200 && result.status < 300;
}

/** True if the receiver wants no more messages at all. */
export function isGone(result: SendResult): boolean {
  return result.kind === 'answer' && result.status === GONE;
}

/** True if the destination as a whole has a problem. False if it refused only this message. */
export function isTrouble(result: SendResult): boolean {
  return result.kind === 'error' || result.status >= 500 || result.status === 429;
}

/** The result in words, for the reason of a dead delivery. */
function describeResult(result: SendResult): string {
  if (result.kind === 'error') return result.error;
  const { status } = result;
  const redirect = status >= 300 && status < 400;
  return `the receiver answered ${String(status)}${redirect ? '; redirects are not followed' : ''}`;
}

/**
 * Delay after a failure: a random part of a span that doubles (full jitter), or `Retry-After` if that is
 * longer.
 *
 * @param failures - Failures so far, including this one.
 * @param jitter - From 0 up to, not including, 1.
 */
export function retryDelayMs(failures: number, result: SendResult, jitter: number, limits: Limits): number {
  const spanMs = Math.min(
    limits.webhookBackoffMs * 2 ** Math.min(failures - 1, 40),
    limits.webhookBackoffMsMax,
  );
  const asked = result.kind === 'answer' ? (result.retryAfterMs ?? 0) : 0;
  return Math.max(Math.floor(spanMs * jitter), Math.min(asked, limits.webhookRetryAfterMsMax));
}

/** The delivery after one of its attempts. */
export function afterAttempt(
  delivery: WebhookDelivery,
  result: SendResult,
  now: number,
  jitter: number,
  limits: Limits,
): WebhookDelivery {
  const attempts = [...delivery.attempts, attemptOf(delivery, result, now)];
  const tried = { ...delivery, attempts: attempts.slice(-limits.webhookAttemptsKeptMax) };
  if (isSuccess(result)) return ended(tried, 'delivered', delivery.reason, now);
  const what = describeResult(result);
  if (isGone(result)) return ended(tried, 'dead', `${sentence(what)}: it wants no more.`, now);
  const failures = delivery.failures + 1;
  const dueAt = now + retryDelayMs(failures, result, jitter, limits);
  if (dueAt > delivery.expiresAt) {
    return ended(
      { ...tried, failures },
      'dead',
      `Given up after ${String(failures)} attempts: ${what}.`,
      now,
    );
  }
  return deliveryWith(tried, 'pending', { failures, dueAt });
}

/** The delivery in a final status. */
export function ended(
  delivery: WebhookDelivery,
  status: 'delivered' | 'dead',
  reason: string | null,
  now: number,
): WebhookDelivery {
  return deliveryWith(delivery, status, { reason, dueAt: null, endedAt: now });
}

function attemptOf(delivery: WebhookDelivery, result: SendResult, now: number): DeliveryAttempt {
  const answer = result.kind === 'answer' ? result : null;
  return {
    attempt: delivery.attempt,
    at: now - result.durationMs,
    durationMs: result.durationMs,
    status: answer?.status ?? null,
    error: result.kind === 'error' ? result.error : null,
    response: answer?.response ?? null,
  };
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
