// Makes the decision of one request in a transaction: loads what it asks for until it has enough.
import type { Decision, SessionAggregate } from '../../../domain/transactions/loaded-records.js';
import type { StoreLimits } from '../../limits.js';
import type { Request } from '../../request.js';
import type { OnDamage } from '../../sound.js';
import type { Connection } from '../connections.js';
import { connect } from '../db.js';
import type { AggregateCache } from './loading/aggregate-cache.js';
import type { HeadCache } from './loading/head-cache.js';
import { Loader } from './loading/loader.js';
import { prepareLoading, type Loading } from './loading/loading.js';
import { Mender } from './mender.js';
import type { Transaction } from './transaction.js';

/** A decision, with the aggregates that it was made on. */
export interface Decided {
  readonly decision: Exclude<Decision<unknown>, { more: unknown }>;
  readonly loaded: ReadonlyMap<string, SessionAggregate>;
}

interface Parts {
  readonly limits: Pick<StoreLimits, 'decisionRoundsMax'>;
  readonly aggregates: AggregateCache;
  readonly heads: HeadCache;
  readonly onDamage: OnDamage;
}

export class Decisions {
  readonly #loadings = new WeakMap<Connection, Loading>();

  constructor(private readonly parts: Parts) {}

  /** @param onMended - Records were mended: nothing that is cached of them is current. */
  async decide(transaction: Transaction, { loads, decide }: Request, onMended: () => void): Promise<Decided> {
    const { connection, writer } = transaction;
    const { aggregates, heads, onDamage, limits } = this.parts;
    const prepared = this.#loadingOf(connection);
    const loader = new Loader({
      loading: async () => {
        await writer.flush();
        return prepared;
      },
      aggregates,
      heads,
      mender: new Mender(connect(connection)),
      lock: (more) => transaction.lock(more),
      onMended,
      onDamage,
    });
    await loader.load(loads);
    for (let round = 0; round < limits.decisionRoundsMax; round++) {
      const decision = decide(loader);
      if (!('more' in decision)) return { decision, loaded: loader.aggregates };
      await loader.load(decision.more);
    }
    throw new Error(`A decision asked for more records ${String(limits.decisionRoundsMax)} times`);
  }

  #loadingOf(connection: Connection): Loading {
    const known = this.#loadings.get(connection);
    const loading = known ?? prepareLoading(connect(connection));
    if (known === undefined) this.#loadings.set(connection, loading);
    return loading;
  }
}
