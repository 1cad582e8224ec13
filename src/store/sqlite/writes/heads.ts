// Caches heads of states and trees as long as no other connection writes: every write of a state loads both.
import { LRUCache } from 'lru-cache';
import type { Statement } from 'better-sqlite3';
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

  constructor(client: Client, loading: Loading, headsMax: number) {
    this.#loading = loading;
    this.#heads = new LRUCache({ max: headsMax });
    this.#trees = new LRUCache({ max: headsMax });
    this.#keys = new LRUCache({ max: headsMax });
    this.#key = client
      .prepare<[string], number>('select seq from workflow_states where state_id = ?')
      .pluck();
  }

  /** The head if it is cached; `undefined` says nothing. */
  kept(stateId: string): StateHead | undefined {
    return this.#heads.get(stateId)?.of;
  }

  /** Same as `kept`, but does not count as a use: a writer has called `kept` before. */
  peek(stateId: string): StateHead | undefined {
    return this.#heads.peek(stateId)?.of;
  }

  keptTree(rootSessionId: string): Tree | undefined {
    return this.#trees.peek(rootSessionId);
  }

  /** @throws RecordDamagedError */
  head(stateId: string): StateHead | undefined {
    const kept = this.#heads.peek(stateId);
    if (kept !== undefined) return kept.of;
    const head = this.#loading.state.get({ id: stateId });
    if (head !== undefined) this.#heads.set(stateId, { of: sound('state', head) });
    return head;
  }

  /** @throws RecordDamagedError */
  tree(rootSessionId: string): Tree | undefined {
    const kept = this.#trees.get(rootSessionId);
    if (kept !== undefined) return kept;
    const tree = this.#loading.tree.get({ id: rootSessionId });
    if (tree !== undefined) this.#trees.set(rootSessionId, sound('tree', tree));
    return tree;
  }

  /** @throws Error - The state does not exist. */
  keyOf(stateId: string): number {
    const kept = this.#keys.peek(stateId);
    if (kept !== undefined) return kept;
    const key = this.#key.get(stateId);
    if (key === undefined) throw new Error(`There is no state ${stateId} for an event or a snapshot`);
    this.#keys.set(stateId, key);
    return key;
  }

  /** Applies changes that this connection wrote in its open transaction. */
  written(changes: Changeset): void {
    for (const change of changes) {
      if ('remove' in change) {
        if (change.remove !== 'state') continue;
        this.#heads.delete(change.id);
        this.#keys.delete(change.id);
      } else if (change.put === 'state') this.#replace(change.record);
      else if (change.put === 'tree') this.#trees.set(change.record.rootSessionId, change.record);
    }
  }

  #replace(head: StateHead): void {
    const kept = this.#heads.peek(head.stateId);
    if (kept === undefined) this.#heads.set(head.stateId, { of: head });
    else kept.of = head;
  }

  /** Discards everything: a transaction was rolled back, or another connection has written. */
  clear(): void {
    this.#heads.clear();
    this.#trees.clear();
    this.#keys.clear();
  }
}
