// The contracts of a tree's completions that are not released. A write that breaks one must be noticed. Cached
// after the first read of a tree, and updated by commits.
import type { LRUCache } from 'lru-cache';
import { boundedCache } from '../../lib/bounded-cache.js';
import { isSameContract } from '../../domain/completion/same-contract.js';
import type { Changeset } from '../../domain/transactions/changeset.js';
import type { Violation } from '../../domain/errors.js';
import type { JsonObject } from '../../domain/json/json.js';
import type { Patch } from '../../domain/json/patch.js';
import { PointerIndex } from '../../domain/json/pointer-index.js';
import type { Completion, Contract } from '../../domain/records/records.js';
import type { ContractChange } from '../../domain/states/write.js';
import type { MaybePromise } from '../../lib/maybe-promise.js';
import type { TimeSlices } from '../../lib/time-slices.js';
import type { Store } from '../../ports/storage/store.js';
import type { Contracts } from './contracts.js';

interface OpenContract {
  readonly sessionId: string;
  readonly generation: number;
  readonly contract: Contract;
}

interface Index {
  /** Of each session: the present generation's, and that of the generation that waits for its end. */
  readonly bySession: Map<string, readonly OpenContract[]>;
  readonly byPointer: PointerIndex<OpenContract>;
}

/** The open contracts of a tree. A change creates another object. */
export class ContractsOfTree {
  /** @param index - `null` while there are none, as in most of the many trees that are cached. */
  constructor(private readonly index: Index | null = null) {}

  /** Those that a patch may change. */
  reachedBy(patch: Patch): Iterable<OpenContract> {
    return this.index?.byPointer.reachedBy(patch) ?? [];
  }

  /** The contracts after a decision: the same object if it changes none. An earlier object is out of date then. */
  after({ sessionId, generation, settings, releasedAt }: Completion): ContractsOfTree {
    const all = this.index?.bySession.get(sessionId) ?? [];
    const known = all.find((one) => one.generation === generation);
    const contract = releasedAt === null ? settings.contract : null;
    if (known === undefined && contract === null) return this;
    if (known !== undefined && contract !== null && isSameContract(known.contract, contract)) return this;
    const { bySession, byPointer } = this.index ?? { bySession: new Map(), byPointer: new PointerIndex() };
    if (known !== undefined) byPointer.delete(known.contract.pointer, known);
    const left = all.filter((one) => one !== known);
    if (contract !== null) {
      const added = { sessionId, generation, contract };
      byPointer.add(contract.pointer, added);
      left.push(added);
    }
    if (left.length > 0) bySession.set(sessionId, left);
    else bySession.delete(sessionId);
    return new ContractsOfTree(bySession.size === 0 ? null : { bySession, byPointer });
  }
}

export class OpenContracts {
  readonly #trees: LRUCache<string, ContractsOfTree>;
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
      if (tree !== undefined) this.#trees.set(rootSessionId, tree.after(change.record));
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
  async of(rootSessionId: string): Promise<ContractsOfTree> {
    const reading = { isCurrent: true };
    this.#reading.set(rootSessionId, reading);
    try {
      const completions = await this.store.read.openCompletions(rootSessionId);
      let tree = new ContractsOfTree();
      for (const completion of completions) tree = tree.after(completion);
      if (reading.isCurrent) this.#trees.set(rootSessionId, tree);
      return tree;
    } finally {
      if (this.#reading.get(rootSessionId) === reading) this.#reading.delete(rootSessionId);
    }
  }

  /** The cached contracts of a tree, or `undefined` if they are not in the cache. */
  cached(rootSessionId: string): ContractsOfTree | undefined {
    return this.#trees.get(rootSessionId);
  }

  /** The contracts of other sessions whose result changes with a write: from holding to broken, or back. */
  contractChanges(
    open: ContractsOfTree,
    writer: string | null,
    patch: Patch,
    before: JsonObject,
    after: JsonObject,
  ): MaybePromise<readonly ContractChange[]> {
    const others = [...open.reachedBy(patch)].filter(({ sessionId }) => sessionId !== writer);
    return others.length === 0 ? [] : this.#changesOf(others, before, after);
  }

  async #changesOf(
    contracts: readonly OpenContract[],
    before: JsonObject,
    after: JsonObject,
  ): Promise<readonly ContractChange[]> {
    const contractChanges: ContractChange[] = [];
    for (const { sessionId, generation, contract } of contracts) {
      const pause = this.slices.yieldIfDue();
      if (pause !== undefined) await pause;
      const was = await this.#violationsOf(contract, before);
      const is = await this.#violationsOf(contract, after);
      if ((was.length === 0) !== (is.length === 0))
        contractChanges.push({ sessionId, generation, violations: is });
    }
    return contractChanges;
  }

  /** A contract that is too expensive to check counts as broken; see `Contracts.contractViolations`. */
  async #violationsOf(contract: Contract, document: JsonObject): Promise<readonly Violation[]> {
    const found = await this.contracts.violations(contract, document);
    if (found.ok) return found.value;
    return [
      { pointer: contract.pointer, keyword: 'contract', message: found.failure.detail, expected: null },
    ];
  }
}
