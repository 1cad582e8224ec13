// Removes what no longer serves: deliveries that ended long ago, and webhooks of trees that are over.
import { RecordDamagedError } from '../../domain/damage/damage.js';
import type { Limits } from '../../domain/limits.js';
import type { Webhook } from '../../domain/records/records.js';
import { forget } from '../../domain/webhooks/deliver.js';
import { isTreeOver, KEEPING_STATUSES, removeWebhook } from '../../domain/webhooks/manage.js';
import type { Page } from '../../ports/storage/page.js';
import type { Store } from '../../ports/storage/store.js';
import type { Clock } from '../../ports/runtime.js';
import type { TreeTransactions } from '../transactions/tree-transactions.js';

interface Parts {
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly transactions: TreeTransactions;
}

/** @returns Whether there may be more to remove. */
export async function pruneWebhooks(parts: Parts): Promise<boolean> {
  const more = await pruneDeliveries(parts);
  await pruneOver(parts);
  return more;
}

async function pruneDeliveries({ store, transactions, clock, limits }: Parts): Promise<boolean> {
  const before = clock.now() - limits.webhookDeliveriesKeptMs;
  const ids = await store.read.webhooks.outdated(
    before,
    limits.webhookDeliveriesKeptMax,
    limits.dueAtOnceMax,
  );
  if (ids.length === 0) return false;
  try {
    await transactions.decideFree([], (unit) => forget(unit, ids));
  } catch (error) {
    if (!(error instanceof RecordDamagedError)) throw error;
    // One of the records is damaged: remove them one by one, each repaired first.
    for (const id of ids) {
      const repaired = { load: 'repaired', kind: 'delivery', id, now: clock.now() } as const;
      await transactions.decideFree([repaired], (unit) => forget(unit, [id]));
    }
  }
  return ids.length === limits.dueAtOnceMax;
}

/** Removes the webhooks of trees that are over, so that they count towards no limit. */
async function pruneOver({ store, transactions, limits }: Parts): Promise<void> {
  let cursor: string | null = null;
  do {
    const page: Page<Webhook> = await store.read.webhooks.list({}, { limit: limits.listItemsMax, cursor });
    for (const { webhookId, rootSessionId } of page.items) {
      if (rootSessionId === null) continue;
      const root = await store.read.session(rootSessionId);
      const open = await store.read.openCompletions(rootSessionId);
      if (!isTreeOver(root, open.length)) continue;
      if (await hasUndelivered(store, webhookId)) continue;
      await transactions.decideFree([{ load: 'webhooks' }], (unit) => removeWebhook(unit, webhookId));
    }
    cursor = page.nextCursor;
  } while (cursor !== null);
}

async function hasUndelivered(store: Store, webhookId: string): Promise<boolean> {
  for (const status of KEEPING_STATUSES) {
    const { items } = await store.read.webhooks.deliveries({ webhookId, status }, { limit: 1, cursor: null });
    if (items.length > 0) return true;
  }
  return false;
}
