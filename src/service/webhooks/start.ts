// Everything that sends webhooks, started together.
import type { Changeset } from '../../domain/transactions/changeset.js';
import type { ServiceContext } from '../context.js';
import { ConditionChecker } from './condition-checker.js';
import { Conditions } from './conditions.js';
import { Deliverer } from './deliverer.js';
import { Sender, type Resolve } from './sender.js';
import type { WebhookList } from './webhook-list.js';

/** How webhooks are sent. Nothing given: to public addresses, over TLS. */
export interface WebhookOptions {
  /** CIDR blocks that may be called beside the public addresses, there without TLS too. */
  readonly allow?: readonly string[];
  readonly userAgent?: string;
  /** Chance for the backoff, from 0 up to, not including, 1. `Math.random` by default. */
  readonly random?: () => number;
  /** Looks names up; `dns.lookup` by default. */
  readonly resolve?: Resolve;
}

export interface Sending {
  readonly hear: (changes: Changeset) => void;
  stop(): Promise<void>;
}

/** Starts to send what waits. What is heard of later is sent as it comes. */
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
