// Adds, removes, enables and disables webhooks.
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import { accepted, refused, type Outcome } from '../errors.js';
import type { Limits } from '../limits.js';
import type { Webhook } from '../records/records.js';

export type NewWebhook = Omit<
  Webhook,
  'webhookId' | 'enabled' | 'disabledReason' | 'createdAt' | 'updatedAt' | 'revision'
>;

/**
 * Adds a webhook. It gets what is committed after it.
 *
 * @returns The webhook; or `limit_exceeded`.
 */
export function addWebhook(draft: UnitOfWork, command: NewWebhook): Outcome<Webhook> {
  draft.need({ want: 'webhooks' });
  const room = roomFor(draft, command);
  if (!room.ok) return room;
  const webhook: Webhook = {
    ...command,
    webhookId: draft.context.newId('whk'),
    enabled: true,
    disabledReason: null,
    createdAt: draft.now,
    updatedAt: draft.now,
    revision: 0,
  };
  draft.put('webhook', webhook, undefined);
  return accepted(webhook);
}

/** Checks the limits of sessions and trees, so that none uses up the webhooks of the others. */
function roomFor(draft: UnitOfWork, { ownerSessionId, rootSessionId }: NewWebhook): Outcome<null> {
  const all = [...draft.family.webhooks.values()];
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
  const full = counts.find(([limit, count]) => count >= draft.context.limits[limit]);
  if (full === undefined) return accepted(null);
  const [limit, count, who] = full;
  const maximum = draft.context.limits[limit];
  return refused(
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
export function removeWebhook(draft: UnitOfWork, webhookId: string): Outcome<null> {
  draft.need({ want: 'webhooks' });
  if (!draft.family.webhooks.has(webhookId)) return noWebhook(webhookId);
  draft.remove('webhook', webhookId);
  return accepted(null);
}

/**
 * Enables a webhook, or disables it with a reason.
 *
 * @returns The webhook after the change; or `webhook_not_found`.
 */
export function switchWebhook(
  draft: UnitOfWork,
  webhookId: string,
  offBecause: string | null,
): Outcome<Webhook> {
  draft.need({ want: 'webhooks' });
  const webhook = draft.family.webhooks.get(webhookId);
  if (webhook === undefined) return noWebhook(webhookId);
  if (webhook.enabled === (offBecause === null)) return accepted(webhook);
  const switched = switchedTo(webhook, offBecause, draft.now);
  draft.put('webhook', switched, webhook);
  return accepted(switched);
}

/** The webhook, enabled or disabled. */
export function switchedTo(webhook: Webhook, offBecause: string | null, now: number): Webhook {
  return { ...webhook, enabled: offBecause === null, disabledReason: offBecause, updatedAt: now };
}

/** The failure for a webhook that does not exist. */
export function noWebhook(webhookId: string) {
  return refused('webhook_not_found', `There is no webhook ${webhookId}.`, { webhook_id: webhookId });
}
