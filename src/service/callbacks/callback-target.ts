// The URL and secret to which a new session, as a parent, gets its callbacks sent by webhook.
import { ok, invalidMember, type Result } from '../../domain/errors.js';
import type * as api from '../../ports/api/index.js';
import type { AddressPolicy } from '../webhooks/address-policy.js';
import { mapped } from '../results.js';
import { secretOf } from '../webhooks/webhook-service.js';
import { targetOf } from '../webhooks/target.js';

interface Parts {
  readonly webhookTargets: AddressPolicy;
}

export interface CallbackTarget {
  readonly url: string;
  readonly secret: string;
}

/** @returns The target, or `null` for another delivery; or `invalid_request` or `webhook_url_refused`. */
export function callbackTarget(
  { webhookTargets }: Parts,
  body: Pick<api.SessionCreate, 'delivery' | 'callback_url' | 'callback_secret'>,
): Result<CallbackTarget | null> {
  if (body.delivery !== 'webhook') {
    const odd = (['callback_url', 'callback_secret'] as const).find((one) => body[one] !== undefined);
    if (odd === undefined) return ok(null);
    return invalidMember(`/${odd}`, 'goes with the delivery webhook alone', 'delivery: webhook');
  }
  if (body.callback_url === undefined) {
    return invalidMember('/callback_url', 'is missing: where are callbacks to be sent?', 'an https:// URL');
  }
  const target = targetOf(body.callback_url, '/callback_url', webhookTargets);
  if (!target.ok) return target;
  return mapped(secretOf(body.callback_secret, '/callback_secret'), (secret) => ({
    url: target.value.url,
    secret,
  }));
}
