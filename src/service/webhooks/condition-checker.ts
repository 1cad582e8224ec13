// Goes through the versions that wait for their condition, in their order. Apart from the sending: a condition that takes
// long holds up nobody's messages.
import type { Changeset } from '../../domain/changeset.js';
import { conditionChecked, type Checked } from '../../domain/webhooks/deliver.js';
import { Alarm } from '../alarm.js';
import type { ServiceContext } from '../context.js';
import type { Conditions } from './conditions.js';
import type { WebhookList } from './webhook-list.js';

type Parts = Pick<ServiceContext, 'store' | 'trees' | 'clock' | 'limits' | 'logger' | 'closing'> & {
  readonly webhooks: WebhookList;
  readonly conditions: Conditions;
};

export class ConditionChecker {
  readonly #alarm: Alarm;

  constructor(private readonly parts: Parts) {
    this.#alarm = new Alarm(parts, () => this.#look());
  }

  start(): void {
    this.#alarm.set(0);
  }

  hear(changes: Changeset): void {
    const news = changes.some(
      (change) => 'put' in change && change.put === 'delivery' && change.record.status === 'checking',
    );
    if (news) this.#alarm.set(0);
  }

  stop(): Promise<void> {
    return this.#alarm.stop();
  }

  async #look(): Promise<void> {
    const { store, limits, clock, logger } = this.parts;
    try {
      const waiting = await store.read.webhooks.unchecked(limits.dueAtOnceMax);
      // Looked at one by one, written together.
      const settled: Promise<void>[] = [];
      for (const delivery of waiting) {
        if (this.parts.closing.aborted) break;
        const condition = this.parts.webhooks.get(delivery.webhookId)?.when ?? null;
        const checked =
          condition === null ? { began: true } : await this.parts.conditions.check(condition, delivery);
        settled.push(this.#settle(delivery.deliveryId, checked));
      }
      await Promise.all(settled);
      if (waiting.length > 0) this.#alarm.set(clock.now());
    } catch (error) {
      logger.error({ err: error }, 'the conditions of webhooks could not be checked');
      this.#alarm.set(clock.now() + limits.tickMs);
    }
  }

  /** What cannot be written now is looked at again. */
  async #settle(deliveryId: string, checked: Checked): Promise<void> {
    try {
      await this.parts.trees.decideFree([{ want: 'delivery', deliveryId }], (draft) =>
        conditionChecked(draft, deliveryId, checked),
      );
    } catch (error) {
      this.parts.logger.error({ err: error }, 'the condition of a webhook could not be settled');
    }
  }
}
