// Removes old histories, domain events, idempotency records and archives, in small steps with pauses for writes between
// them.
import { dueCompaction, keepsEverything, type Compaction } from '../../domain/states/retention.js';
import type { Store } from '../../ports/storage/store.js';
import type { Clock, Logger } from '../../ports/runtime.js';
import type { Limits } from '../../domain/limits.js';
import type { ReceiptOwners } from '../transactions/receipt-owners.js';

interface Parts {
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly logger: Logger;
  readonly receiptOwners: ReceiptOwners;
}

export class Retention {
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;
  /** Where the round through the histories continues; `null` at its start. */
  #cursor: string | null = null;

  constructor(private readonly parts: Parts) {}

  start(): void {
    this.#schedule(this.parts.limits.retentionStepMs);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#running;
  }

  #schedule(delayMs: number): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => {
      this.#running = this.#run();
    }, delayMs);
    // The timer does not keep the process alive: nothing is lost if it ends before the next step.
    this.#timer.unref();
  }

  async #run(): Promise<void> {
    const { limits, logger } = this.parts;
    let more = false;
    try {
      more = await this.#step();
    } catch (error) {
      this.#cursor = null;
      logger.error({ err: error }, 'old histories could not be removed');
    }
    this.#schedule(more ? limits.retentionStepMs : limits.retentionRoundMs);
  }

  /** @returns Whether there is more to do before the next round. */
  async #step(): Promise<boolean> {
    const { store, clock, limits, receiptOwners } = this.parts;
    const { compactions, roundOver } = await this.#nextCompactions();
    const rowsMax = limits.retentionRowsPerStepMax;
    const owner = receiptOwners.next();
    const removed = await store.prune(compactions, {
      keptMax: limits.noticesMax,
      before: clock.now() - limits.noticeAgeMsMax,
      receiptsBefore: clock.now() - limits.idempotencyMs,
      archivesBefore: clock.now() - limits.workflowArchivesKeptMs,
      rowsMax,
      ...(owner === null ? {} : { receiptsOf: { owner, keptMax: limits.receiptsPerOwnerMax } }),
    });
    if (owner !== null && removed.receiptsOfOwner === rowsMax) receiptOwners.note(owner);
    // If a step removed events, the histories may have more to remove: continue before the next round.
    if (receiptOwners.size > 0) return true;
    const full = [removed.notices, removed.receipts, removed.archives].includes(rowsMax);
    return !roundOver || removed.events > 0 || full;
  }

  async #nextCompactions(): Promise<{ compactions: readonly Compaction[]; roundOver: boolean }> {
    const { store, clock, limits } = this.parts;
    const retention = { versionsMax: limits.historyVersionsMax, ageMsMax: limits.historyAgeMsMax };
    if (keepsEverything(retention)) return { compactions: [], roundOver: true };
    const agedBefore = retention.ageMsMax === 0 ? 0 : clock.now() - retention.ageMsMax;
    const page = await store.read.historyRanges(agedBefore, {
      limit: limits.retentionStatesPerStepMax,
      cursor: this.#cursor,
    });
    this.#cursor = page.nextCursor;
    const compactions: Compaction[] = [];
    let rowsLeft = limits.retentionRowsPerStepMax;
    for (const range of page.items) {
      // A step always reaches the next snapshot, even if that exceeds the row limit.
      const compaction = dueCompaction(range, retention, Math.max(rowsLeft, limits.eventsPerSnapshotMax));
      if (compaction === null) continue;
      compactions.push(compaction);
      rowsLeft -= compaction.version - range.oldestVersion;
    }
    return { compactions, roundOver: page.nextCursor === null };
  }
}
