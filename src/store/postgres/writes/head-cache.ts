// Caches heads of states and trees as long as no other coordinator writes: every write of a state loads both.
import type { LRUCache } from 'lru-cache';
import { boundedCache } from '../../../ports/bounded-cache.js';
import { heldHead, type ReportedEvidence } from '../../../domain/evidence/tampered.js';
import type { Changeset } from '../../../domain/transactions/changeset.js';
import type { StateHead, Tree } from '../../../domain/records/records.js';
import { sound } from '../../sound.js';
import { first } from '../db.js';
import type { Loading } from './loading.js';

/** The heads and trees of one coordinator. Use only inside its transactions. */
export class HeadCache {
  readonly #heads: LRUCache<string, StateHead>;
  readonly #trees: LRUCache<string, Tree>;

  constructor(
    headsMax: number,
    private readonly evidence: ReportedEvidence,
  ) {
    this.#heads = boundedCache(headsMax);
    this.#trees = boundedCache(headsMax);
  }

  /** @throws RecordDamagedError */
  async head(stateId: string, loading: () => Promise<Loading>): Promise<StateHead | undefined> {
    const kept = this.#heads.get(stateId);
    if (kept !== undefined) return kept;
    const head = await first((await loading()).state.execute({ id: stateId }));
    if (head !== undefined) this.#heads.set(stateId, heldHead(this.evidence, sound('state', head)));
    return head;
  }

  /** @throws RecordDamagedError */
  async tree(rootSessionId: string, loading: () => Promise<Loading>): Promise<Tree | undefined> {
    const kept = this.#trees.get(rootSessionId);
    if (kept !== undefined) return kept;
    const tree = await first((await loading()).tree.execute({ id: rootSessionId }));
    if (tree !== undefined) this.#trees.set(rootSessionId, sound('tree', tree));
    return tree;
  }

  /** Applies changes that this coordinator has made in its transaction. */
  written(changes: Changeset): void {
    for (const change of changes) {
      if ('remove' in change) {
        if (change.remove === 'state') this.#heads.delete(change.id);
      } else if (change.put === 'state') this.#heads.set(change.record.stateId, change.record);
      else if (change.put === 'tree') this.#trees.set(change.record.rootSessionId, change.record);
    }
  }

  /** Discards everything: a transaction was rolled back, or another coordinator has written. */
  clear(): void {
    this.#heads.clear();
    this.#trees.clear();
  }
}
