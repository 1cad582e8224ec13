// Caches heads of states and trees as long as no other coordinator writes: every write of a state loads both.
import type { LRUCache } from 'lru-cache';
import { boundedCache } from '../../../../lib/bounded-cache.js';
import { verifiedHead, type ReportedEvidence } from '../../../../domain/evidence/tampered.js';
import type { Changeset } from '../../../../domain/transactions/changeset.js';
import type { StateHead, Tree } from '../../../../domain/records/records.js';
import { intact } from '../../../rows/intact-rows.js';
import { first } from '../../connection/db.js';
import type { InProgress } from '../in-progress.js';
import type { Loading } from './loading.js';
import type { Scope, Scopes } from '../scopes.js';

interface Cached<T> {
  readonly record: T;
  readonly scope: Scope;
}

/** The heads and trees of one coordinator. Use only inside its transactions, under the lock of their trees. */
export class HeadCache {
  readonly #heads: LRUCache<string, Cached<StateHead>>;
  readonly #trees: LRUCache<string, Cached<Tree>>;

  constructor(
    headsMax: number,
    private readonly evidence: ReportedEvidence,
    private readonly scopes: Scopes,
    private readonly changing: InProgress,
  ) {
    this.#heads = boundedCache(headsMax);
    this.#trees = boundedCache(headsMax);
  }

  /** A head that is cached. Without a lock it may be out of date. */
  known(stateId: string): StateHead | undefined {
    return this.#current(this.#heads.get(stateId));
  }

  /** A tree that is cached and committed. Without a lock it may be out of date. */
  knownTree(rootSessionId: string): Tree | undefined {
    return this.changing.has(rootSessionId) ? undefined : this.#current(this.#trees.get(rootSessionId));
  }

  /**
   * @param rootSessionId - Its tree; `undefined` if there is no such state.
   * @throws RecordDamagedError
   */
  async head(
    stateId: string,
    rootSessionId: string | undefined,
    loading: () => Promise<Loading>,
  ): Promise<StateHead | undefined> {
    const cached = this.#current(this.#heads.get(stateId));
    if (cached !== undefined) return cached;
    if (rootSessionId === undefined) return undefined;
    const head = await first((await loading()).state.execute({ root: rootSessionId, id: stateId }));
    if (head !== undefined) this.#keepHead(verifiedHead(this.evidence, intact('state', head)));
    return head;
  }

  /** @throws RecordDamagedError */
  async tree(rootSessionId: string, loading: () => Promise<Loading>): Promise<Tree | undefined> {
    const cached = this.#current(this.#trees.get(rootSessionId));
    if (cached !== undefined) return cached;
    const tree = await first((await loading()).tree.execute({ id: rootSessionId }));
    if (tree !== undefined) this.#keepTree(intact('tree', tree));
    return tree;
  }

  /**
   * Applies changes that follow the commits that the scope of their tree has seen.
   *
   * @param transaction - Writes them; `null` if they are committed.
   */
  written(changes: Changeset, transaction: object | null): void {
    for (const change of changes) {
      if ('remove' in change) {
        if (change.remove === 'state') this.#heads.delete(change.id);
      } else if (change.put === 'state') this.#keepHead(change.record);
      else if (change.put === 'tree') {
        this.#keepTree(change.record);
        if (transaction !== null) this.changing.add(transaction, change.record.rootSessionId);
      }
    }
  }

  #current<T extends { readonly rootSessionId: string }>(kept: Cached<T> | undefined): T | undefined {
    if (kept === undefined || this.scopes.get(kept.record.rootSessionId) !== kept.scope) return undefined;
    return kept.record;
  }

  #keepHead(record: StateHead): void {
    const scope = this.scopes.get(record.rootSessionId);
    if (scope === undefined) this.#heads.delete(record.stateId);
    else this.#heads.set(record.stateId, { record, scope });
  }

  #keepTree(record: Tree): void {
    const scope = this.scopes.get(record.rootSessionId);
    if (scope === undefined) this.#trees.delete(record.rootSessionId);
    else this.#trees.set(record.rootSessionId, { record, scope });
  }
}
