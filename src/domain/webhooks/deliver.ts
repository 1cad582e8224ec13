// The lifecycle of a delivery: its condition is checked, it is claimed, ends or is returned, and may be sent
// again. Updates the callback that it carries.
import { describeDamage } from '../damage/damage.js';
import { deliveryEnded } from '../callbacks/message-ended.js';
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import { accepted, refused, type Outcome } from '../errors.js';
import type { Webhook, WebhookDelivery, WebhookDestination } from '../records/records.js';
import { admitted, afterAnswer, afterFailure, newDestination } from './breaker.js';
import { afterAttempt, ended, isGone, isSuccess, isTrouble, type SendResult } from './attempt.js';
import { switchedTo } from './manage.js';
import { deliveryWith } from './status.js';

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
export function conditionChecked(draft: UnitOfWork, deliveryId: string, checked: Checked): Outcome<null> {
  const delivery = find(draft, deliveryId);
  if (delivery?.status !== 'checking') return accepted(null);
  if (checked.began === false || isOrphan(draft, delivery)) draft.remove('delivery', deliveryId);
  else if (checked.began === null) {
    put(draft, delivery, ended(delivery, 'dead', checked.reason, draft.now));
    if (checked.faulty === true) disable(draft, delivery, checked.reason);
  } else put(draft, delivery, deliveryWith(delivery, 'pending', { dueAt: draft.now }));
  return accepted(null);
}

/**
 * Claims a due delivery for one attempt.
 *
 * @returns What to send; `null` if nothing is to be sent now: another sender has it, it has ended, or its circuit is
 *   open.
 */
export function claimDelivery(draft: UnitOfWork, deliveryId: string): Outcome<Claimed | null> {
  const { now } = draft;
  const { limits } = draft.context;
  const delivery = find(draft, deliveryId);
  if (delivery === undefined || delivery.dueAt === null || delivery.dueAt > now) return accepted(null);
  if (isOrphan(draft, delivery)) {
    draft.remove('delivery', deliveryId);
    return accepted(null);
  }
  const target = targetOf(draft, delivery);
  if ('gone' in target) return over(draft, delivery, target.gone);
  if (delivery.expiresAt <= now) {
    return over(draft, delivery, `Given up after ${String(delivery.failures)} attempts: its time was over.`);
  }
  const leaseMs = leaseMsOf(limits.webhookTimeoutMs);
  const destination = destinationOf(draft, delivery);
  const asked = admitted(destination, now, leaseMs);
  if ('wait' in asked) return accepted(null);
  putDestination(draft, destination, asked.go);
  const claimed = deliveryWith(delivery, 'sending', {
    attempt: delivery.attempt + 1,
    dueAt: now + leaseMs,
  });
  put(draft, delivery, claimed);
  return accepted({ delivery: claimed, ...target });
}

/**
 * Duration of one attempt plus time for the commit of its result. After that, another sender may claim the
 * delivery.
 */
function leaseMsOf(timeoutMs: number): number {
  return timeoutMs + 5_000;
}

/**
 * Applies the result of an attempt.
 *
 * @param attempt - The claim that the result belongs to. A result of an older claim counts only if the message was
 *   accepted.
 */
export function attemptDone(
  draft: UnitOfWork,
  deliveryId: string,
  attempt: number,
  result: SendResult,
  jitter: number,
): Outcome<null> {
  const { now } = draft;
  const { limits } = draft.context;
  const delivery = find(draft, deliveryId);
  if (delivery === undefined) return accepted(null);
  const destination = destinationOf(draft, delivery);
  putDestination(
    draft,
    destination,
    isTrouble(result) ? afterFailure(destination, now, limits) : afterAnswer(destination, now),
  );
  const mine = delivery.status === 'sending' && delivery.attempt === attempt;
  if (!mine && (delivery.endedAt !== null || !isSuccess(result))) return accepted(null);
  const after = afterAttempt(delivery, result, now, jitter, limits);
  put(draft, delivery, after);
  if (isGone(result)) disable(draft, delivery, 'The receiver answered 410: it wants no more.');
  if (after.endedAt !== null) deliveryEnded(draft, after);
  return accepted(null);
}

/** Returns a claimed delivery without an attempt, because its sender is stopping. */
export function giveBack(draft: UnitOfWork, deliveryId: string, attempt: number): Outcome<null> {
  const delivery = find(draft, deliveryId);
  if (delivery?.status !== 'sending' || delivery.attempt !== attempt) return accepted(null);
  put(draft, delivery, deliveryWith(delivery, 'pending', { dueAt: draft.now }));
  return accepted(null);
}

/**
 * Sends an ended delivery again, with its full time for retries.
 *
 * @returns The delivery; or `delivery_not_found`, `delivery_under_way`, `webhook_disabled`, in this order.
 */
export function redeliverAgain(
  draft: UnitOfWork,
  webhookId: string,
  deliveryId: string,
): Outcome<WebhookDelivery> {
  const delivery = find(draft, deliveryId);
  if (delivery?.webhookId !== webhookId) {
    return refused('delivery_not_found', `The webhook has no delivery ${deliveryId}.`, {
      webhook_id: webhookId,
      delivery_id: deliveryId,
    });
  }
  if (delivery.endedAt === null) {
    return refused(
      'delivery_under_way',
      `The delivery is ${delivery.status}; it is on its way without help.`,
      {
        delivery_status: delivery.status,
      },
    );
  }
  const webhook = draft.family.webhooks.get(webhookId);
  if (webhook?.enabled !== true) {
    return refused(
      'webhook_disabled',
      `The webhook is disabled (${webhook?.disabledReason ?? 'no reason is known'}); enable it first.`,
      { webhook_id: webhookId },
    );
  }
  const again = deliveryWith(delivery, 'pending', {
    failures: 0,
    dueAt: draft.now,
    expiresAt: draft.now + draft.context.limits.webhookRetryForMs,
    reason: null,
    endedAt: null,
  });
  put(draft, delivery, again);
  return accepted(again);
}

/** Ends a damaged delivery as dead. The decision requests it as `mended`. */
export function giveUpDelivery(draft: UnitOfWork, deliveryId: string, reason: string): Outcome<null> {
  giveUpWebhooks(draft);
  const delivery = find(draft, deliveryId);
  return delivery?.endedAt === null ? over(draft, delivery, reason) : accepted(null);
}

/**
 * Disables webhooks with a damaged record, because their subscription is unknown. The decision requests them as
 * `mended`.
 */
export function giveUpWebhooks(draft: UnitOfWork): Outcome<null> {
  draft.need({ want: 'webhooks' });
  for (const damage of draft.family.mended) {
    const webhook = damage.kind === 'webhook' ? draft.family.webhooks.get(damage.id) : undefined;
    if (webhook === undefined) continue;
    const reason = `${describeDamage(damage)}. Remove the webhook, and make it again.`;
    draft.put('webhook', switchedTo(webhook, reason, draft.now), webhook);
  }
  return accepted(null);
}

/** Removes ended deliveries. A delivery that is being sent again stays. */
export function forget(draft: UnitOfWork, deliveryIds: readonly string[]): Outcome<null> {
  for (const deliveryId of deliveryIds) {
    const endedAt = find(draft, deliveryId)?.endedAt ?? null;
    if (endedAt !== null) draft.remove('delivery', deliveryId);
  }
  return accepted(null);
}

function find(draft: UnitOfWork, deliveryId: string): WebhookDelivery | undefined {
  draft.need({ want: 'delivery', deliveryId });
  return draft.family.deliveries.get(deliveryId);
}

/** True if the webhook was removed in the same commit that wrote the delivery. */
function isOrphan(draft: UnitOfWork, { webhookId }: WebhookDelivery): boolean {
  return webhookId !== null && !draft.family.webhooks.has(webhookId);
}

function put(draft: UnitOfWork, before: WebhookDelivery, after: WebhookDelivery): void {
  draft.put('delivery', after, before);
}

function over(draft: UnitOfWork, delivery: WebhookDelivery, reason: string): Outcome<null> {
  const dead = ended(delivery, 'dead', reason, draft.now);
  put(draft, delivery, dead);
  deliveryEnded(draft, dead);
  return accepted(null);
}

/** The destination of a delivery, or why it has none any more. */
function targetOf(draft: UnitOfWork, delivery: WebhookDelivery) {
  if (delivery.webhookId !== null) {
    const webhook: Webhook | undefined = draft.family.webhooks.get(delivery.webhookId);
    if (webhook?.enabled !== true)
      return { gone: `The webhook is disabled: ${webhook?.disabledReason ?? ''}` };
    return { url: webhook.url, secret: webhook.secret };
  }
  draft.need({ want: 'callback', callbackId: delivery.callbackId ?? '' });
  const callback = draft.family.callbacks.get(delivery.callbackId ?? '');
  const parent = callback === undefined ? null : draft.findDesk(callback.parentSessionId);
  if (callback?.deliveryId !== delivery.deliveryId || callback.status !== 'queued') {
    return { gone: 'The callback went another way.' };
  }
  const { callbackUrl, callbackSecret, deletedAt } = parent?.session ?? {};
  if (typeof callbackUrl !== 'string' || typeof callbackSecret !== 'string' || deletedAt !== null) {
    return { gone: 'The parent was deleted.' };
  }
  return { url: callbackUrl, secret: callbackSecret };
}

function destinationOf(draft: UnitOfWork, { origin }: WebhookDelivery): WebhookDestination {
  return draft.family.destinations.get(origin) ?? newDestination(origin, draft.now);
}

function putDestination(draft: UnitOfWork, before: WebhookDestination, after: WebhookDestination): void {
  if (after === before) return;
  draft.put('destination', after, draft.family.destinations.get(before.origin));
}

function disable(draft: UnitOfWork, { webhookId }: WebhookDelivery, reason: string): void {
  const webhook = webhookId === null ? undefined : draft.family.webhooks.get(webhookId);
  if (webhook?.enabled !== true) return;
  draft.put('webhook', switchedTo(webhook, reason, draft.now), webhook);
}
