// Writes all states. A batch takes the waiting writes of one state and applies them one after another; each is
// accepted or refused on its own. Batches that are ready at the same time share one decision.
import { deciding } from '../../domain/decisions/decide.js';
import { STALE } from '../../domain/transactions/decision-context.js';
import type { UnitOfWork } from '../../domain/transactions/unit-of-work.js';
import { ok, type Result } from '../../domain/errors.js';
import type { LoadRequest } from '../../domain/transactions/loaded-records.js';
import { noState, type Written } from '../../domain/states/write.js';
import { after, type MaybePromise } from '../../lib/maybe-promise.js';
import { storageFailure } from '../../ports/storage/storage.js';
import type { WriteCommand, WriteResult } from './prepare-write.js';
import type { TreeTransactions } from '../transactions/tree-transactions.js';
import { stateBefore } from './state-before.js';
import { WriteBatch, type BatchParts } from './write-batch.js';
import { rejectAll, type Waiting } from './write-step.js';
import { withWrittenDocuments } from './written-documents.js';

/**
 * Bounds of one decision. What is in several can be written in several commits, one after another. If there are other
 * coordinators, each state is decided alone: if one of them has written it meanwhile, only its batch is prepared again.
 */
const STATES_MAX = 16;
const CHARACTERS_MAX = 1024 * 1024;

/** From this many writes on, a batch leaves some of the waiting writes to the next one: see `#batchSize`. */
const SHARED_MIN = 16;

/** A release that cannot be made with the writes must not hold them up: from then on a later decision makes it. */
const RELEASE_TRIES_MAX = 2;

/** The writes of one batch, with their state and its tree. The writer holds the tree's queue meanwhile. */
interface DequeuedWrites extends StateOfTree {
  readonly writes: readonly Waiting[];
}

interface StateOfTree {
  readonly stateId: string;
  readonly rootSessionId: string;
}

/** `batch` is `null` if all its writes are answered. */
interface Ready {
  readonly dequeued: DequeuedWrites;
  readonly batch: WriteBatch | null;
  /** False if the head may be out of date: only a decision shows that. */
  readonly isCurrent: boolean;
}

type Decided = Pick<Ready, 'dequeued'> & { readonly batch: WriteBatch };

interface Parts extends BatchParts {
  readonly transactions: TreeTransactions;
}

export class StateWriter {
  readonly #waiting = new Map<string, Waiting[]>();
  /** How many writes the present batch of a state has. */
  readonly #underWay = new Map<string, number>();
  /** States whose first waiting write arrived in this iteration of the event loop. */
  #toBegin: StateOfTree[] = [];

  constructor(private readonly parts: Parts) {}

  /** Queues a write; resolves when it is on disk or refused. */
  write(stateId: string, rootSessionId: string, command: WriteCommand): Promise<Result<WriteResult>> {
    return this.parts.transactions.repairing(rootSessionId, () =>
      this.#write(stateId, rootSessionId, command),
    );
  }

  #write(stateId: string, rootSessionId: string, command: WriteCommand): Promise<Result<WriteResult>> {
    return new Promise((resolve, reject) => {
      const one = { command, resolve, reject };
      const writes = this.#waiting.get(stateId);
      if (writes !== undefined) {
        writes.push(one);
        return;
      }
      this.#waiting.set(stateId, [one]);
      this.#beginSoon(stateId, rootSessionId);
    });
  }

  /** Batches begin after the poll phase, so that all writes of one event loop iteration can share a batch. */
  #beginSoon(stateId: string, rootSessionId: string): void {
    if (this.#toBegin.length === 0) setImmediate(() => this.#begin());
    this.#toBegin.push({ stateId, rootSessionId });
  }

  /** Prepares states together if they are cached and their trees are free; each of the others on its own. */
  #begin(): void {
    const states = this.#toBegin;
    this.#toBegin = [];
    this.#prepareAll(states);
  }

  #prepareAll(states: readonly StateOfTree[]): void {
    const { store, transactions, slices } = this.parts;
    const { queue } = transactions;
    const statesMax = store.isSoleCoordinator ? STATES_MAX : 1;
    let group: Ready[] = [];
    let characters = 0;
    for (const [at, { stateId, rootSessionId }] of states.entries()) {
      const pause = slices.yieldIfDue();
      if (pause !== undefined) {
        void pause.then(() => this.#prepareAll(states.slice(at)));
        break;
      }
      if (!queue.tryAcquire(rootSessionId)) {
        this.#queue(stateId, rootSessionId);
        continue;
      }
      if (this.#yieldToOthers(stateId, rootSessionId)) continue;
      const ready = this.#prepare(this.#dequeue(stateId, rootSessionId));
      if (ready instanceof Promise) {
        void ready.then((one) => this.#commit([one]));
        continue;
      }
      group.push(ready);
      characters += ready.batch?.characters ?? 0;
      if (group.length < statesMax && characters < CHARACTERS_MAX) continue;
      void this.#commit(group);
      [group, characters] = [[], 0];
    }
    if (group.length > 0) void this.#commit(group);
  }

  #queue(stateId: string, rootSessionId: string): void {
    const { queue } = this.parts.transactions;
    void queue.acquire(rootSessionId).then(() => {
      if (!this.#yieldToOthers(stateId, rootSessionId))
        void this.#prepareAlone(this.#dequeue(stateId, rootSessionId));
    });
  }

  /** Releases the tree if another coordinator is to write the state first. @returns Whether it is. */
  #yieldToOthers(stateId: string, rootSessionId: string): boolean {
    const { store, transactions } = this.parts;
    const others = store.waitForOtherWriters(stateId);
    if (others === undefined) return false;
    transactions.queue.release(rootSessionId);
    void others.then(() => this.#queue(stateId, rootSessionId));
    return true;
  }

  #dequeue(stateId: string, rootSessionId: string): DequeuedWrites {
    const waiting = this.#waiting.get(stateId) ?? [];
    // Remove the writes from the array, not only the array from the map. A map that has grown leaves its old
    // table to the garbage collector, and until that is collected it keeps the array alive.
    const writes = waiting.splice(0, this.#batchSize(stateId, waiting.length));
    if (waiting.length === 0) this.#waiting.delete(stateId);
    else this.#queue(stateId, rootSessionId);
    this.#underWay.set(stateId, writes.length);
    return { stateId, rootSessionId, writes };
  }

  /**
   * How many of the waiting writes a batch takes: all, or right behind another batch half of both batches'
   * writes. Clients that send their next write after each answer arrive in the groups in which they were
   * answered. Alternating large and small groups would leave the disk and this thread waiting for each other.
   */
  #batchSize(stateId: string, waiting: number): number {
    const before = this.#underWay.get(stateId) ?? 0;
    return before === 0 ? waiting : Math.max(SHARED_MIN, Math.ceil((before + waiting) / 2));
  }

  /** @param mustBeCurrent - Prepares on the head that the database has now. */
  async #prepareAlone(dequeued: DequeuedWrites, tries = 1, mustBeCurrent = false): Promise<void> {
    const pause = this.parts.slices.yieldIfDue();
    if (pause !== undefined) await pause;
    await this.#commit([await this.#prepare(dequeued, mustBeCurrent)], tries);
  }

  /** Prepares the writes, and answers those for which that fails. Never throws. */
  #prepare(dequeued: DequeuedWrites, mustBeCurrent = false): MaybePromise<Ready> {
    const isCurrent = mustBeCurrent || this.parts.store.cachedHead(dequeued.stateId) !== undefined;
    const broken = (error: unknown): Ready => {
      rejectAll(dequeued.writes, error);
      return { dequeued, batch: null, isCurrent: true };
    };
    try {
      const ready = after(
        stateBefore(this.parts, dequeued.stateId, mustBeCurrent),
        (before): MaybePromise<Ready> => {
          if (before === null) {
            for (const one of dequeued.writes) one.resolve(noState(dequeued.stateId));
            return { dequeued, batch: null, isCurrent: true };
          }
          return after(new WriteBatch(this.parts, before).prepare(dequeued.writes), (batch) => ({
            dequeued: this.#requeue(dequeued, batch.preparedCount),
            batch,
            isCurrent,
          }));
        },
      );
      return ready instanceof Promise ? ready.catch(broken) : ready;
    } catch (error) {
      return broken(error);
    }
  }

  /** Puts writes that did not fit into the batch back at the front of the queue. */
  #requeue(dequeued: DequeuedWrites, count: number): DequeuedWrites {
    const { stateId, rootSessionId, writes } = dequeued;
    if (count >= writes.length) return dequeued;
    const waiting = this.#waiting.get(stateId);
    this.#waiting.set(stateId, [...writes.slice(count), ...(waiting ?? [])]);
    if (waiting === undefined) this.#queue(stateId, rootSessionId);
    return { stateId, rootSessionId, writes: writes.slice(0, count) };
  }

  /**
   * Commits prepared batches, answers their writes and releases the trees. Never throws.
   *
   * @param tries - How often each batch was prepared or decided.
   */
  async #commit(group: readonly Ready[], tries = 1): Promise<void> {
    const decided: Decided[] = [];
    for (const { dequeued, batch, isCurrent } of group) {
      if (batch?.commits === true) {
        decided.push({ dequeued, batch });
        continue;
      }
      if (batch !== null && !isCurrent) {
        void this.#prepareAlone(dequeued, tries, true);
        continue;
      }
      batch?.answer(null);
      this.#release(dequeued);
    }
    if (decided.length === 0) return;
    let results: readonly Result<Written>[] | typeof STALE;
    try {
      const batches = decided.map(({ batch }) => batch);
      results = await this.#decide(batches, tries <= RELEASE_TRIES_MAX);
    } catch (error) {
      this.#failed(decided, tries, error);
      return;
    }
    if (results === STALE) {
      for (const { dequeued } of decided) this.#prepareAgain(dequeued, tries);
      return;
    }
    for (const [i, { dequeued, batch }] of decided.entries()) {
      const result = results[i];
      if (result === undefined)
        rejectAll(dequeued.writes, new Error('a decision about many writes has left one out'));
      else batch.answer(result);
      this.#release(dequeued);
    }
  }

  /** If one of several batches, or a release, may have caused the error, commits each alone; else all of them fail. */
  #failed(decided: readonly Decided[], tries: number, error: unknown): void {
    const storage = storageFailure(error)?.error;
    const others = decided.length > 1 && (storage === undefined || storage === 'storage_full');
    if (others || (tries <= RELEASE_TRIES_MAX && storage === undefined)) {
      const next = others ? tries : RELEASE_TRIES_MAX + 1;
      for (const ready of decided) void this.#commit([{ ...ready, isCurrent: true }], next);
      return;
    }
    for (const { dequeued } of decided) {
      rejectAll(dequeued.writes, error);
      this.#release(dequeued);
    }
  }

  /** @param releases - False to leave the completions that the writes complete to later decisions. */
  async #decide(
    batches: readonly WriteBatch[],
    releases: boolean,
  ): Promise<readonly Result<Written>[] | typeof STALE> {
    const loads: LoadRequest[] = [];
    for (const batch of batches) batch.addLoads(loads);
    const rule = (unit: UnitOfWork) => ok(batches.map((batch) => batch.commit(unit, releases)));
    const decide = deciding(withWrittenDocuments(this.parts, batches), rule, loads);
    const result = await this.parts.store.transact(loads, decide, true);
    if (result === STALE) return STALE;
    if (!result.ok) throw new Error('a decision about many writes has no failure of its own');
    return result.value;
  }

  /** The state or the writer's settings changed since the preparation: prepare again. */
  #prepareAgain(dequeued: DequeuedWrites, tries: number): void {
    if (tries < this.parts.limits.preparationsMax) {
      // From the third conflict on, asks the other coordinators to wait.
      if (tries > 2) this.parts.store.overtaken(dequeued.stateId);
      void this.#prepareAlone(dequeued, tries + 1);
      return;
    }
    const error = new Error(`writes to ${dequeued.stateId} cannot be committed: they are stale every time`);
    rejectAll(dequeued.writes, error);
    this.#release(dequeued);
  }

  #release({ stateId, rootSessionId }: DequeuedWrites): void {
    if (!this.#waiting.has(stateId)) this.#underWay.delete(stateId);
    this.parts.transactions.queue.release(rootSessionId);
  }
}
