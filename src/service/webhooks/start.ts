// Starts everything that sends webhooks.
import type { Changeset } from '../../domain/transactions/changeset.js';
import type { ServiceContext } from '../context.js';
import { ConditionChecker } from './condition-checker.js';
import { Conditions } from './conditions.js';
import { Deliverer } from './deliverer.js';
import { Sender, type Resolve } from './sender.js';
import type { WebhookList } from './webhook-list.js';

/** How webhooks are sent. By default only to public addresses, over TLS. */
export interface WebhookOptions {
  /** CIDR blocks that are allowed beside the public addresses, also without TLS. */
  readonly allow?: readonly string[];
  readonly userAgent?: string;
  /** Random number for the backoff, from 0 (inclusive) to 1 (exclusive). Default: `Math.random`. */
  readonly random?: () => number;
  /** Resolves names. Default: `dns.lookup`. */
  readonly resolve?: Resolve;
}

export interface Sending {
  readonly hear: (changes: Changeset) => void;
  stop(): Promise<void>;
}

/** Starts sending waiting deliveries. Later ones arrive through `hear`. */
export function startWebhooks(
  context: ServiceContext,
  webhooks: WebhookList,
  options: WebhookOptions,
): Sending {
  const { webhookTargets, limits, clock } = context;
  const sender = new Sender({
    policy: webhookTargets,
    limits,
    clock,
    userAgent: options.userAgent ?? 'countersign',
    resolve: options.resolve,
  });
  const checker = new ConditionChecker({ ...context, webhooks, conditions: new Conditions(context) });
  const deliverer = new Deliverer({ ...context, sender, random: options.random ?? Math.random });
  checker.start();
  deliverer.start();
  return {
    hear: (changes) => {
      checker.hear(changes);
      deliverer.hear(changes);
    },
    stop: async () => {
      await checker.stop();
      await deliverer.stop();
    },
  };
}
