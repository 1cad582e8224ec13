// Removes old data in one transaction.
import { sql } from 'drizzle-orm';
import { compactionHash } from '../../../domain/evidence/hashes.js';
import type { SigningKeys } from '../../../domain/evidence/keys.js';
import type { Compaction } from '../../../domain/states/retention.js';
import type { PruneBounds, Pruned } from '../../../ports/storage/pruning.js';
import * as statements from '../../pruning.js';
import type { Client } from '../connection.js';
import { connect, type Db } from '../db.js';

/**
 * @param requireOwnership - Called within the transaction. Throws if this process must not write.
 * @returns How many rows were removed.
 */
export function prune(
  client: Client,
  cuts: readonly Compaction[],
  bounds: PruneBounds,
  keys: SigningKeys | null,
  requireOwnership: () => void,
): Pruned {
  const db = connect(client);
  return client
    .transaction(() => {
      requireOwnership();
      return {
        events: cuts.reduce((sum, compaction) => sum + cutHistory(db, compaction, keys), 0),
        notices: pruneNotices(db, bounds),
        receipts: db.run(statements.removeReceipts(bounds)).changes,
        receiptsOfOwner: pruneReceiptsOf(db, bounds),
        archives: db.run(statements.removeArchives(bounds)).changes,
      };
    })
    .immediate();
}

/**
 * Removes everything before the newest snapshot at or below the compaction's version. Does nothing if that is
 * already the oldest version.
 */
function cutHistory(db: Db, compaction: Compaction, keys: SigningKeys | null): number {
  const [kept] = db.all<{ key: number; version: number }>(statements.oldestKept(compaction));
  if (kept === undefined) return 0;
  const through = db.all<{ through: number | null }>(statements.lastRemoved(kept))[0]?.through ?? null;
  if (through === null) return 0;
  const previousHash = db.all<{ hash: string }>(statements.hashBefore(kept))[0]?.hash;
  // The event of the snapshot is missing: the damage must stay visible.
  if (previousHash === undefined) return 0;
  const hash = compactionHash({ stateId: compaction.stateId, oldestVersion: kept.version, previousHash });
  db.run(statements.saveCut(kept, through, keys?.sign(hash) ?? null));
  db.run(statements.removeSnapshots(kept));
  return db.run(statements.removeEvents(kept)).changes;
}

/** Removes the oldest idempotency records of one owner, beyond `keptMax`. */
function pruneReceiptsOf(db: Db, { receiptsOf, rowsMax }: PruneBounds): number {
  if (receiptsOf === undefined) return 0;
  const { owner, keptMax } = receiptsOf;
  const { count } = db.get<{ count: number }>(statements.countReceiptsOf(owner));
  const tooMany = Math.min(count - keptMax, rowsMax);
  return tooMany <= 0 ? 0 : db.run(statements.removeReceiptsOf(owner, tooMany)).changes;
}

function pruneNotices(db: Db, { keptMax, before, rowsMax }: PruneBounds): number {
  return db.run(sql`delete from notices where seq in (
    select seq from notices where seq < (select max(seq) from notices)
      and (seq <= (select max(seq) from notices) - ${keptMax} or created_at < ${before})
    order by seq limit ${rowsMax})`).changes;
}
