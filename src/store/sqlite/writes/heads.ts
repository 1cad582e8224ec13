// Caches heads of states and trees as long as no other connection writes: every write of a state loads both.
import type { LRUCache } from 'lru-cache';
import { boundedCache } from '../../../lib/bounded-cache.js';
import type { Statement } from 'better-sqlite3';
import { verifiedHead, type ReportedEvidence } from '../../../domain/evidence/tampered.js';
import type { Changeset } from '../../../domain/transactions/changeset.js';
import type { StateHead, Tree } from '../../../domain/records/records.js';
import type { Client } from '../connection.js';
import { intact } from '../../rows/intact-rows.js';
import type { Loading } from './loading.js';
import { NotOnDisk } from './not-on-disk.js';

/** What one group of decisions changes. */
class Changed {
  readonly heads = new Map<string, StateHead>();
  readonly trees = new Map<string, Tree>();
  readonly removed = new Set<string>();
}

export class Heads {
  readonly #loading: Loading;
  readonly #heads: LRUCache<string, { of: StateHead }>;
  readonly #trees: LRUCache<string, Tree>;
  /** The row number by which events and snapshots refer to a state. */
  readonly #keys: LRUCache<string, number>;
  readonly #key: Statement<[string], number>;
  /** What the writing thread has removes nothing. */
  readonly notOnDisk = new NotOnDisk<Changed>(
    () => new Changed(),
    (changed) => this.#committed(changed),
  );
  readonly #evidence: ReportedEvidence;

  constructor(client: Client, loading: Loading, headsMax: number, evidence: ReportedEvidence) {
    this.#loading = loading;
    this.#evidence = evidence;
    this.#heads = boundedCache(headsMax);
    this.#trees = boundedCache(headsMax);
    this.#keys = boundedCache(headsMax);
    this.#key = client
      .prepare<[string], number>('select seq from workflow_states where state_id = ?')
      .pluck();
  }

  /** The head if it is cached; `undefined` says nothing. */
  cachedHead(stateId: string): StateHead | undefined {
    return this.#heads.get(stateId)?.of;
  }

  /** The tree if it is cached and no decision that is not on disk changes it; `undefined` says nothing. */
  cachedTree(rootSessionId: string): Tree | undefined {
    return this.#pendingTree(rootSessionId) === undefined ? this.#trees.get(rootSessionId) : undefined;
  }

  /**
   * The tree as it is committed. `undefined` if it is not cached and a decision that is not on disk changes it, or if
   * there is none.
   *
   * @throws RecordDamagedError
   */
  committedTree(rootSessionId: string): Tree | undefined {
    const isChanged = this.#pendingTree(rootSessionId) !== undefined;
    return isChanged ? this.#trees.get(rootSessionId) : this.tree(rootSessionId);
  }

  #pendingTree(rootSessionId: string): Tree | undefined {
    return this.notOnDisk.open.trees.get(rootSessionId) ?? this.notOnDisk.writing?.trees.get(rootSessionId);
  }

  /** @throws RecordDamagedError */
  head(stateId: string): StateHead | undefined {
    const pending = this.notOnDisk.open.heads.get(stateId) ?? this.notOnDisk.writing?.heads.get(stateId);
    const cached = pending ?? this.#cached(stateId);
    if (cached !== undefined || this.notOnDisk.open.removed.has(stateId)) return cached;
    const head = this.#loading.state.get({ id: stateId });
    if (head !== undefined)
      this.#heads.set(stateId, { of: verifiedHead(this.#evidence, intact('state', head)) });
    return head;
  }

  #cached(stateId: string): StateHead | undefined {
    return this.notOnDisk.open.removed.has(stateId) ? undefined : this.#heads.peek(stateId)?.of;
  }

  /** @throws RecordDamagedError */
  tree(rootSessionId: string): Tree | undefined {
    const cached = this.#pendingTree(rootSessionId) ?? this.#trees.get(rootSessionId);
    if (cached !== undefined) return cached;
    const tree = this.#loading.tree.get({ id: rootSessionId });
    if (tree !== undefined) this.#trees.set(rootSessionId, intact('tree', tree));
    return tree;
  }

  /** @throws Error - The state does not exist. */
  keyOf(stateId: string): number {
    // A state with the id of a removed one has another key.
    const { removed } = this.notOnDisk.open;
    const cached = removed.has(stateId) ? undefined : this.#keys.peek(stateId);
    if (cached !== undefined) return cached;
    const key = this.#key.get(stateId);
    if (key === undefined) throw new Error(`There is no state ${stateId} for an event or a snapshot`);
    if (!removed.has(stateId)) this.#keys.set(stateId, key);
    return key;
  }

  /** Applies changes that the open transaction writes. */
  written(changes: Changeset): void {
    const { heads, trees, removed } = this.notOnDisk.open;
    for (const change of changes) {
      if ('remove' in change) {
        if (change.remove !== 'state') continue;
        heads.delete(change.id);
        removed.add(change.id);
      } else if (change.put === 'state') heads.set(change.record.stateId, change.record);
      else if (change.put === 'tree') trees.set(change.record.rootSessionId, change.record);
    }
  }

  #committed({ heads, trees, removed }: Changed): void {
    for (const stateId of removed) {
      this.#heads.delete(stateId);
      this.#keys.delete(stateId);
    }
    for (const head of heads.values()) this.#replace(head);
    for (const tree of trees.values()) this.#trees.set(tree.rootSessionId, tree);
  }

  #replace(head: StateHead): void {
    const cached = this.#heads.peek(head.stateId);
    if (cached === undefined) this.#heads.set(head.stateId, { of: head });
    else cached.of = head;
  }

  /** Discards everything: a transaction was rolled back, or another connection has written. */
  clear(): void {
    this.notOnDisk.clear();
    this.#heads.clear();
    this.#trees.clear();
    this.#keys.clear();
  }
}
