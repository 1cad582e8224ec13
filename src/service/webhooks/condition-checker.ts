// Checks the conditions of waiting deliveries, in version order. It is separate from sending, so that a slow
// condition delays no messages.
import type { Changeset } from '../../domain/transactions/changeset.js';
import { conditionChecked, giveUpDelivery, type Checked } from '../../domain/webhooks/deliver.js';
import type { Webhook, WebhookDelivery } from '../../domain/records/records.js';
import { Timer } from '../scheduling/timer.js';
import type { Store } from '../../ports/storage/store.js';
import type { Clock, Logger } from '../../ports/runtime.js';
import type { Limits } from '../../domain/limits.js';
import type { TreeTransactions } from '../transactions/tree-transactions.js';
import type { TimeSlices } from '../../lib/time-slices.js';
import { whyGivenUp } from '../../domain/damage/damage.js';
import { RecordRetries } from '../scheduling/record-retries.js';
import type { Conditions } from './conditions.js';
import type { WebhookList } from './webhook-list.js';

interface Parts {
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly logger: Logger;
  readonly transactions: TreeTransactions;
  readonly slices: TimeSlices;
  /** Aborted when the service shuts down, so that waits end early. */
  readonly closing: AbortSignal;
  readonly webhooks: WebhookList;
  readonly conditions: Conditions;
}

export class ConditionChecker {
  readonly #timer: Timer;
  readonly #retries: RecordRetries;

  constructor(private readonly parts: Parts) {
    this.#retries = new RecordRetries(parts.limits);
    this.#timer = new Timer(parts, () => this.#look());
  }

  start(): void {
    this.#timer.set(0);
  }

  onCommit(changes: Changeset): void {
    const hasNew = changes.some(
      (change) => 'put' in change && change.put === 'delivery' && change.record.status === 'checking',
    );
    if (hasNew) this.#timer.set(0);
  }

  /** Looks at once: not all commits are known. */
  checkSoon(): void {
    this.#timer.set(0);
  }

  stop(): Promise<void> {
    return this.#timer.stop();
  }

  async #look(): Promise<void> {
    const { store, limits, clock, logger } = this.parts;
    try {
      const found = await store.read.webhooks.unchecked(limits.dueAtOnceMax + this.#retries.size);
      const waiting = found
        .filter((deliveryId) => !this.#retries.isWaiting(deliveryId, clock.now()))
        .slice(0, limits.dueAtOnceMax);
      // Checked one after the other, written together.
      const written: Promise<void>[] = [];
      for (const deliveryId of waiting) {
        if (this.parts.closing.aborted) break;
        const pause = this.parts.slices.yieldIfDue();
        if (pause !== undefined) await pause;
        const checked = await this.#check(deliveryId);
        if (checked !== null) written.push(this.#writeResult(deliveryId, checked));
      }
      await Promise.all(written);
      const next = waiting.length > 0 ? 0 : found.length > 0 ? limits.tickMs : Infinity;
      if (next < Infinity) this.#timer.set(clock.now() + next);
    } catch (error) {
      logger.error({ err: error }, 'the conditions of webhooks could not be checked');
      this.#timer.set(clock.now() + limits.tickMs);
    }
  }

  /** Returns `null` if the condition cannot be checked now. */
  async #check(deliveryId: string): Promise<Checked | null> {
    const { store, conditions } = this.parts;
    try {
      const delivery = await store.read.webhooks.delivery(deliveryId);
      const webhook = delivery === null ? null : await this.#webhookOf(delivery);
      if (delivery === null || webhook === null) return { began: false };
      return webhook.when === null ? { began: true } : await conditions.check(webhook.when, delivery);
    } catch (error) {
      await this.#failed(deliveryId, error);
      return null;
    }
  }

  /** Another coordinator may have created the webhook a moment ago. @returns `null` if it was removed. */
  async #webhookOf({ webhookId }: WebhookDelivery): Promise<Webhook | null> {
    const { store, webhooks } = this.parts;
    if (webhookId === null) return null;
    return webhooks.get(webhookId) ?? (await store.read.webhooks.get(webhookId));
  }

  /** Writes the result. If that fails, the condition is checked again later. */
  async #writeResult(deliveryId: string, checked: Checked): Promise<void> {
    try {
      await this.parts.transactions.decideFree([{ load: 'delivery', deliveryId }], (unit) =>
        conditionChecked(unit, deliveryId, checked),
      );
      this.#retries.done(deliveryId);
    } catch (error) {
      await this.#failed(deliveryId, error);
    }
  }

  /** Schedules a retry, and gives the delivery up as a dead letter after too many. Never throws. */
  async #failed(deliveryId: string, error: unknown): Promise<void> {
    const { transactions, clock, logger } = this.parts;
    const facts = { delivery: deliveryId, err: error };
    if (!this.#retries.failed(deliveryId, error, clock.now())) {
      logger.error(facts, 'the condition of a webhook could not be checked');
      return;
    }
    const reason = `The condition could not be checked. ${whyGivenUp(error)}`;
    try {
      await transactions.decideFree(
        [{ load: 'repaired', kind: 'delivery', id: deliveryId, now: clock.now() }],
        (unit) => giveUpDelivery(unit, deliveryId, reason),
      );
      logger.error(facts, 'a delivery is set aside: its condition cannot be checked');
    } catch (cause) {
      logger.error({ ...facts, cause }, 'a delivery can be neither checked nor set aside');
    }
  }
}
