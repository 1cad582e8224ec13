// Removes old data in one transaction.
import { sql } from 'drizzle-orm';
import type { SigningKeys } from '../../../domain/evidence/keys.js';
import type { Compaction } from '../../../domain/states/retention.js';
import type { PruneBounds, Pruned } from '../../../ports/storage/pruning.js';
import * as pruning from '../../pruning.js';
import { runNow } from '../../steps.js';
import type { Client } from '../connection.js';
import { connect } from '../db.js';

/**
 * @param requireOwnership - Called within the transaction. Throws if this process must not write.
 * @returns How many rows were removed.
 */
export function prune(
  client: Client,
  compactions: readonly Compaction[],
  bounds: PruneBounds,
  keys: SigningKeys | null,
  requireOwnership: () => void,
): Pruned {
  return client
    .transaction(() => {
      requireOwnership();
      return runNow(pruning.prune(statementsOn(client), compactions, bounds, keys));
    })
    .immediate();
}

function statementsOn(client: Client): pruning.PruneStatements {
  const db = connect(client);
  return {
    query: (query) => db.all(query),
    run: (statement) => db.run(statement).changes,
    pruneNotices: ({ keptMax, before, rowsMax }) =>
      db.run(sql`delete from notices where seq in (
        select seq from notices where seq < (select max(seq) from notices)
          and (seq <= (select max(seq) from notices) - ${keptMax} or created_at < ${before})
        order by seq limit ${rowsMax})`).changes,
  };
}
