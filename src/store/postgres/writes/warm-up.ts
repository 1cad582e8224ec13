// Loads what decisions look at before the lock of all commits is taken, so that they find it in memory under the lock. What
// another coordinator commits in between is heard under the lock, and evicts what it has changed.
import type { LoadRequest } from '../../../domain/transactions/loaded-records.js';
import type { Request } from '../../request.js';
import type { Connection } from '../connections.js';
import { connect } from '../db.js';
import type { AggregateCache } from './aggregate-cache.js';
import type { HeadCache } from './head-cache.js';
import { Loader } from './loader.js';
import type { Loading } from './loading.js';
import { Mender } from './mender.js';

/** The load requests that fill a cache. */
const CACHED: ReadonlySet<LoadRequest['load']> = new Set<LoadRequest['load']>([
  'aggregate',
  'aggregateNamed',
  'openAggregates',
  'run',
  'callback',
  'treeState',
  'state',
]);

const ignore = () => undefined;

/** @param connection - In a transaction that reads at one moment. Not before the last commit that the caches have seen. */
export async function warmUp(
  group: readonly Request[],
  connection: Connection,
  loading: Loading,
  caches: { readonly aggregates: AggregateCache; readonly heads: HeadCache },
): Promise<void> {
  const mender = new Mender(connect(connection));
  const loads = group.flatMap((request) => request.loads).filter(({ load }) => CACHED.has(load));
  await Promise.all(
    loads.map((load) =>
      new Loader({ loading: () => Promise.resolve(loading), ...caches, mender, onDamage: ignore })
        .load([load])
        // The decision meets the same error, and says so.
        .catch(ignore),
    ),
  );
}
