// Caches session aggregates until one of their records changes. Without it, a parent with many children would
// be loaded for every write of each child.
import { LRUCache } from 'lru-cache';
import type { Changeset } from '../../../domain/transactions/changeset.js';
import type { SessionAggregate } from '../../../domain/transactions/loaded-records.js';
import type { Loading } from './loading.js';
import { sessionsOfChange } from '../../sessions-of-change.js';
import { allSound, sound } from '../../sound.js';

/** The session aggregates of one connection. Use only inside its transactions. */
export class SessionAggregates {
  readonly #loading: Loading;
  readonly #kept: LRUCache<string, SessionAggregate>;

  constructor(loading: Loading, bytesMax: number) {
    this.#loading = loading;
    this.#kept = new LRUCache({
      maxSize: bytesMax,
      // An estimate. It includes prompts and results, which can be long.
      sizeCalculation: (aggregate) => JSON.stringify(aggregate).length,
    });
  }

  /** Evicts the aggregates that this connection's changes affect. */
  written(changes: Changeset): void {
    for (const change of changes) for (const id of sessionsOfChange(change)) this.#kept.delete(id);
  }

  /** Discards everything: a transaction was rolled back, or another connection has written. */
  clear(): void {
    this.#kept.clear();
  }

  /** The aggregate if it is cached; `undefined` says nothing. */
  kept(sessionId: string): SessionAggregate | undefined {
    return this.#kept.get(sessionId);
  }

  get(sessionId: string): SessionAggregate | undefined {
    const kept = this.#kept.get(sessionId);
    if (kept !== undefined) return kept;
    const aggregate = this.#load(sessionId);
    if (aggregate !== undefined) this.#kept.set(sessionId, aggregate);
    return aggregate;
  }

  #load(id: string): SessionAggregate | undefined {
    const session = this.#loading.session.get({ id });
    if (session === undefined) return undefined;
    const since = { id, generation: session.generation };
    return {
      session: sound('session', session),
      completions: allSound('completion', this.#loading.completions.all(since)),
      runs: allSound('run', this.#loading.unfinishedRuns.all({ id })),
      inbox: allSound('callback', this.#loading.inbox.all({ id })),
      outbox: allSound('callback', this.#loading.outbox.all(since)),
    };
  }
}
