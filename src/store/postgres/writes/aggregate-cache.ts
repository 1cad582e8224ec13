// Caches session aggregates until one of their records changes. Without it, a parent with many children would
// be loaded for every write of each child.
import { LRUCache } from 'lru-cache';
import type { Changeset } from '../../../domain/transactions/changeset.js';
import type { SessionAggregate } from '../../../domain/transactions/loaded-records.js';
import { sessionsOfChange } from '../../sessions-of-change.js';
import { allSound, sound } from '../../sound.js';
import type { Loading } from './loading.js';
import type { Scope, Scopes } from './scopes.js';

/** The session aggregates of one coordinator. Use only inside its transactions, under the lock of their trees. */
export class AggregateCache {
  readonly #kept: LRUCache<string, { readonly aggregate: SessionAggregate; readonly scope: Scope }>;

  constructor(
    bytesMax: number,
    private readonly scopes: Scopes,
  ) {
    this.#kept = new LRUCache({
      maxSize: bytesMax,
      // An estimate. It includes prompts and results, which can be long.
      sizeCalculation: ({ aggregate }) => JSON.stringify(aggregate).length,
    });
  }

  /** Evicts the aggregates that changes affect. */
  written(changes: Changeset): void {
    for (const change of changes) for (const id of sessionsOfChange(change)) this.#kept.delete(id);
  }

  /**
   * @param loading - Returns the statements of the transaction.
   * @throws RecordDamagedError
   */
  async get(sessionId: string, loading: () => Promise<Loading>): Promise<SessionAggregate | undefined> {
    const kept = this.#kept.get(sessionId);
    if (kept !== undefined && this.scopes.get(kept.aggregate.session.rootSessionId) === kept.scope)
      return kept.aggregate;
    const aggregate = await load(await loading(), sessionId);
    if (aggregate === undefined) return undefined;
    const scope = this.scopes.get(aggregate.session.rootSessionId);
    if (scope !== undefined) this.#kept.set(sessionId, { aggregate, scope });
    return aggregate;
  }
}

/** All statements are sent at once, and cost one round trip. */
async function load(loading: Loading, id: string): Promise<SessionAggregate | undefined> {
  const [[session], completions, runs, inbox, outbox] = await Promise.all([
    loading.session.execute({ id }),
    loading.completions.execute({ id }),
    loading.unfinishedRuns.execute({ id }),
    loading.inbox.execute({ id }),
    loading.outbox.execute({ id }),
  ]);
  if (session === undefined) return undefined;
  return {
    session: sound('session', session),
    completions: allSound('completion', completions),
    runs: allSound('run', runs),
    inbox: allSound('callback', inbox),
    outbox: allSound('callback', outbox),
  };
}
