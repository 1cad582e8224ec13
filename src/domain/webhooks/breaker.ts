// The circuit breaker of one origin. After consecutive failures it blocks requests for a while, then allows one probe.
import type { Limits } from '../limits.js';
import type { WebhookDestination } from '../records/webhook-records.js';
import { destinationWith } from '../lifecycle/webhook.js';

/** The breaker of an origin that has never failed. */
export function newDestination(origin: string, now: number): WebhookDestination {
  return { origin, status: 'closed', failures: 0, opens: 0, until: null, updatedAt: now, revision: 0 };
}

/**
 * Duration of one attempt plus time for the commit of its result. After that, another sender may claim the
 * delivery, and another probe may begin.
 */
export function leaseMsOf({ webhookTimeoutMs }: Limits): number {
  return webhookTimeoutMs + 5_000;
}

/**
 * The time until which no request may be sent; `null` if one may be sent now. A time that is further away than the
 * longest pause does not count: the clock was set back since.
 */
export function restsUntil(
  { status, until }: WebhookDestination,
  now: number,
  limits: Limits,
): number | null {
  if (status === 'closed' || until === null || until <= now) return null;
  return until - now > Math.max(limits.webhookBreakerMsMax, leaseMsOf(limits)) ? null : until;
}

/**
 * Requests permission to send one request.
 *
 * @returns The breaker while the request is in progress; or the time until which no request may be sent.
 */
export function admitted(
  destination: WebhookDestination,
  now: number,
  limits: Limits,
): { readonly go: WebhookDestination } | { readonly wait: number } {
  if (destination.status === 'closed') return { go: destination };
  const wait = restsUntil(destination, now, limits);
  if (wait !== null) return { wait };
  // The open time is over, or the last probe did not report its result in time.
  const until = now + leaseMsOf(limits);
  return { go: destinationWith(destination, 'half_open', { until, updatedAt: now }) };
}

/**
 * True if the destination does not answer, as far as is known: its circuit is not closed. A circuit whose open time is over
 * for longer than the longest one says nothing: nobody was there to send a probe.
 */
export function isUnanswered(
  { status, until }: WebhookDestination,
  now: number,
  { webhookBreakerMsMax }: Limits,
): boolean {
  return status !== 'closed' && (until === null || now <= until + webhookBreakerMsMax);
}

/** The breaker after a request that was answered. Returns the same object if nothing changes. */
export function afterAnswer(destination: WebhookDestination, now: number): WebhookDestination {
  if (destination.status === 'closed' && destination.failures === 0) return destination;
  return destinationWith(destination, 'closed', { failures: 0, opens: 0, until: null, updatedAt: now });
}

/** The breaker after a request that failed because of the destination. */
export function afterFailure(
  destination: WebhookDestination,
  now: number,
  limits: Limits,
): WebhookDestination {
  const failures = destination.failures + 1;
  const counted = { ...destination, failures, updatedAt: now };
  // A request that was in progress when the circuit opened adds no information.
  if (destination.status === 'open') return counted;
  if (destination.status === 'closed' && failures < limits.webhookBreakerFailuresMax) return counted;
  const restMs = Math.min(limits.webhookBreakerMs * 2 ** destination.opens, limits.webhookBreakerMsMax);
  // At the maximum pause, `opens` stays the same.
  const opens = restMs < limits.webhookBreakerMsMax ? destination.opens + 1 : destination.opens;
  return destinationWith(counted, 'open', { opens, until: now + restMs });
}
