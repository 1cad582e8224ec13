// Caches heads of states and trees as long as no other connection writes: every write of a state loads both.
import type { LRUCache } from 'lru-cache';
import { boundedCache } from '../../../ports/bounded-cache.js';
import type { Statement } from 'better-sqlite3';
import { heldHead, type ReportedEvidence } from '../../../domain/evidence/tampered.js';
import type { Changeset } from '../../../domain/transactions/changeset.js';
import type { StateHead, Tree } from '../../../domain/records/records.js';
import type { Client } from '../connection.js';
import { sound } from '../../sound.js';
import type { Loading } from './loading.js';

export class Heads {
  readonly #loading: Loading;
  readonly #heads: LRUCache<string, { of: StateHead }>;
  readonly #trees: LRUCache<string, Tree>;
  /** The row number by which events and snapshots refer to a state. */
  readonly #keys: LRUCache<string, number>;
  readonly #key: Statement<[string], number>;
  /** Written in the open transaction, not committed. */
  readonly #pendingHeads = new Map<string, StateHead>();
  readonly #pendingTrees = new Map<string, Tree>();
  readonly #removed = new Set<string>();

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
  kept(stateId: string): StateHead | undefined {
    return this.#heads.get(stateId)?.of;
  }

  /** The tree if it is cached and the open transaction does not change it; `undefined` says nothing. */
  keptTree(rootSessionId: string): Tree | undefined {
    return this.#pendingTrees.has(rootSessionId) ? undefined : this.#trees.get(rootSessionId);
  }

  /**
   * The tree as it is committed. `undefined` if it is not cached and the open transaction changes it, or if there is
   * none.
   *
   * @throws RecordDamagedError
   */
  committedTree(rootSessionId: string): Tree | undefined {
    return this.#pendingTrees.has(rootSessionId) ? this.#trees.get(rootSessionId) : this.tree(rootSessionId);
  }

  /** @throws RecordDamagedError */
  head(stateId: string): StateHead | undefined {
    const kept = this.#pendingHeads.get(stateId) ?? this.#committed(stateId);
    if (kept !== undefined || this.#removed.has(stateId)) return kept;
    const head = this.#loading.state.get({ id: stateId });
    if (head !== undefined) this.#heads.set(stateId, { of: heldHead(this.#evidence, sound('state', head)) });
    return head;
  }

  #committed(stateId: string): StateHead | undefined {
    return this.#removed.has(stateId) ? undefined : this.#heads.peek(stateId)?.of;
  }

  /** @throws RecordDamagedError */
  tree(rootSessionId: string): Tree | undefined {
    const kept = this.#pendingTrees.get(rootSessionId) ?? this.#trees.get(rootSessionId);
    if (kept !== undefined) return kept;
    const tree = this.#loading.tree.get({ id: rootSessionId });
    if (tree !== undefined) this.#trees.set(rootSessionId, sound('tree', tree));
    return tree;
  }

  /** @throws Error - The state does not exist. */
  keyOf(stateId: string): number {
    // A state with the id of a removed one has another key.
    const kept = this.#removed.has(stateId) ? undefined : this.#keys.peek(stateId);
    if (kept !== undefined) return kept;
    const key = this.#key.get(stateId);
    if (key === undefined) throw new Error(`There is no state ${stateId} for an event or a snapshot`);
    if (!this.#removed.has(stateId)) this.#keys.set(stateId, key);
    return key;
  }

  /** Applies changes that the open transaction writes. */
  written(changes: Changeset): void {
    for (const change of changes) {
      if ('remove' in change) {
        if (change.remove !== 'state') continue;
        this.#pendingHeads.delete(change.id);
        this.#removed.add(change.id);
      } else if (change.put === 'state') this.#pendingHeads.set(change.record.stateId, change.record);
      else if (change.put === 'tree') this.#pendingTrees.set(change.record.rootSessionId, change.record);
    }
  }

  /** The open transaction is on disk. */
  committed(): void {
    for (const stateId of this.#removed) {
      this.#heads.delete(stateId);
      this.#keys.delete(stateId);
    }
    for (const head of this.#pendingHeads.values()) this.#replace(head);
    for (const tree of this.#pendingTrees.values()) this.#trees.set(tree.rootSessionId, tree);
    this.rolledBack();
  }

  /** Discards what the open transaction writes. */
  rolledBack(): void {
    this.#pendingHeads.clear();
    this.#pendingTrees.clear();
    this.#removed.clear();
  }

  #replace(head: StateHead): void {
    const kept = this.#heads.peek(head.stateId);
    if (kept === undefined) this.#heads.set(head.stateId, { of: head });
    else kept.of = head;
  }

  /** Discards everything: a transaction was rolled back, or another connection has written. */
  clear(): void {
    this.rolledBack();
    this.#heads.clear();
    this.#trees.clear();
    this.#keys.clear();
  }
}
