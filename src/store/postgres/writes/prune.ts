// Removes old data in one transaction.
import { sql, type SQL } from 'drizzle-orm';
import { compactionHash } from '../../../domain/evidence/hashes.js';
import type { SigningKeys } from '../../../domain/evidence/keys.js';
import type { Compaction } from '../../../domain/states/retention.js';
import type { PruneBounds, Pruned } from '../../../ports/storage/pruning.js';
import * as statements from '../../pruning.js';
import type { Connection } from '../connection/connections.js';
import { connect, type Db } from '../connection/db.js';
import { REMOVED_SETTING } from '../settings.js';

/** @returns How many rows were removed. Runs in the transaction of the caller. */
export async function prune(
  connection: Connection,
  cuts: readonly Compaction[],
  bounds: PruneBounds,
  keys: SigningKeys | null,
): Promise<Pruned> {
  const db = connect(connection);
  let events = 0;
  for (const compaction of cuts) events += await cutHistory(db, compaction, keys);
  return {
    events,
    notices: await pruneNotices(db, bounds),
    receipts: await removed(db, statements.removeReceipts(bounds)),
    receiptsOfOwner: await pruneReceiptsOf(db, bounds),
    archives: await removed(db, statements.removeArchives(bounds)),
  };
}

/**
 * Removes everything before the newest snapshot at or below the compaction's version. Does nothing if that is
 * already the oldest version.
 */
async function cutHistory(db: Db, compaction: Compaction, keys: SigningKeys | null): Promise<number> {
  const kept = await row<{ key: string; version: string }>(db, statements.oldestKept(compaction));
  if (kept === undefined) return 0;
  const last = await row<{ through: string | null }>(db, statements.lastRemoved(kept));
  const through = last?.through ?? null;
  if (through === null) return 0;
  const previousHash = (await row<{ hash: string }>(db, statements.hashBefore(kept)))?.hash;
  // The event of the snapshot is missing: the damage must stay visible.
  if (previousHash === undefined) return 0;
  const oldestVersion = Number(kept.version);
  const hash = compactionHash({ stateId: compaction.stateId, oldestVersion, previousHash });
  await db.execute(statements.saveCut(kept, through, keys?.sign(hash) ?? null));
  await db.execute(statements.removeSnapshots(kept));
  return removed(db, statements.removeEvents(kept));
}

/** Removes the oldest idempotency records of one owner, beyond `keptMax`. */
async function pruneReceiptsOf(db: Db, { receiptsOf, rowsMax }: PruneBounds): Promise<number> {
  if (receiptsOf === undefined) return 0;
  const { owner, keptMax } = receiptsOf;
  const counted = await row<{ count: string }>(db, statements.countReceiptsOf(owner));
  const tooMany = Math.min(Number(counted?.count ?? 0) - keptMax, rowsMax);
  return tooMany <= 0 ? 0 : removed(db, statements.removeReceiptsOf(owner, tooMany));
}

/** Numbers have gaps, so what is kept is counted. */
async function pruneNotices(db: Db, { keptMax, before, rowsMax }: PruneBounds): Promise<number> {
  const old = await row<{ removed: number; newest: string | null }>(
    db,
    sql`with old as (
      delete from notices where seq in (
        select seq from notices where seq < (select max(seq) from notices)
          and (seq <= (select seq from notices order by seq desc offset ${keptMax} limit 1) or created_at < ${before})
        order by seq limit ${rowsMax})
      returning seq)
    select count(*)::int as removed, max(seq) as newest from old`,
  );
  const { removed: count = 0, newest = null } = old ?? {};
  if (newest !== null)
    await db.execute(sql`insert into settings (name, value) values (${REMOVED_SETTING}, ${newest})
      on conflict (name) do update set value = excluded.value`);
  return count;
}

async function row<T extends Record<string, unknown>>(db: Db, query: SQL) {
  return (await db.execute<T>(query)).rows[0];
}

async function removed(db: Db, statement: SQL): Promise<number> {
  return (await db.execute(statement)).rowCount ?? 0;
}
