// Fires what is due: leases, timeouts, requests to children. All deadlines are in the database; the scheduler
// only reads them.
import type { Changeset } from '../../domain/transactions/changeset.js';
import { completionDue, runDue } from '../../domain/scheduling/due.js';
import { RecordDamagedError, type Damage } from '../../domain/damage/damage.js';
import type { TimeAway } from '../../domain/scheduling/time-away.js';
import type { Due } from '../../ports/storage/reader.js';
import type { CommitOrigin, Store } from '../../ports/storage/store.js';
import type { Completion } from '../../domain/records/records.js';
import { Timer } from './timer.js';
import type { Clock, Logger } from '../../ports/runtime.js';
import type { Limits } from '../../domain/limits.js';
import type { Notifier } from './notifier.js';
import type { TreeTransactions } from '../transactions/tree-transactions.js';
import { giveDeliveriesTimeBack, giveTimeBack, settleUnattended, stoodStill } from './give-time-back.js';
import { InFlight } from './in-flight.js';
import { RecordRetries } from './record-retries.js';
import type { StorageOutage } from './storage-outage.js';

interface Parts {
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly logger: Logger;
  readonly notifier: Notifier;
  readonly transactions: TreeTransactions;
  readonly outage: StorageOutage;
}

export class Scheduler {
  readonly #timer: Timer;
  readonly #retries: RecordRetries;
  /** What runs beside the ticks. */
  readonly #inBackground = new InFlight();
  /** When children without a time limit were last looked for; `Infinity` while their limits are being set. */
  #settledAt = -Infinity;
  /** Completions that the commits of this turn have made due. */
  #dueNow: Due[] = [];

  constructor(private readonly parts: Parts) {
    this.#retries = new RecordRetries(parts.limits);
    this.#timer = new Timer(parts, (lateMs) => this.#tick(lateMs));
  }

  /** Extends all leases to their full time: while the service was not running, no runner could renew one. */
  async start(away: TimeAway): Promise<void> {
    try {
      await giveTimeBack(this.parts, away);
      await giveDeliveriesTimeBack(this.parts, away);
    } catch (error) {
      // What was committed so far has set the timer.
      await this.stop();
      throw error;
    }
    this.#timer.set(0);
  }

  /**
   * Receives commits, so that a deadline that comes before the next tick fires in time. What is due at once fires without
   * being looked for. If another coordinator made it due, that one fires it, and the next tick here finds what it left.
   */
  onCommit(changes: Changeset, by: CommitOrigin): void {
    if (by === 'this') this.parts.outage.worked();
    const now = this.parts.clock.now();
    for (const change of changes) {
      if (!('put' in change)) continue;
      if (change.put === 'run') {
        const { status, availableAt, dueAt } = change.record;
        // A run that is available now has woken its runners with this commit.
        if (status === 'pending' && availableAt > now) this.#timer.set(availableAt);
        if (dueAt !== null) this.#timer.set(dueAt);
      } else if (change.put === 'completion' && change.record.dueAt !== null) {
        const { dueAt } = change.record;
        if (dueAt > now) this.#timer.set(dueAt);
        else if (by === 'this') this.#fireNow(change.record);
      }
    }
  }

  /** What is too much for one turn is left to the timer. */
  #fireNow({ sessionId, rootSessionId }: Completion): void {
    if (this.#dueNow.length >= this.parts.limits.dueAtOnceMax) {
      this.#timer.set(0);
      return;
    }
    if (this.#dueNow.length === 0) queueMicrotask(() => this.#fireDueNow());
    this.#dueNow.push({ kind: 'completion', sessionId, rootSessionId });
  }

  #fireDueNow(): void {
    const due = this.#dueNow;
    this.#dueNow = [];
    if (this.#timer.stopped) return;
    for (const one of due) void this.#inBackground.run(() => this.#try(one));
  }

  /** Looks at once: not all commits are known. */
  checkSoon(): void {
    this.#timer.set(0);
  }

  /**
   * Receives reports of damaged records. A damaged run is given up now, not when its deadline expires. For one that has
   * ended, nothing is to be done.
   */
  onDamage({ kind, id, rootSessionId, ...damage }: Damage): void {
    if (kind !== 'run' || rootSessionId === undefined || this.#timer.stopped) return;
    const { clock, transactions } = this.parts;
    if (this.#retries.isWaiting(id, clock.now())) return;
    const err = new RecordDamagedError({ kind, id, ...damage });
    this.#retries.failed(id, err, clock.now());
    void this.#inBackground.run(() => transactions.setAside(rootSessionId, null, { run: id, err }));
  }

  async stop(): Promise<void> {
    await this.#timer.stop();
    await this.#inBackground.ended();
  }

  /**
   * Sets time limits that are missing, at the start and a few times within the shortest one: beside this coordinator, one of
   * an earlier version may work on the database.
   */
  #settleUnattended(): void {
    const { clock, limits } = this.parts;
    if (clock.now() - this.#settledAt < limits.sessionSilenceMs / limits.heartbeatsPerSilence) return;
    this.#settledAt = Infinity;
    void this.#inBackground.run(async () => {
      try {
        await settleUnattended(this.parts, () => this.#timer.stopped);
      } catch (error) {
        this.parts.logger.error({ err: error }, 'children without a time limit could not be looked for');
      }
      this.#settledAt = clock.now();
    });
  }

  async #tick(lateMs: number): Promise<void> {
    const { store, clock, limits, logger, notifier } = this.parts;
    let more = false;
    try {
      if (stoodStill(this.parts, lateMs)) {
        logger.warn(
          { late_ms: lateMs },
          'the process was suspended; leases and deadlines are extended by that time',
        );
        await giveTimeBack(this.parts, { elapsedMs: lateMs, clockShiftMs: 0 });
      }
      if (!(await this.#afterOutage())) {
        this.#timer.set(clock.now() + limits.tickMs);
        return;
      }
      const found = await store.read.due(clock.now(), limits.dueAtOnceMax + this.#retries.size);
      const due = found
        .filter((one) => !this.#retries.isWaiting(idOf(one), clock.now()))
        .slice(0, limits.dueAtOnceMax);
      const fired = await Promise.all(due.map((one) => this.#try(one)));
      this.#settleUnattended();
      more = due.length === limits.dueAtOnceMax && fired.every((done) => done);
      notifier.wake('runs');
      const next = more ? 0 : ((await store.read.nextDueAt(clock.now())) ?? Infinity);
      this.#timer.set(Math.min(next, clock.now() + limits.tickMs));
    } catch (error) {
      logger.error({ err: error }, 'the timers could not be read');
      this.#timer.set(clock.now() + limits.tickMs);
    }
  }

  /** @returns False while nothing can be written: what is due waits. */
  async #afterOutage(): Promise<boolean> {
    const { store, logger, outage } = this.parts;
    const passedMs = await outage.passedMs();
    if (passedMs === null || passedMs === 0) return passedMs === 0;
    logger.warn(
      { outage_ms: passedMs },
      'the database can be written again; leases and deadlines are extended by the time in which it could not',
    );
    // Another coordinator may have written meanwhile: then leases are renewed, and no deadline moves.
    await giveTimeBack(this.parts, { elapsedMs: store.isSoleCoordinator ? passedMs : 0, clockShiftMs: 0 });
    return true;
  }

  /** @returns Whether the work succeeded. Failed work is retried later, and given up after too many failures. */
  async #try(due: Due): Promise<boolean> {
    try {
      await this.#fire(due);
      this.#retries.done(idOf(due));
      return true;
    } catch (error) {
      await this.#failed(due, error);
      return false;
    }
  }

  /** Never throws. */
  async #failed(due: Due, error: unknown): Promise<void> {
    const { clock, logger, transactions } = this.parts;
    const { kind, rootSessionId } = due;
    const facts = { [kind]: idOf(due), err: error };
    if (this.#retries.failed(idOf(due), error, clock.now()))
      await transactions.setAside(rootSessionId, due, facts);
    else logger.error(facts, 'a due timer failed');
  }

  async #fire(due: Due): Promise<void> {
    const { transactions } = this.parts;
    if (due.kind === 'run') {
      await transactions.decide(due.rootSessionId, [{ load: 'run', runId: due.runId }], (unit) =>
        runDue(unit, due.runId),
      );
    } else {
      await transactions.decide(
        due.rootSessionId,
        [{ load: 'aggregate', sessionId: due.sessionId }],
        (unit) => completionDue(unit, due.sessionId),
      );
    }
  }
}

function idOf(due: Due): string {
  return due.kind === 'run' ? due.runId : due.sessionId;
}
