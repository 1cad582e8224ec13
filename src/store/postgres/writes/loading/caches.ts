// What one coordinator keeps in memory of the records in the database, each current as long as its scope.
import type { ReportedEvidence } from '../../../../domain/evidence/tampered.js';
import type { Changeset } from '../../../../domain/transactions/changeset.js';
import type { SessionAggregate } from '../../../../domain/transactions/loaded-records.js';
import type { StoreLimits } from '../../../limits.js';
import type { Scopes } from '../scopes.js';
import { AggregateCache } from './aggregate-cache.js';
import { InProgress } from '../in-progress.js';
import { HeadCache } from './head-cache.js';
import { SessionCounts } from './session-counts.js';

/** What of it may be used outside of transactions. */
export interface Known {
  readonly aggregates: Pick<AggregateCache, 'known'>;
  readonly heads: Pick<HeadCache, 'known' | 'knownTree'>;
}

export class Caches implements Known {
  readonly aggregates: AggregateCache;
  readonly sessionCounts: SessionCounts;
  readonly heads: HeadCache;
  readonly #changing: readonly Pick<InProgress, 'ended'>[];

  constructor(
    { headsKeptMax, aggregatesKeptBytesMax }: StoreLimits,
    evidence: ReportedEvidence,
    scopes: Scopes,
  ) {
    const sessions = new InProgress<SessionAggregate>();
    const trees = new InProgress();
    this.#changing = [sessions, trees];
    this.aggregates = new AggregateCache(aggregatesKeptBytesMax, headsKeptMax, scopes, sessions);
    this.sessionCounts = new SessionCounts(headsKeptMax, scopes);
    this.heads = new HeadCache(headsKeptMax, evidence, scopes, trees);
  }

  /**
   * Applies changes that a transaction writes. If it is rolled back, the scopes of its trees have to be dropped.
   *
   * @param loaded - The aggregates that the decision was made on.
   */
  written(changes: Changeset, loaded: ReadonlyMap<string, SessionAggregate>, transaction: object): void {
    this.aggregates.written(changes, loaded, transaction);
    this.sessionCounts.written(changes);
    this.heads.written(changes, transaction);
  }

  /** A transaction has been committed or rolled back. */
  ended(transaction: object): void {
    for (const changing of this.#changing) changing.ended(transaction);
  }

  /** Applies changes that another coordinator has committed. */
  onRemoteCommit(changes: Changeset): void {
    this.aggregates.onRemoteCommit(changes);
    this.sessionCounts.written(changes);
    this.heads.written(changes, null);
  }
}
