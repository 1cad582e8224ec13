// The contracts of a tree's completions that are not released. A write that breaks one must be noticed. Cached
// after the first read of a tree, and updated by commits.
import type { LRUCache } from 'lru-cache';
import { boundedCache } from '../../lib/bounded-cache.js';
import type { Changeset } from '../../domain/transactions/changeset.js';
import type { Violation } from '../../domain/errors.js';
import type { JsonObject } from '../../domain/json/json.js';
import type { Patch } from '../../domain/json/patch.js';
import { mayChange } from '../../domain/json/patch-locations.js';
import type { Completion, Contract } from '../../domain/records/records.js';
import type { ContractChange } from '../../domain/states/write.js';
import type { TimeSlices } from '../../lib/time-slices.js';
import type { Store } from '../../ports/storage/store.js';
import type { Contracts } from './contracts.js';

interface OpenContract {
  readonly generation: number;
  readonly contract: Contract;
}

/** Of each session: the present generation's, and that of the generation that waits for its end. */
export type BySession = ReadonlyMap<string, readonly OpenContract[]>;

export class OpenContracts {
  /** The map of a tree is replaced when its contracts change. */
  readonly #trees: LRUCache<string, BySession>;
  /** The trees that are being read. What was read before a change of a tree may be out of date after it. */
  readonly #reading = new Map<string, { isCurrent: boolean }>();

  constructor(
    private readonly store: Store,
    private readonly contracts: Contracts,
    treesMax: number,
    private readonly slices: TimeSlices,
  ) {
    this.#trees = boundedCache(treesMax);
  }

  /** Updates the cache from a commit. */
  onCommit(changes: Changeset): void {
    for (const change of changes) {
      if (!('put' in change) || change.put !== 'completion') continue;
      const { rootSessionId } = change.record;
      const reading = this.#reading.get(rootSessionId);
      if (reading !== undefined) reading.isCurrent = false;
      const tree = this.#trees.get(rootSessionId);
      if (tree !== undefined && isNewResult(tree, change.record))
        this.#trees.set(rootSessionId, noted(new Map(tree), change.record));
    }
  }

  /** Discards everything: not all commits are known. */
  invalidate(): void {
    for (const reading of this.#reading.values()) reading.isCurrent = false;
    this.#trees.clear();
  }

  /**
   * Reads the open contracts of a tree. Call it from the queue of the tree, so that no decision on the tree runs
   * meanwhile. If the tree changes all the same, because another coordinator decides, the result is not cached.
   */
  async of(rootSessionId: string): Promise<BySession> {
    const reading = { isCurrent: true };
    this.#reading.set(rootSessionId, reading);
    try {
      const completions = await this.store.read.openCompletions(rootSessionId);
      const tree = new Map<string, readonly OpenContract[]>();
      for (const completion of completions) noted(tree, completion);
      if (reading.isCurrent) this.#trees.set(rootSessionId, tree);
      return tree;
    } finally {
      if (this.#reading.get(rootSessionId) === reading) this.#reading.delete(rootSessionId);
    }
  }

  /** The cached contracts of a tree, or `undefined` if they are not in the cache. */
  cached(rootSessionId: string): BySession | undefined {
    return this.#trees.get(rootSessionId);
  }

  /** The contracts of other sessions whose result changes with a write: from holding to broken, or back. */
  async contractChanges(
    open: BySession,
    writer: string | null,
    patch: Patch,
    before: JsonObject,
    after: JsonObject,
  ): Promise<readonly ContractChange[]> {
    const contractChanges: ContractChange[] = [];
    for (const [sessionId, contracts] of open) {
      if (sessionId === writer) continue;
      for (const { generation, contract } of contracts) {
        if (!mayChange(patch, contract.pointer)) continue;
        const pause = this.slices.yieldIfDue();
        if (pause !== undefined) await pause;
        const [was, is] = [
          await this.#violationsOf(contract, before),
          await this.#violationsOf(contract, after),
        ];
        if ((was.length === 0) !== (is.length === 0))
          contractChanges.push({ sessionId, generation, violations: is });
      }
    }
    return contractChanges;
  }

  /** A contract that is too expensive to check counts as broken; see `Contracts.contractResult`. */
  async #violationsOf(contract: Contract, document: JsonObject): Promise<readonly Violation[]> {
    const found = await this.contracts.violations(contract, document);
    if (found.ok) return found.value;
    return [
      { pointer: contract.pointer, keyword: 'contract', message: found.failure.detail, expected: null },
    ];
  }
}

function isNewResult(tree: BySession, { sessionId, generation, settings, releasedAt }: Completion): boolean {
  const known = tree.get(sessionId)?.find((one) => one.generation === generation);
  const contract = releasedAt === null ? settings.contract : null;
  if (known === undefined || contract === null) return known !== undefined || contract !== null;
  const { pointer, schemaHash } = known.contract;
  return pointer !== contract.pointer || schemaHash !== contract.schemaHash;
}

function noted(tree: Map<string, readonly OpenContract[]>, completion: Completion): BySession {
  const { sessionId, generation, settings, releasedAt } = completion;
  const others = (tree.get(sessionId) ?? []).filter((one) => one.generation !== generation);
  const { contract } = settings;
  const all = contract === null || releasedAt !== null ? others : [...others, { generation, contract }];
  if (all.length > 0) tree.set(sessionId, all);
  else tree.delete(sessionId);
  return tree;
}
