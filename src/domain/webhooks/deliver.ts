// The lifecycle of a delivery: its condition is checked, it is claimed, ends or is returned, and may be sent
// again. Updates the callback that it carries.
import { describeDamage } from '../damage/damage.js';
import { deliveryEnded, NO_URL_OF_PARENT } from './callback.js';
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import { ok, fail, type Result } from '../errors.js';
import type { Limits } from '../limits.js';
import type { Webhook, WebhookDelivery, WebhookDestination } from '../records/records.js';
import { admitted, afterAnswer, afterFailure, isUnanswered, leaseMsOf, newDestination } from './breaker.js';
import { afterAttempt, ended, isGone, isSuccess, isTrouble, type SendResult } from './attempt.js';
import { switchedTo } from './manage.js';
import { isHttpUrl } from './http-url.js';
import { deliveryWith } from '../lifecycle/webhook.js';

/** What to send, and where. */
export interface Claimed {
  readonly delivery: WebhookDelivery;
  readonly url: string;
  readonly secret: string;
}

/**
 * Whether the condition began to hold with a committed version. `null`: it could not be determined, for the
 * given reason.
 */
export type Checked =
  | { readonly began: boolean }
  /** `faulty`: the condition itself cannot be evaluated, on this document or any other. */
  | { readonly began: null; readonly reason: string; readonly faulty?: boolean };

/** Applies the result of a condition check. Removes a delivery that is not to be sent. */
export function conditionChecked(unit: UnitOfWork, deliveryId: string, checked: Checked): Result<null> {
  const delivery = find(unit, deliveryId);
  if (delivery?.status !== 'checking') return ok(null);
  if (checked.began === false || isOrphan(unit, delivery)) unit.remove('delivery', deliveryId);
  else if (checked.began === null) {
    put(unit, delivery, ended(delivery, 'dead', checked.reason, unit.now));
    if (checked.faulty === true) disable(unit, delivery, checked.reason);
  } else put(unit, delivery, untried(delivery, unit.now));
  return ok(null);
}

/**
 * Claims a due delivery for one attempt.
 *
 * @returns What to send; `null` if nothing is to be sent now: another sender has it, it has ended, or its circuit is
 *   open.
 */
export function claimDelivery(unit: UnitOfWork, deliveryId: string): Result<Claimed | null> {
  const { now } = unit;
  const { limits } = unit.context;
  const delivery = find(unit, deliveryId);
  if (delivery === undefined || delivery.dueAt === null || delivery.dueAt > now) return ok(null);
  if (isOrphan(unit, delivery)) {
    unit.remove('delivery', deliveryId);
    return ok(null);
  }
  const target = targetOf(unit, delivery);
  if ('gone' in target) return endDelivery(unit, delivery, target.gone);
  const destination = destinationOf(unit, delivery);
  if (isExpired(delivery, destination, now, limits)) {
    return endDelivery(
      unit,
      delivery,
      `Given up after ${String(delivery.failures)} attempts: its delivery period ended.`,
    );
  }
  const asked = admitted(destination, now, limits);
  if ('wait' in asked) return ok(null);
  putDestination(unit, destination, asked.go);
  const claimed = deliveryWith(delivery, 'sending', {
    attempt: delivery.attempt + 1,
    dueAt: now + leaseMsOf(limits),
  });
  put(unit, delivery, claimed);
  return ok({ delivery: claimed, ...target });
}

/** A delivery that is due, and was within its period at the latest: nobody was there to send it earlier. */
function untried(delivery: WebhookDelivery, now: number): WebhookDelivery {
  return deliveryWith(delivery, 'pending', { dueAt: Math.min(now, delivery.expiresAt) });
}

/**
 * True if a delivery is not tried any more. One that was due within its period, and that nobody was there to send, is
 * tried once more: its next time is after the period then. Not while its receiver does not answer: too many may wait.
 */
function isExpired(
  { dueAt, expiresAt }: WebhookDelivery,
  destination: WebhookDestination,
  now: number,
  limits: Limits,
): boolean {
  if (expiresAt > now) return false;
  return (dueAt ?? now) > expiresAt || isUnanswered(destination, now, limits);
}

/**
 * Applies the result of an attempt.
 *
 * @param attempt - The claim that the result belongs to. A result of an older claim counts only if the message was
 *   accepted.
 */
export function attemptDone(
  unit: UnitOfWork,
  deliveryId: string,
  attempt: number,
  result: SendResult,
  jitter: number,
): Result<null> {
  const { now } = unit;
  const { limits } = unit.context;
  const delivery = find(unit, deliveryId);
  if (delivery === undefined) return ok(null);
  const destination = destinationOf(unit, delivery);
  putDestination(
    unit,
    destination,
    isTrouble(result) ? afterFailure(destination, now, limits) : afterAnswer(destination, now),
  );
  const mine = delivery.status === 'sending' && delivery.attempt === attempt;
  if (!mine && (delivery.endedAt !== null || !isSuccess(result))) return ok(null);
  const after = afterAttempt(delivery, result, now, jitter, limits);
  put(unit, delivery, after);
  if (isGone(result)) disable(unit, delivery, 'The receiver answered 410: it wants no more.');
  if (after.endedAt !== null) deliveryEnded(unit, after);
  return ok(null);
}

/** Returns a claimed delivery without an attempt, because its sender is stopping. */
export function releaseDelivery(unit: UnitOfWork, deliveryId: string, attempt: number): Result<null> {
  const delivery = find(unit, deliveryId);
  if (delivery?.status !== 'sending' || delivery.attempt !== attempt) return ok(null);
  put(unit, delivery, untried(delivery, unit.now));
  return ok(null);
}

/**
 * Sends an ended delivery again, with its full time for retries.
 *
 * @param reason - Why; it is kept with the delivery.
 * @returns The delivery; or `delivery_not_found`, `delivery_under_way`, `webhook_disabled`, in this order.
 */
export function redeliverAgain(
  unit: UnitOfWork,
  webhookId: string,
  deliveryId: string,
  reason?: string,
): Result<WebhookDelivery> {
  const delivery = find(unit, deliveryId);
  if (delivery?.webhookId !== webhookId) {
    return fail('delivery_not_found', `The webhook has no delivery ${deliveryId}.`, {
      webhook_id: webhookId,
      delivery_id: deliveryId,
    });
  }
  if (delivery.endedAt === null) {
    return fail('delivery_under_way', `The delivery is ${delivery.status}; it is still being delivered.`, {
      delivery_status: delivery.status,
    });
  }
  const webhook = unit.records.webhooks.get(webhookId);
  if (webhook?.enabled !== true) {
    return fail(
      'webhook_disabled',
      `The webhook is disabled (${webhook?.disabledReason ?? 'no reason is known'}); enable it first.`,
      { webhook_id: webhookId },
    );
  }
  const retried = deliveryWith(delivery, 'pending', {
    failures: 0,
    dueAt: unit.now,
    expiresAt: unit.now + unit.context.limits.webhookRetryForMs,
    reason: reason ?? null,
    endedAt: null,
  });
  put(unit, delivery, retried);
  return ok(retried);
}

/** Ends a damaged delivery as dead. The decision requests it as `repaired`. */
export function giveUpDelivery(unit: UnitOfWork, deliveryId: string, reason: string): Result<null> {
  giveUpWebhooks(unit);
  const delivery = find(unit, deliveryId);
  return delivery?.endedAt === null ? endDelivery(unit, delivery, reason) : ok(null);
}

/**
 * Disables webhooks with a damaged record, because their subscription is unknown. The decision requests them as
 * `repaired`.
 */
export function giveUpWebhooks(unit: UnitOfWork): Result<null> {
  unit.need({ load: 'webhooks' });
  for (const damage of unit.records.repaired) {
    const webhook = damage.kind === 'webhook' ? unit.records.webhooks.get(damage.id) : undefined;
    if (webhook === undefined) continue;
    const reason = `${describeDamage(damage)}. Remove the webhook, and make it again.`;
    unit.put('webhook', switchedTo(webhook, reason, unit.now), webhook);
  }
  return ok(null);
}

/** Removes ended deliveries. A delivery that is being sent again stays. */
export function forget(unit: UnitOfWork, deliveryIds: readonly string[]): Result<null> {
  // All together: a decision may request more records only a few times.
  unit.need(...deliveryIds.map((deliveryId) => ({ load: 'delivery', deliveryId }) as const));
  for (const deliveryId of deliveryIds) {
    const endedAt = find(unit, deliveryId)?.endedAt ?? null;
    if (endedAt !== null) unit.remove('delivery', deliveryId);
  }
  return ok(null);
}

function find(unit: UnitOfWork, deliveryId: string): WebhookDelivery | undefined {
  unit.need({ load: 'delivery', deliveryId });
  return unit.records.deliveries.get(deliveryId);
}

/** True if the webhook was removed in the same commit that wrote the delivery. */
function isOrphan(unit: UnitOfWork, { webhookId }: WebhookDelivery): boolean {
  return webhookId !== null && !unit.records.webhooks.has(webhookId);
}

function put(unit: UnitOfWork, before: WebhookDelivery, after: WebhookDelivery): void {
  unit.put('delivery', after, before);
}

function endDelivery(unit: UnitOfWork, delivery: WebhookDelivery, reason: string): Result<null> {
  const dead = ended(delivery, 'dead', reason, unit.now);
  put(unit, delivery, dead);
  deliveryEnded(unit, dead);
  return ok(null);
}

/** The destination of a delivery, or why it has none any more. */
function targetOf(unit: UnitOfWork, delivery: WebhookDelivery) {
  if (delivery.webhookId !== null) {
    const webhook: Webhook | undefined = unit.records.webhooks.get(delivery.webhookId);
    if (webhook?.enabled !== true)
      return { gone: `The webhook is disabled: ${webhook?.disabledReason ?? ''}` };
    return { url: webhook.url, secret: webhook.secret };
  }
  const callback = unit.findCallback(delivery.callbackId ?? '');
  const parent = callback === null ? null : unit.findAggregate(callback.parentSessionId);
  if (callback?.deliveryId !== delivery.deliveryId || callback.status !== 'queued') {
    return { gone: 'The callback is no longer delivered by this message.' };
  }
  const { callbackUrl, callbackSecret, deletedAt } = parent?.session ?? {};
  if (typeof callbackUrl !== 'string' || typeof callbackSecret !== 'string' || deletedAt !== null) {
    return { gone: 'The parent was deleted.' };
  }
  if (!isHttpUrl(callbackUrl)) return { gone: NO_URL_OF_PARENT };
  return { url: callbackUrl, secret: callbackSecret };
}

function destinationOf(unit: UnitOfWork, { origin }: WebhookDelivery): WebhookDestination {
  return unit.records.destinations.get(origin) ?? newDestination(origin, unit.now);
}

function putDestination(unit: UnitOfWork, before: WebhookDestination, after: WebhookDestination): void {
  if (after === before) return;
  unit.put('destination', after, unit.records.destinations.get(before.origin));
}

function disable(unit: UnitOfWork, { webhookId }: WebhookDelivery, reason: string): void {
  const webhook = webhookId === null ? undefined : unit.records.webhooks.get(webhookId);
  if (webhook?.enabled !== true) return;
  unit.put('webhook', switchedTo(webhook, reason, unit.now), webhook);
}
