// Sends due deliveries. The database holds their state; memory holds only which sends are in progress. Each
// origin has connections of its own and its share of the permits, so an origin that does not answer hardly delays others.
import type { Changeset } from '../../domain/transactions/changeset.js';
import {
  attemptDone,
  claimDelivery,
  giveUpDelivery,
  releaseDelivery,
  type Claimed,
} from '../../domain/webhooks/deliver.js';
import { restsUntil } from '../../domain/webhooks/breaker.js';
import { withStateSummary } from '../../domain/webhooks/message.js';
import { ok, type Result } from '../../domain/errors.js';
import type { LoadRequest } from '../../domain/transactions/loaded-records.js';
import type { UnitOfWork } from '../../domain/transactions/unit-of-work.js';
import type { WebhookDelivery } from '../../domain/records/records.js';
import type { DueDelivery } from '../../ports/storage/webhook-store.js';
import { giveDeliveriesTimeBack, stoodStill } from '../scheduling/give-time-back.js';
import { InFlight } from '../scheduling/in-flight.js';
import { Timer } from '../scheduling/timer.js';
import type { Store } from '../../ports/storage/store.js';
import type { Clock, Logger } from '../../ports/runtime.js';
import type { Limits } from '../../domain/limits.js';
import type { TreeTransactions } from '../transactions/tree-transactions.js';
import { whyGivenUp } from '../../domain/damage/damage.js';
import { RecordRetries } from '../scheduling/record-retries.js';
import { pruneWebhooks } from './prune.js';
import type { Sender } from './sender.js';
import { signedHeaders } from './signature.js';

interface Parts {
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly logger: Logger;
  readonly transactions: TreeTransactions;
  /** Aborted when the service shuts down, so that waits end early. */
  readonly closing: AbortSignal;
  readonly sender: Sender;
  /** What a message with a callback says of the state; `null` if nothing. */
  readonly summaryOf: (callbackId: string) => Promise<string | null>;
  /** From 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
}

export class Deliverer {
  readonly #timer: Timer;
  /** Deliveries that are being sent, with their origin. */
  readonly #sending = new Map<string, string>();
  readonly #sends = new InFlight();
  /** The last send to each waiting origin, counted over all origins. */
  readonly #begun = new Map<string, number>();
  #count = 0;
  readonly #retries: RecordRetries;
  #prunesAt = 0;

  constructor(private readonly parts: Parts) {
    this.#retries = new RecordRetries(parts.limits);
    this.#timer = new Timer(parts, (lateMs) => this.#look(lateMs));
  }

  start(): void {
    this.#timer.set(0);
  }

  /**
   * Receives commits. A delivery that a commit makes pending is sent at its due time, without waiting for
   * the next tick.
   */
  onCommit(changes: Changeset): void {
    for (const change of changes) {
      if (!('put' in change) || change.put !== 'delivery') continue;
      const { status, dueAt } = change.record;
      if (status === 'pending' && dueAt !== null) this.#timer.set(dueAt);
    }
  }

  /** Looks at once: not all commits are known. */
  sendSoon(): void {
    this.#timer.set(0);
  }

  /** Stops the loop and waits for open sends. The closing signal aborts them; their deliveries stay pending. */
  async stop(): Promise<void> {
    await this.#timer.stop();
    await this.#sends.ended();
  }

  #isOver(): boolean {
    return this.parts.closing.aborted;
  }

  async #look(lateMs: number): Promise<void> {
    const { clock, limits, logger } = this.parts;
    let next = clock.now() + limits.tickMs;
    try {
      // Before anything is sent: a message that expired meanwhile would become a dead letter.
      if (stoodStill(this.parts, lateMs, limits.webhookRetryForMs / 10))
        await giveDeliveriesTimeBack(this.parts, { elapsedMs: lateMs, clockShiftMs: 0 });
      next = Math.min(next, await this.#sendDue());
      if (clock.now() >= this.#prunesAt) {
        this.#prunesAt = clock.now() + limits.webhookPruneMs;
        if (await pruneWebhooks(this.parts)) this.#prunesAt = clock.now();
      }
    } catch (error) {
      logger.error({ err: error }, 'the deliveries of webhooks could not be looked at');
    }
    this.#timer.set(next);
  }

  /**
   * Starts sends for due deliveries, up to the limits. An error at one origin does not affect others.
   *
   * @returns When to look again.
   */
  async #sendDue(): Promise<number> {
    const { store, clock } = this.parts;
    let next = Infinity;
    for (const { origin, dueAt } of this.#fairly(await store.read.webhooks.waitingOrigins())) {
      if (dueAt > clock.now()) {
        next = Math.min(next, dueAt);
        continue;
      }
      if (this.#retries.isWaiting(origin, clock.now())) continue;
      try {
        next = Math.min(next, await this.#sendTo(origin));
        this.#retries.done(origin);
      } catch (error) {
        await this.#originFailed(origin, error);
      }
    }
    return next;
  }

  /**
   * Those with the fewest sends in progress first, and of these the one that has waited longest for its turn. Free
   * permits are then shared, however slow other origins are.
   */
  #fairly<T extends { readonly origin: string }>(waiting: readonly T[]): readonly T[] {
    const origins = new Set(waiting.map(({ origin }) => origin));
    for (const origin of this.#begun.keys()) if (!origins.has(origin)) this.#begun.delete(origin);
    const busy = new Map<string, number>();
    for (const origin of this.#sending.values()) busy.set(origin, (busy.get(origin) ?? 0) + 1);
    const of = (counts: ReadonlyMap<string, number>, { origin }: T) => counts.get(origin) ?? 0;
    return [...waiting].sort(
      (one, other) => of(busy, one) - of(busy, other) || of(this.#begun, one) - of(this.#begun, other),
    );
  }

  /** @returns When to look at the origin again; infinity if another event sets the timer. */
  async #sendTo(origin: string): Promise<number> {
    const { store, clock, limits } = this.parts;
    const busy = [...this.#sending.values()].filter((one) => one === origin).length;
    const freePermits = Math.min(
      limits.webhookSendsPerOriginMax - busy,
      limits.webhookSendsAtOnceMax - this.#sending.size,
    );
    // No permit is free. A send that ends frees one and sets the timer.
    if (freePermits <= 0) return Infinity;
    const destination = await store.read.webhooks.destination(origin);
    const rests = destination === null ? null : restsUntil(destination, clock.now(), limits);
    // An origin whose circuit breaker is not closed gets one request.
    const isClosed = destination === null || destination.status === 'closed';
    const asked = isClosed || rests !== null ? freePermits : 1;
    const listed = asked + busy + this.#retries.size;
    // While it rests, messages whose time is over become dead letters: somebody may wait for that.
    const due =
      rests === null
        ? await store.read.webhooks.dueAt(origin, clock.now(), listed)
        : await store.read.webhooks.expired(origin, clock.now(), listed);
    const free = due.filter(
      ({ deliveryId }) => !this.#sending.has(deliveryId) && !this.#retries.isWaiting(deliveryId, clock.now()),
    );
    for (const one of free.slice(0, asked)) this.#begin(origin, one);
    return rests ?? Infinity;
  }

  /**
   * Handles an origin whose records cannot be read. After too many failures, its circuit breaker is
   * reset. Never throws.
   */
  async #originFailed(origin: string, error: unknown): Promise<void> {
    const { transactions, clock, logger } = this.parts;
    logger.error({ origin, err: error }, 'the deliveries to an origin could not be looked at');
    if (!this.#retries.failed(origin, error, clock.now())) return;
    const repaired = { load: 'repaired', kind: 'destination', id: origin, now: clock.now() } as const;
    try {
      await transactions.decideFree([repaired], () => ok(null));
    } catch (cause) {
      logger.error({ origin, err: cause }, 'a circuit breaker could not be reset');
    }
  }

  #begin(origin: string, due: DueDelivery): void {
    this.#sending.set(due.deliveryId, origin);
    this.#begun.set(origin, (this.#count += 1));
    void this.#sends.run(async () => {
      try {
        await this.#send(due);
        this.#retries.done(due.deliveryId);
        this.#timer.set(this.parts.clock.now());
      } catch (error) {
        // If a result cannot be written, the next tick retries. The timer is not set at once.
        await this.#failed(due, error);
      } finally {
        this.#sending.delete(due.deliveryId);
      }
    });
  }

  /** Schedules a retry, and gives the delivery up as a dead letter after too many. Never throws. */
  async #failed(due: DueDelivery, error: unknown): Promise<void> {
    const { deliveryId } = due;
    const { clock, logger } = this.parts;
    const facts = { delivery: deliveryId, err: error };
    if (!this.#retries.failed(deliveryId, error, clock.now())) {
      logger.error(facts, 'a webhook could not be sent');
      return;
    }
    const repaired = { load: 'repaired', kind: 'delivery', id: deliveryId, now: clock.now() } as const;
    try {
      await this.#decide(due, (unit) => giveUpDelivery(unit, deliveryId, whyGivenUp(error)), [repaired]);
      logger.error(facts, 'a delivery is set aside: it cannot be sent');
    } catch (cause) {
      logger.error({ ...facts, cause }, 'a delivery can be neither sent nor set aside');
    }
  }

  async #send(due: DueDelivery): Promise<void> {
    const { clock, sender, closing, random } = this.parts;
    if (this.#isOver()) return;
    const claimed = await this.#decide(due, (unit) => claimDelivery(unit, due.deliveryId));
    if (!claimed.ok || claimed.value === null) return;
    const { delivery } = claimed.value;
    const { deliveryId, attempt } = delivery;
    const body = await this.#bodyOf(delivery);
    const result = await sender.send(messageOf(claimed.value, body, clock.wall()), closing);
    if (result.kind === 'error' && this.#isOver()) {
      await this.#decide(due, (unit) => releaseDelivery(unit, deliveryId, attempt));
      return;
    }
    const jitter = random();
    await this.#decide(due, (unit) => attemptDone(unit, deliveryId, attempt, result, jitter));
  }

  /** A callback is sent even if its summary cannot be made. */
  async #bodyOf({ callbackId, body }: WebhookDelivery): Promise<string> {
    if (callbackId === null) return body;
    try {
      const summary = await this.parts.summaryOf(callbackId);
      return summary === null ? body : withStateSummary(body, summary);
    } catch (error) {
      this.parts.logger.warn({ err: error, callback: callbackId }, 'a state could not be summarized');
      return body;
    }
  }

  /**
   * Decides in the tree if the delivery carries a callback, which changes the tree. Other deliveries belong to no tree.
   */
  #decide<T>(
    due: DueDelivery,
    rule: (unit: UnitOfWork) => Result<T>,
    first: readonly LoadRequest[] = [],
  ): Promise<Result<T>> {
    const { transactions } = this.parts;
    const loads: readonly LoadRequest[] = [...first, { load: 'delivery', deliveryId: due.deliveryId }];
    return due.callbackId === null
      ? transactions.decideFree(loads, rule)
      : transactions.decide(due.rootSessionId, loads, rule);
  }
}

/** Builds the message. Its id is the same for every attempt, so that the receiver can detect duplicates. */
function messageOf({ delivery, url, secret }: Claimed, body: string, now: number) {
  return { url, headers: signedHeaders(secret, messageId(delivery), now, body), body };
}

function messageId({ callbackId, deliveryId }: WebhookDelivery): string {
  return callbackId ?? deliveryId;
}
