// Removes old data in one transaction.
import { sql, type SQL } from 'drizzle-orm';
import type { SigningKeys } from '../../../domain/evidence/keys.js';
import type { Compaction } from '../../../domain/states/retention.js';
import type { PruneBounds, Pruned } from '../../../ports/storage/pruning.js';
import * as pruning from '../../pruning.js';
import { run } from '../../steps.js';
import type { Connection } from '../connection/connections.js';
import { connect, queryOn, type Db } from '../connection/db.js';
import { REMOVED_SETTING } from '../settings.js';

/** @returns How many rows were removed. Runs in the transaction of the caller. */
export function prune(
  connection: Connection,
  compactions: readonly Compaction[],
  bounds: PruneBounds,
  keys: SigningKeys | null,
): Promise<Pruned> {
  const db = connect(connection);
  const statements = {
    query: queryOn(db),
    run: async (statement: SQL) => (await db.execute(statement)).rowCount ?? 0,
    pruneNotices: (of: PruneBounds) => pruneNotices(db, of),
  };
  return run(pruning.prune(statements, compactions, bounds, keys));
}

/** Numbers have gaps, so what is kept is counted. */
async function pruneNotices(db: Db, { keptMax, before, rowsMax }: PruneBounds): Promise<number> {
  const { rows } = await db.execute<{ removed: number; newest: string | null }>(
    sql`with old as (
      delete from notices where seq in (
        select seq from notices where seq < (select max(seq) from notices)
          and (seq <= (select seq from notices order by seq desc offset ${keptMax} limit 1) or created_at < ${before})
        order by seq limit ${rowsMax})
      returning seq)
    select count(*)::int as removed, max(seq) as newest from old`,
  );
  const { removed = 0, newest = null } = rows[0] ?? {};
  if (newest !== null)
    await db.execute(sql`insert into settings (name, value) values (${REMOVED_SETTING}, ${newest})
      on conflict (name) do update set value = excluded.value`);
  return removed;
}
