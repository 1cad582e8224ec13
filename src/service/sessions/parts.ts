// What the use cases of sessions use.
import type { AddressPolicy } from '../webhooks/address-policy.js';
import type { PullCallbacksParts } from '../callbacks/pull-callbacks.js';
import type { StateParts } from '../states/parts.js';

export interface SessionParts extends PullCallbacksParts, StateParts {
  readonly webhookTargets: AddressPolicy;
  /** Whether requests need a token. Without it, headers identify the session of a caller on the loopback address. */
  readonly auth: boolean;
}
