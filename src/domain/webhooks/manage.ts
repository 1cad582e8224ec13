// Adds, removes, enables and disables webhooks.
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import { ok, fail, type Result } from '../errors.js';
import type { Limits } from '../limits.js';
import type { DeliveryStatus, Session, Webhook } from '../records/records.js';

type NewWebhook = Omit<
  Webhook,
  'webhookId' | 'enabled' | 'disabledReason' | 'createdAt' | 'updatedAt' | 'revision'
>;

/**
 * Adds a webhook. It gets what is committed after it.
 *
 * @returns The webhook; or `limit_exceeded`.
 */
export function addWebhook(unit: UnitOfWork, command: NewWebhook): Result<Webhook> {
  unit.need({ load: 'webhooks' });
  const limits = checkWebhookLimits(unit, command);
  if (!limits.ok) return limits;
  const webhook: Webhook = {
    ...command,
    webhookId: unit.context.newId('whk'),
    enabled: true,
    disabledReason: null,
    createdAt: unit.now,
    updatedAt: unit.now,
    revision: 0,
  };
  unit.put('webhook', webhook, undefined);
  return ok(webhook);
}

/** Checks the limits of sessions and trees, so that none uses up the webhooks of the others. */
function checkWebhookLimits(unit: UnitOfWork, { ownerSessionId, rootSessionId }: NewWebhook): Result<null> {
  const all = [...unit.records.webhooks.values()];
  const ofSessions = all.filter((one) => one.ownerSessionId !== null);
  const counts: [keyof Limits, number, string][] = [
    ...(ownerSessionId === null
      ? []
      : ([
          [
            'webhooksPerSessionMax',
            ofSessions.filter((one) => one.ownerSessionId === ownerSessionId).length,
            'The session has',
          ],
          [
            'webhooksPerTreeMax',
            ofSessions.filter((one) => one.rootSessionId === rootSessionId).length,
            'The sessions of the tree have',
          ],
        ] satisfies [keyof Limits, number, string][])),
    ['webhooksMax', all.length, 'There are'],
  ];
  const full = counts.find(([limit, count]) => count >= unit.context.limits[limit]);
  if (full === undefined) return ok(null);
  const [limit, count, who] = full;
  const maximum = unit.context.limits[limit];
  return fail(
    'limit_exceeded',
    `${who} ${String(maximum)} webhooks already; remove one that is not needed.`,
    { limit, maximum, actual: count + 1 },
  );
}

/**
 * Removes a webhook with its pending deliveries.
 *
 * @returns Nothing; or `webhook_not_found`.
 */
export function removeWebhook(unit: UnitOfWork, webhookId: string): Result<null> {
  unit.need({ load: 'webhooks' });
  if (!unit.records.webhooks.has(webhookId)) return noWebhook(webhookId);
  unit.remove('webhook', webhookId);
  return ok(null);
}

/**
 * Enables a webhook, or disables it with a reason.
 *
 * @returns The webhook after the change; or `webhook_not_found`.
 */
export function setWebhookEnabled(
  unit: UnitOfWork,
  webhookId: string,
  offBecause: string | null,
): Result<Webhook> {
  unit.need({ load: 'webhooks' });
  const webhook = unit.records.webhooks.get(webhookId);
  if (webhook === undefined) return noWebhook(webhookId);
  if (webhook.enabled === (offBecause === null)) return ok(webhook);
  const switched = switchedTo(webhook, offBecause, unit.now);
  unit.put('webhook', switched, webhook);
  return ok(switched);
}

/** The webhook, enabled or disabled. */
export function switchedTo(webhook: Webhook, offBecause: string | null, now: number): Webhook {
  return { ...webhook, enabled: offBecause === null, disabledReason: offBecause, updatedAt: now };
}

/** The failure for a webhook that does not exist. */
export function noWebhook(webhookId: string) {
  return fail('webhook_not_found', `There is no webhook ${webhookId}.`, { webhook_id: webhookId });
}

/**
 * True if nothing more is committed about a tree: its root was deleted, and no child is at work.
 *
 * @param root - `null` if its record was removed.
 * @param openCompletions - How many completions of the tree are open: not released, or pending again.
 */
export function isTreeOver(root: Pick<Session, 'deletedAt'> | null, openCompletions: number): boolean {
  return root?.deletedAt !== null && openCompletions === 0;
}

/** Deliveries that keep the webhook of such a tree: its last messages are about the end, and dead letters can be sent again. */
export const KEEPING_STATUSES: readonly DeliveryStatus[] = ['checking', 'pending', 'sending', 'dead'];
