// What one coordinator keeps in memory of the records in the database, each current as long as its scope.
import type { ReportedEvidence } from '../../../../domain/evidence/tampered.js';
import type { Changeset } from '../../../../domain/transactions/changeset.js';
import type { SessionAggregate } from '../../../../domain/transactions/loaded-records.js';
import type { StoreLimits } from '../../../limits.js';
import type { Scopes } from '../scopes.js';
import { AggregateCache } from './aggregate-cache.js';
import { HeadCache } from './head-cache.js';
import { SessionCounts } from './session-counts.js';

export class Caches {
  readonly aggregates: AggregateCache;
  readonly sessionCounts: SessionCounts;
  readonly heads: HeadCache;

  constructor(
    { headsKeptMax, aggregatesKeptBytesMax }: StoreLimits,
    evidence: ReportedEvidence,
    scopes: Scopes,
  ) {
    this.aggregates = new AggregateCache(aggregatesKeptBytesMax, headsKeptMax, scopes);
    this.sessionCounts = new SessionCounts(headsKeptMax, scopes);
    this.heads = new HeadCache(headsKeptMax, evidence, scopes);
  }

  /**
   * Applies changes that a transaction writes. If it is rolled back, the scopes of its trees have to be dropped.
   *
   * @param loaded - The aggregates that the decision was made on.
   */
  written(changes: Changeset, loaded: ReadonlyMap<string, SessionAggregate>, transaction: object): void {
    this.aggregates.written(changes, loaded, transaction);
    this.sessionCounts.written(changes);
    this.heads.written(changes);
  }

  /** Applies changes that another coordinator has committed. */
  heard(changes: Changeset): void {
    this.aggregates.heard(changes);
    this.sessionCounts.written(changes);
    this.heads.written(changes);
  }
}
