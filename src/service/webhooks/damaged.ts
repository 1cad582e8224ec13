// Webhooks whose record is damaged are turned off, with the reason, where whoever made them sees it.
import { giveUpWebhooks } from '../../domain/webhooks/deliver.js';
import type { ServiceContext } from '../context.js';

/** To be called once the list of webhooks hears commits. Never throws: the service starts all the same. */
export async function switchOffDamaged({ store, trees, clock, logger }: ServiceContext): Promise<void> {
  try {
    const damaged = await store.read.webhooks.damaged();
    if (damaged.length === 0) return;
    const mended = { want: 'mended', kind: 'webhooks', id: '', now: clock.now() } as const;
    await trees.decideFree([mended], giveUpWebhooks);
    logger.error({ webhooks: damaged }, 'webhooks are turned off: their records are damaged');
  } catch (error) {
    logger.error({ err: error }, 'damaged webhooks could not be turned off');
  }
}
