// Requests that wait for their commit. What waits shares a commit. Several commits run at the same time, each on its own
// trees, so that the next is decided while one is written.
import type { Changeset } from '../../../../domain/transactions/changeset.js';
import type { StoreLimits } from '../../../limits.js';
import type { Request } from '../../../request.js';
import type { PostgresLimits } from '../../limits.js';
import { busy } from '../../connection/faults.js';
import type { Asked, CommitResult } from './commit-keys.js';
import type { Committer } from './committer.js';

/** The parts of a queue. */
interface CommitQueueParts {
  readonly committer: Pick<Committer, 'keysOf' | 'run' | 'isShared'>;
  readonly limits: Pick<StoreLimits & PostgresLimits, 'groupRequestsMax' | 'commitsAtOnceMax'>;
  /** Called with the changes of each request, before it is answered. */
  readonly onCommitted: (changes: Changeset) => void;
}

/** A request that waits. */
interface Waiting extends Asked {
  /** How often it was made with too few locks. */
  readonly tries: number;
}

/**
 * A commit in progress for this time, in milliseconds, waits for something. Before, what comes meanwhile is better written
 * together after it: one large commit takes the server less than two small ones.
 */
const WAITS_MS = 15;

/**
 * Callers who send their next request after each answer come back in the groups in which they were answered. Beside other
 * coordinators, a commit of at least so many requests is followed by the next one when as many have come back, or after this
 * time, in milliseconds: each commit costs all coordinators, however many requests share it.
 */
const RETURN_MIN = 4;
const RETURN_MS = 8;

/** More would mean that what a request needs changes faster than it can be locked. */
const TRIES_MAX = 20;

export class CommitQueue {
  readonly #parts: CommitQueueParts;
  #waiting: Waiting[] = [];
  /** The keys of the commits in progress. */
  readonly #busy = new Set<string>();
  readonly #running = new Set<Promise<unknown>>();
  #isWoken = false;
  /** When the newest commit in progress began. */
  #startedAt = -Infinity;
  #timer: NodeJS.Timeout | null = null;
  /** How many requests will probably wait soon. After that time, the next commit begins without them. */
  #expected = { count: 0, until: -Infinity };

  constructor(parts: CommitQueueParts) {
    this.#parts = parts;
  }

  /** @param gathered - The caller has already waited one event loop iteration for others to join. */
  add(request: Request, gathered: boolean): void {
    this.#waiting.push({ request, keys: new Set(), tries: 0 });
    this.#wake(gathered);
  }

  /** Keeps `idle` waiting for other work on the database. */
  beside<T>(work: Promise<T>): Promise<T> {
    const ended = work.then(
      () => undefined,
      () => undefined,
    );
    this.#track(ended);
    return work;
  }

  /** Waits until nothing waits and nothing is in progress. */
  async idle(): Promise<void> {
    while (this.#isWoken || this.#running.size > 0 || this.#waiting.length > 0) {
      if (this.#running.size > 0) await Promise.all(this.#running);
      else await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }

  #track(work: Promise<unknown>): void {
    this.#running.add(work);
    void work.finally(() => this.#running.delete(work));
  }

  /**
   * All requests of this event loop iteration share the commit. Gathered requests only wait for pending promise
   * callbacks.
   */
  #wake(gathered: boolean): void {
    if (this.#isWoken) return;
    this.#isWoken = true;
    const start = () => {
      this.#isWoken = false;
      this.#start();
    };
    if (gathered) queueMicrotask(() => process.nextTick(start));
    else setImmediate(start);
  }

  #start(): void {
    if (this.#waiting.length === 0 || this.#running.size >= this.#parts.limits.commitsAtOnceMax) return;
    const now = performance.now();
    if (this.#waiting.length < this.#expected.count && now < this.#expected.until) {
      this.#startLater(this.#expected.until - now);
      return;
    }
    const sinceMs = now - this.#startedAt;
    if (this.#running.size > 0 && sinceMs < WAITS_MS) {
      this.#startLater(WAITS_MS - sinceMs);
      return;
    }
    const [group, keys] = this.#dequeue();
    if (group.length === 0) return;
    this.#startedAt = performance.now();
    for (const key of keys) this.#busy.add(key);
    const work = this.#run(group).finally(() => {
      for (const key of keys) this.#busy.delete(key);
      this.#wake(true);
    });
    this.#track(work);
    if (this.#waiting.length > 0) this.#startLater(WAITS_MS);
  }

  #startLater(ms: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#start();
    }, ms);
  }

  /** Takes what waits, in order, but for what has to follow a commit in progress. */
  #dequeue(): [group: readonly Waiting[], keys: ReadonlySet<string>] {
    const group: Waiting[] = [];
    const keys = new Set<string>();
    const later: Waiting[] = [];
    const blocked = new Set<string>();
    for (const [at, waiting] of this.#waiting.entries()) {
      if (group.length >= this.#parts.limits.groupRequestsMax) {
        later.push(...this.#waiting.slice(at));
        break;
      }
      const own = this.#parts.committer.keysOf(waiting);
      if ([...own].some((key) => this.#busy.has(key) || blocked.has(key))) {
        later.push(waiting);
        for (const key of own) blocked.add(key);
        continue;
      }
      group.push(waiting);
      for (const key of own) keys.add(key);
    }
    this.#waiting = later;
    return [group, keys];
  }

  /** Never throws. */
  async #run(group: readonly Waiting[]): Promise<void> {
    const results = await this.#parts.committer
      .run(group)
      .catch((error: unknown): readonly CommitResult[] => group.map(() => ({ ok: false, error })));
    const retried: Waiting[] = [];
    const answers: (() => void)[] = [];
    for (const [i, waiting] of group.entries()) {
      const result: CommitResult = results[i] ?? { ok: false, error: new Error('No result') };
      if ('needs' in result) {
        if (waiting.tries < TRIES_MAX)
          retried.push({
            ...waiting,
            keys: new Set([...waiting.keys, ...result.needs]),
            tries: waiting.tries + 1,
          });
        else answers.push(() => waiting.request.answer({ ok: false, error: busy() }));
        continue;
      }
      if (result.ok && result.changes.length > 0) this.#parts.onCommitted(result.changes);
      answers.push(() => waiting.request.answer(result));
    }
    this.#waiting.unshift(...retried);
    if (answers.length >= RETURN_MIN && this.#parts.committer.isShared) {
      const count = this.#waiting.length + answers.length;
      this.#expected = { count, until: performance.now() + RETURN_MS };
    }
    for (const answer of answers) answer();
  }
}
