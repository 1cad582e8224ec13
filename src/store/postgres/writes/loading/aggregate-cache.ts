// Caches session aggregates, and keeps them up to date with what this coordinator commits. Without it, a parent with many
// children would be loaded for every write of each child.
import { LRUCache } from 'lru-cache';
import { boundedCache } from '../../../../lib/bounded-cache.js';
import { changedAggregates } from '../../../../domain/transactions/changed-aggregates.js';
import type { Changeset } from '../../../../domain/transactions/changeset.js';
import type { SessionAggregate } from '../../../../domain/transactions/loaded-records.js';
import { mayBeSessionId } from '../../../../domain/session-ids.js';
import { measured, sizeOf, type Measured } from '../../../rows/record-size.js';
import { sessionsOfChange } from '../../../sessions-of-change.js';
import { allIntact, intact } from '../../../rows/intact-rows.js';
import type { InProgress } from '../in-progress.js';
import type { Loading } from './loading.js';
import type { Scope, Scopes } from '../scopes.js';

interface CachedAggregate extends Measured {
  readonly aggregate: SessionAggregate;
  readonly scope: Scope;
}

/** The session aggregates of one coordinator. Use only inside its transactions, under the lock of their trees. */
export class AggregateCache {
  readonly #aggregates: LRUCache<string, CachedAggregate>;
  /** Ids of cached sessions by name. A name that is not here may still be taken. */
  readonly #ids: LRUCache<string, string>;
  constructor(
    bytesMax: number,
    namesMax: number,
    private readonly scopes: Scopes,
    private readonly changing: InProgress<SessionAggregate>,
  ) {
    this.#aggregates = new LRUCache({ maxSize: bytesMax, sizeCalculation: ({ bytes }) => bytes });
    this.#ids = boundedCache(namesMax);
  }

  /** The estimated memory of what is cached. */
  get bytes(): number {
    return this.#aggregates.calculatedSize;
  }

  /**
   * Applies changes that a transaction writes. If it is rolled back, the scopes of its trees have to be dropped.
   *
   * @param loaded - The aggregates that the decision was made on.
   */
  written(changes: Changeset, loaded: ReadonlyMap<string, SessionAggregate>, transaction: object): void {
    const grown = new Map<string, number>();
    for (const change of changes) {
      if (!('put' in change)) continue;
      for (const id of sessionsOfChange(change)) grown.set(id, (grown.get(id) ?? 0) + sizeOf(change.record));
    }
    const after = changedAggregates(changes, (sessionId) => loaded.get(sessionId));
    for (const [sessionId, aggregate] of after) {
      this.changing.add(transaction, sessionId, this.#current(sessionId)?.aggregate);
      if (aggregate === null) this.#aggregates.delete(sessionId);
      else this.#put(sessionId, aggregate, grown.get(sessionId) ?? 0);
    }
  }

  /**
   * A session that is not deleted, as it is committed. Outside of transactions: what another coordinator has just committed
   * may not have been seen yet. `undefined` says nothing.
   */
  known(idOrName: string): SessionAggregate | undefined {
    // A session may have the id of another one as its name.
    const id = mayBeSessionId(idOrName) ? idOrName : this.knownId(idOrName);
    if (id === undefined) return undefined;
    const current = this.#current(id)?.aggregate;
    const isUncommitted = current !== undefined && this.changing.has(id);
    const aggregate = isUncommitted ? this.changing.before(id) : current;
    return aggregate?.session.deletedAt === null ? aggregate : undefined;
  }

  /** The id of a cached session with this name that is not deleted; `undefined` says nothing. */
  knownId(name: string): string | undefined {
    const id = this.#ids.get(name);
    const session = id === undefined ? undefined : this.#current(id)?.aggregate.session;
    return session?.sessionName === name && session.deletedAt === null ? id : undefined;
  }

  /** Evicts the aggregates that another coordinator has changed: it tells its changes without long texts. */
  onRemoteCommit(changes: Changeset): void {
    for (const change of changes) for (const id of sessionsOfChange(change)) this.#aggregates.delete(id);
  }

  #current(sessionId: string): CachedAggregate | undefined {
    const cached = this.#aggregates.get(sessionId);
    if (cached === undefined) return undefined;
    return this.scopes.get(cached.aggregate.session.rootSessionId) === cached.scope ? cached : undefined;
  }

  #put(sessionId: string, aggregate: SessionAggregate, grownBytes: number): void {
    const scope = this.scopes.get(aggregate.session.rootSessionId);
    if (scope === undefined) this.#aggregates.delete(sessionId);
    else {
      const size = measured(aggregate, this.#aggregates.peek(sessionId), grownBytes);
      this.#aggregates.set(sessionId, { aggregate, scope, ...size });
      this.#ids.set(aggregate.session.sessionName, sessionId);
    }
  }

  /**
   * @param rootSessionId - Its tree; `undefined` if there is no such session.
   * @param loading - Returns the statements of the transaction.
   * @throws RecordDamagedError
   */
  async get(
    sessionId: string,
    rootSessionId: string | undefined,
    loading: () => Promise<Loading>,
  ): Promise<SessionAggregate | undefined> {
    const current = this.#current(sessionId);
    if (current !== undefined) return current.aggregate;
    this.#aggregates.delete(sessionId);
    if (rootSessionId === undefined) return undefined;
    const aggregate = await load(await loading(), { root: rootSessionId, id: sessionId });
    if (aggregate !== undefined) this.#put(sessionId, aggregate, 0);
    return aggregate;
  }
}

/** All statements are sent at once, and cost one round trip. */
async function load(
  loading: Loading,
  session: { readonly root: string; readonly id: string },
): Promise<SessionAggregate | undefined> {
  const [[found], completions, runs, inbox, outbox] = await Promise.all([
    loading.session.execute(session),
    loading.completions.execute(session),
    loading.unfinishedRuns.execute(session),
    loading.inbox.execute(session),
    loading.outbox.execute(session),
  ]);
  if (found === undefined) return undefined;
  return {
    session: intact('session', found),
    completions: allIntact('completion', completions),
    runs: allIntact('run', runs),
    inbox: allIntact('callback', inbox),
    outbox: allIntact('callback', outbox),
  };
}
