// Starts everything that sends webhooks.
import type { Changeset } from '../../domain/transactions/changeset.js';
import type { Store } from '../../ports/storage/store.js';
import type { SchemaEngine } from '../../ports/schema-engine.js';
import type { Clock, Logger } from '../../ports/runtime.js';
import type { Limits } from '../../domain/limits.js';
import type { Documents } from '../documents/documents.js';
import type { DocumentTexts } from '../documents/document-texts.js';
import type { TreeTransactions } from '../transactions/tree-transactions.js';
import type { AddressPolicy } from './address-policy.js';
import type { TimeSlices } from '../../lib/time-slices.js';
import { ConditionChecker } from './condition-checker.js';
import { Conditions } from './conditions.js';
import { Deliverer } from './deliverer.js';
import { Sender } from './sender.js';
import type { WebhookList } from './webhook-list.js';

interface Parts {
  readonly store: Store;
  readonly engine: SchemaEngine;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly logger: Logger;
  readonly documents: Documents;
  readonly texts: DocumentTexts;
  readonly transactions: TreeTransactions;
  readonly webhookTargets: AddressPolicy;
  readonly slices: TimeSlices;
  readonly summaryOf: (callbackId: string) => Promise<string | null>;
  /** Aborted when the service shuts down, so that waits end early. */
  readonly closing: AbortSignal;
}

/** How webhooks are sent. By default only to public addresses, over TLS. */
export interface WebhookOptions {
  /** CIDR blocks that are allowed beside the public addresses, also without TLS. */
  readonly allow?: readonly string[];
  readonly userAgent?: string;
  /** Random number for the backoff, from 0 (inclusive) to 1 (exclusive). Default: `Math.random`. */
  readonly random?: () => number;
}

export interface Sending {
  readonly onCommit: (changes: Changeset) => void;
  /** Looks at once what is to send: not all commits are known. */
  readonly look: () => void;
  stop(): Promise<void>;
}

/** Starts sending waiting deliveries. Later ones arrive through `hear`. */
export function startWebhooks(context: Parts, webhooks: WebhookList, options: WebhookOptions): Sending {
  const { webhookTargets, limits, clock } = context;
  const sender = new Sender({
    policy: webhookTargets,
    limits,
    clock,
    userAgent: options.userAgent ?? 'countersign',
  });
  const conditions = new Conditions(context);
  const checker = new ConditionChecker({ ...context, webhooks, conditions });
  const deliverer = new Deliverer({ ...context, sender, random: options.random ?? Math.random });
  checker.start();
  deliverer.start();
  return {
    onCommit: (changes) => {
      checker.onCommit(changes);
      deliverer.onCommit(changes);
    },
    look: () => {
      conditions.clear();
      checker.checkSoon();
      deliverer.sendSoon();
    },
    stop: async () => {
      await checker.stop();
      await deliverer.stop();
    },
  };
}
