// Caches how many sessions each tree has, and keeps the numbers up to date with the commits of all coordinators.
import { boundedCache } from '../../../../ports/bounded-cache.js';
import type { Changeset } from '../../../../domain/transactions/changeset.js';
import type { Scope, Scopes } from '../scopes.js';

interface Kept {
  sessions: number;
  readonly scope: Scope;
}

/** Use only inside transactions, under the lock of the tree. */
export class SessionCounts {
  readonly #kept;

  constructor(
    treesMax: number,
    private readonly scopes: Scopes,
  ) {
    this.#kept = boundedCache<string, Kept>(treesMax);
  }

  /** Applies changes of this coordinator, or of another one. After a rollback, the scopes of its trees have to be dropped. */
  written(changes: Changeset): void {
    for (const change of changes) {
      if (!('put' in change) || change.put !== 'session' || change.record.revision > 1) continue;
      const kept = this.#current(change.record.rootSessionId);
      if (kept !== undefined) kept.sessions += 1;
    }
  }

  /**
   * The number of sessions of a tree, deleted ones included.
   *
   * @param count - Counts them, those that the transaction has written included.
   */
  async of(rootSessionId: string, count: () => Promise<number>): Promise<number> {
    const known = this.#current(rootSessionId);
    if (known !== undefined) return known.sessions;
    const sessions = await count();
    const scope = this.scopes.get(rootSessionId);
    if (scope !== undefined) this.#kept.set(rootSessionId, { sessions, scope });
    return sessions;
  }

  #current(rootSessionId: string): Kept | undefined {
    const kept = this.#kept.get(rootSessionId);
    return kept !== undefined && kept.scope === this.scopes.get(rootSessionId) ? kept : undefined;
  }
}
