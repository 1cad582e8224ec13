// The committed records that are in memory, for requests outside of decisions.
import type { StateHead, Tree } from '../../../domain/records/records.js';
import type { SessionAggregate } from '../../../domain/transactions/loaded-records.js';
import type { KnownRecords } from '../../../ports/storage/store.js';
import type { Heads } from './heads.js';
import type { OtherCommits } from './other-commits.js';
import type { SessionAggregates } from './session-aggregates.js';

/** Loads sessions and trees that are not in memory. */
export class Known implements KnownRecords {
  constructor(
    private readonly aggregates: SessionAggregates,
    private readonly heads: Heads,
    private readonly others: OtherCommits,
    private readonly isOpen: () => boolean,
  ) {}

  /** The estimated memory of cached sessions. */
  get bytes(): number {
    return this.aggregates.bytes;
  }

  head(stateId: string): StateHead | undefined {
    return this.#current(() => this.heads.cachedHead(stateId));
  }

  session(idOrName: string): SessionAggregate | undefined {
    return this.#current(() => this.aggregates.committedOf(idOrName));
  }

  tree(rootSessionId: string): Tree | undefined {
    return this.#current(() => this.heads.committedTree(rootSessionId));
  }

  /** For reads: only what is cached and no group in progress changes. */
  readonly committed: KnownRecords = {
    session: (idOrName) => this.#current(() => this.aggregates.known(idOrName)),
    tree: (rootSessionId) => this.#current(() => this.heads.cachedTree(rootSessionId)),
  };

  #current<T>(look: () => T | undefined): T | undefined {
    if (!this.isOpen()) return undefined;
    try {
      this.others.lookOnce();
      return look();
    } catch {
      // A read of the record reports the error.
      return undefined;
    }
  }
}
