// Caches how many sessions each tree has, and keeps the numbers up to date with the commits of all coordinators.
import { boundedCache } from '../../../../lib/bounded-cache.js';
import type { Changeset } from '../../../../domain/transactions/changeset.js';
import { first } from '../../connection/db.js';
import type { Scope, Scopes } from '../scopes.js';
import type { Loading } from './loading.js';

interface CachedCount {
  sessions: number;
  readonly scope: Scope;
}

/** Use only inside transactions, under the lock of the tree. */
export class SessionCounts {
  readonly #counts;

  constructor(
    treesMax: number,
    private readonly scopes: Scopes,
  ) {
    this.#counts = boundedCache<string, CachedCount>(treesMax);
  }

  /** Applies changes of this coordinator, or of another one. After a rollback, the scopes of its trees have to be dropped. */
  written(changes: Changeset): void {
    for (const change of changes) {
      if (!('put' in change) || change.put !== 'session' || change.record.revision > 1) continue;
      const cached = this.#current(change.record.rootSessionId);
      if (cached !== undefined) cached.sessions += 1;
    }
  }

  /**
   * The number of sessions of a tree, deleted ones included.
   *
   * @param loading - Returns the statements of the transaction.
   */
  async of(rootSessionId: string, loading: () => Promise<Loading>): Promise<number> {
    const known = this.#current(rootSessionId);
    if (known !== undefined) return known.sessions;
    const counted = await first((await loading()).sessionCount.execute({ id: rootSessionId }));
    const sessions = counted?.sessions ?? 0;
    const scope = this.scopes.get(rootSessionId);
    if (scope !== undefined) this.#counts.set(rootSessionId, { sessions, scope });
    return sessions;
  }

  #current(rootSessionId: string): CachedCount | undefined {
    const cached = this.#counts.get(rootSessionId);
    return cached !== undefined && cached.scope === this.scopes.get(rootSessionId) ? cached : undefined;
  }
}
