// Makes the decision of one request in a transaction: loads what it asks for until it has enough.
import type { Receipt } from '../../../domain/records/records.js';
import type { Decision, LoadRequest, SessionAggregate } from '../../../domain/transactions/loaded-records.js';
import type { StoreLimits } from '../../limits.js';
import type { Request } from '../../request.js';
import type { OnDamage } from '../../rows/intact-rows.js';
import { mayBeSessionId } from '../../../domain/session-ids.js';
import { connect, perConnection } from '../connection/db.js';
import type { Caches } from './loading/caches.js';
import { Loader } from './loading/loader.js';
import { prepareLoading, type Loading } from './loading/loading.js';
import { RecordRepair } from './record-repair.js';
import type { Roots } from '../roots.js';
import type { Transaction } from './transaction.js';

/** A decision, with the aggregates that it was made on; or the keys with which it has to be made again. */
export type Decided = DecisionMade | { readonly needs: readonly string[] };

interface DecisionMade {
  readonly decision: Exclude<Decision<unknown>, { more: unknown }>;
  readonly loaded: ReadonlyMap<string, SessionAggregate>;
}

/** Ids of sessions by their names. `undefined`: the name is free. */
type IdsByName = ReadonlyMap<string, string | undefined>;

/** What a transaction looks up for all its requests, as it was when the transaction began or a moment later. */
export interface LookedUp {
  readonly idsByName: IdsByName;
  /** Of the ids of idempotency records. `undefined`: there is none. Two that write the same one contradict each other. */
  readonly receipts: ReadonlyMap<string, Receipt | undefined>;
}

interface Parts {
  readonly limits: Pick<StoreLimits, 'decisionRoundsMax'>;
  readonly caches: Caches;
  readonly roots: Roots;
  readonly onDamage: OnDamage;
}

export class Decisions {
  readonly #loadingOn = perConnection((connection) => prepareLoading(connect(connection)));

  constructor(private readonly parts: Parts) {}

  /** Looks up what requests name and is not cached, and their idempotency records, with one statement each. */
  async lookUp(transaction: Transaction, requests: readonly Request[]): Promise<LookedUp> {
    const loads = requests.flatMap((request) => request.loads);
    const [idsByName, receipts] = await Promise.all([
      this.#idsOf(transaction, loads),
      this.#receiptsOf(transaction, loads),
    ]);
    return { idsByName, receipts };
  }

  async #idsOf(transaction: Transaction, loads: readonly LoadRequest[]): Promise<IdsByName> {
    const { aggregates } = this.parts.caches;
    const named = loads.flatMap((one) => (one.load === 'aggregateNamed' ? [one.idOrName] : []));
    const names = [...new Set(named)].filter(
      (name) => !mayBeSessionId(name) && aggregates.knownId(name) === undefined,
    );
    return names.length === 0 ? new Map() : idsOfNames(this.#loadingOf(transaction), names);
  }

  async #receiptsOf(transaction: Transaction, loads: readonly LoadRequest[]): Promise<LookedUp['receipts']> {
    const keys = loads.filter((one) => one.load === 'receipt');
    if (keys.length === 0) return new Map();
    const ids = keys.map(({ receiptId }) => receiptId);
    const roots = keys.flatMap(({ rootSessionId }) => rootSessionId ?? []);
    const rows = await this.#loadingOf(transaction).receiptsByIds.execute({ ids, roots });
    const found = new Map(rows.map((row) => [row.receiptId, row]));
    return new Map(ids.map((id) => [id, found.get(id)]));
  }

  /**
   * @param lookedUp - What `lookUp` has found.
   * @param onRepaired - Records were repaired: nothing that is cached of them is current.
   */
  async decide(
    transaction: Transaction,
    { loads, decide }: Request,
    { idsByName, receipts }: LookedUp,
    onRepaired: () => void,
  ): Promise<Decided> {
    const { caches, roots, onDamage, limits } = this.parts;
    const loader = new Loader({
      loading: async () => {
        await transaction.writer.flush();
        return this.#loadingOf(transaction);
      },
      idOf: async (name) =>
        idsByName.has(name)
          ? idsByName.get(name)
          : (await idsOfNames(this.#loadingOf(transaction), [name])).get(name),
      receiptOf: (id) => (receipts.has(id) ? { receipt: receipts.get(id) } : null),
      caches,
      repair: () => new RecordRepair(connect(transaction.start())),
      lock: (more) => transaction.lock(more),
      rootOf: (load) => roots.keyOf(load, () => transaction.start()),
      hold: (rootSessionIds) => transaction.hold(rootSessionIds),
      onRepaired,
      onDamage,
    });
    await loader.load(loads);
    for (let round = 0; round < limits.decisionRoundsMax; round++) {
      if (loader.needs.length > 0) return { needs: loader.needs };
      const decision = decide(loader);
      if (!('more' in decision)) return { decision, loaded: loader.aggregates };
      await loader.load(decision.more);
    }
    throw new Error(`A decision asked for more records ${String(limits.decisionRoundsMax)} times`);
  }

  #loadingOf(transaction: Transaction): Loading {
    return this.#loadingOn(transaction.start());
  }
}

async function idsOfNames({ sessionIdsByName }: Loading, names: readonly string[]): Promise<IdsByName> {
  const rows = await sessionIdsByName.execute({ names });
  const found = new Map(rows.map(({ sessionId, sessionName }) => [sessionName, sessionId]));
  return new Map(names.map((name) => [name, found.get(name)]));
}
