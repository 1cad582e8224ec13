// Webhooks come, go, and are turned off and on.
import type { Draft } from '../draft.js';
import { accepted, refused, type Outcome } from '../errors.js';
import type { Webhook } from '../records.js';

export type NewWebhook = Omit<
  Webhook,
  'webhookId' | 'enabled' | 'disabledReason' | 'createdAt' | 'updatedAt' | 'revision'
>;

/** Keeps a webhook: it is told of what is committed after it. @returns The webhook; or `limit_exceeded`. */
export function addWebhook(draft: Draft, command: NewWebhook): Outcome<Webhook> {
  draft.need({ want: 'webhooks' });
  const { webhooksMax } = draft.context.limits;
  const actual = draft.family.webhooks.size + 1;
  if (actual > webhooksMax) {
    return refused(
      'limit_exceeded',
      `There are ${String(webhooksMax)} webhooks already; remove one that is not needed.`,
      { limit: 'webhooksMax', maximum: webhooksMax, actual },
    );
  }
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

/** Removes a webhook with everything that it was still to be told. @returns `webhook_not_found`. */
export function removeWebhook(draft: Draft, webhookId: string): Outcome<null> {
  draft.need({ want: 'webhooks' });
  if (!draft.family.webhooks.has(webhookId)) return noWebhook(webhookId);
  draft.remove('webhook', webhookId);
  return accepted(null);
}

/** Turns a webhook on, or off with a reason. @returns The webhook as it is then; or `webhook_not_found`. */
export function switchWebhook(draft: Draft, webhookId: string, offBecause: string | null): Outcome<Webhook> {
  draft.need({ want: 'webhooks' });
  const webhook = draft.family.webhooks.get(webhookId);
  if (webhook === undefined) return noWebhook(webhookId);
  if (webhook.enabled === (offBecause === null)) return accepted(webhook);
  const switched = switchedTo(webhook, offBecause, draft.now);
  draft.put('webhook', switched, webhook);
  return accepted(switched);
}

/** The webhook, on or off. */
export function switchedTo(webhook: Webhook, offBecause: string | null, now: number): Webhook {
  return { ...webhook, enabled: offBecause === null, disabledReason: offBecause, updatedAt: now };
}

/** The refusal for a webhook that is not there. */
export function noWebhook(webhookId: string) {
  return refused('webhook_not_found', `There is no webhook ${webhookId}.`, { webhook_id: webhookId });
}
