// Disables webhooks whose records are damaged. Their creators see the reason.
import { giveUpWebhooks } from '../../domain/webhooks/deliver.js';
import type { Store } from '../../ports/storage/store.js';
import type { Clock, Logger } from '../../ports/runtime.js';
import type { TreeTransactions } from '../transactions/tree-transactions.js';

interface Parts {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly transactions: TreeTransactions;
}

/** Call it once the list of webhooks receives commits. Never throws: the service starts anyway. */
export async function disableDamaged({ store, transactions, clock, logger }: Parts): Promise<void> {
  try {
    const damaged = await store.read.webhooks.damaged();
    if (damaged.length === 0) return;
    const repaired = { load: 'repaired', kind: 'webhooks', id: '', now: clock.now() } as const;
    await transactions.decideFree([repaired], giveUpWebhooks);
    logger.error({ webhooks: damaged }, 'damaged webhooks are disabled');
  } catch (error) {
    logger.error({ err: error }, 'damaged webhooks could not be disabled');
  }
}
