// The circuit breaker of one origin: after failures in a row it is left alone for a while, then tried with one request.
import type { Limits } from '../limits.js';
import type { WebhookDestination } from '../records/webhook-records.js';
import { destinationWith } from './status.js';

/** An origin that has never failed. */
export function newDestination(origin: string, now: number): WebhookDestination {
  return { origin, status: 'closed', failures: 0, opens: 0, until: null, updatedAt: now, revision: 0 };
}

/**
 * Asks to send one request.
 *
 * @returns The breaker as it is while the request is under way; or until when nothing may be sent.
 */
export function admitted(
  destination: WebhookDestination,
  now: number,
  probeMs: number,
): { readonly go: WebhookDestination } | { readonly wait: number } {
  if (destination.status === 'closed') return { go: destination };
  // Open, and rested; or the one that was to try it never came back.
  if (destination.until === null || destination.until <= now) {
    return { go: destinationWith(destination, 'half_open', { until: now + probeMs, updatedAt: now }) };
  }
  return { wait: destination.until };
}

/** After a request that was answered. The same object where nothing changes. */
export function afterAnswer(destination: WebhookDestination, now: number): WebhookDestination {
  if (destination.status === 'closed' && destination.failures === 0) return destination;
  return destinationWith(destination, 'closed', { failures: 0, opens: 0, until: null, updatedAt: now });
}

/** After a request that failed for reasons of the destination. */
export function afterFailure(
  destination: WebhookDestination,
  now: number,
  limits: Limits,
): WebhookDestination {
  const failures = destination.failures + 1;
  const counted = { ...destination, failures, updatedAt: now };
  // What was under way when it was opened says nothing new.
  if (destination.status === 'open') return counted;
  if (destination.status === 'closed' && failures < limits.webhookBreakerFailuresMax) return counted;
  const restMs = Math.min(limits.webhookBreakerMs * 2 ** destination.opens, limits.webhookBreakerMsMax);
  // Once the rest is at its longest there is nothing left to grow.
  const opens = restMs < limits.webhookBreakerMsMax ? destination.opens + 1 : destination.opens;
  return destinationWith(counted, 'open', { opens, until: now + restMs });
}
