// Removes old data in one transaction. The hash chain stays intact: the first remaining event still contains
// the hash of the last removed one.
import { compactionHash } from '../../../domain/evidence/hashes.js';
import type { SigningKeys } from '../../../domain/evidence/keys.js';
import type { Compaction } from '../../../domain/states/retention.js';
import type { PruneBounds, Pruned } from '../../../ports/storage/pruning.js';
import type { Connection } from '../connection/connections.js';
import { REMOVED_SETTING } from '../settings.js';

/** @returns How many rows were removed. Runs in the transaction of the caller. */
export async function prune(
  connection: Connection,
  cuts: readonly Compaction[],
  bounds: PruneBounds,
  keys: SigningKeys | null,
): Promise<Pruned> {
  let events = 0;
  for (const compaction of cuts) events += await cutHistory(connection, compaction, keys);
  return {
    events,
    notices: await pruneNotices(connection, bounds),
    receipts: await pruneReceipts(connection, bounds),
    receiptsOfOwner: await pruneReceiptsOf(connection, bounds),
    archives: await pruneArchives(connection, bounds),
  };
}

/**
 * Removes everything before the newest snapshot at or below the compaction's version. Does nothing if that is
 * already the oldest version.
 */
async function cutHistory(
  connection: Connection,
  compaction: Compaction,
  keys: SigningKeys | null,
): Promise<number> {
  const { rows: heads } = await connection.query<{ key: string; version: string }>(
    `select s.seq as key, n.version as version from workflow_states s
      join state_snapshots n on n.state_key = s.seq
      where s.state_id = $1 and n.version <= $2 order by n.version desc limit 1`,
    [compaction.stateId, compaction.version],
  );
  const [row] = heads;
  if (row === undefined) return 0;
  const { key, version } = row;
  const { rows } = await connection.query<{ through: string | null }>(
    'select max(seq) as through from state_events where state_key = $1 and version < $2',
    [key, version],
  );
  const through = rows[0]?.through ?? null;
  if (through === null) return 0;
  const { rows: kept } = await connection.query<{ previous_hash: string }>(
    'select previous_hash from state_events where state_key = $1 and version = $2',
    [key, version],
  );
  const previousHash = kept[0]?.previous_hash;
  // The event of the snapshot is missing: the damage must stay visible.
  if (previousHash === undefined) return 0;
  const hash = compactionHash({ stateId: compaction.stateId, oldestVersion: Number(version), previousHash });
  await connection.query(
    `insert into state_history_cuts (state_key, oldest_version, through_event, signature) values ($1, $2, $3, $4)
      on conflict (state_key) do update set oldest_version = excluded.oldest_version,
        through_event = excluded.through_event, signature = excluded.signature`,
    [key, version, through, keys?.sign(hash) ?? null],
  );
  await connection.query('delete from state_snapshots where state_key = $1 and version < $2', [key, version]);
  return removed(connection, 'delete from state_events where state_key = $1 and version < $2', [
    key,
    version,
  ]);
}

function pruneReceipts(connection: Connection, { receiptsBefore, rowsMax }: PruneBounds): Promise<number> {
  return removed(
    connection,
    `delete from receipts where seq in (
      select seq from receipts where created_at < $1 order by created_at limit $2)`,
    [receiptsBefore, rowsMax],
  );
}

/** Removes the oldest idempotency records of one owner, beyond `keptMax`. An index covers the query. */
async function pruneReceiptsOf(
  connection: Connection,
  { receiptsOf, rowsMax }: PruneBounds,
): Promise<number> {
  if (receiptsOf === undefined) return 0;
  const { owner, keptMax } = receiptsOf;
  const end = `${owner}\u{10FFFF}`;
  const { rows } = await connection.query<{ count: string }>(
    'select count(*) as count from receipts where receipt_id >= $1 and receipt_id < $2',
    [owner, end],
  );
  const tooMany = Math.min(Number(rows[0]?.count ?? 0) - keptMax, rowsMax);
  if (tooMany <= 0) return 0;
  return removed(
    connection,
    `delete from receipts where seq in (
      select seq from receipts where receipt_id >= $1 and receipt_id < $2 order by seq limit $3)`,
    [owner, end, tooMany],
  );
}

function pruneArchives(connection: Connection, { archivesBefore, rowsMax }: PruneBounds): Promise<number> {
  return removed(
    connection,
    `delete from workflow_archives where seq in (
      select seq from workflow_archives where created_at < $1 order by created_at limit $2)`,
    [archivesBefore, rowsMax],
  );
}

/** Numbers have gaps, so what is kept is counted. */
async function pruneNotices(
  connection: Connection,
  { keptMax, before, rowsMax }: PruneBounds,
): Promise<number> {
  const { rows } = await connection.query<{ removed: number; newest: string | null }>(
    `with old as (
      delete from notices where seq in (
        select seq from notices where seq < (select max(seq) from notices)
          and (seq <= (select seq from notices order by seq desc offset $1 limit 1) or created_at < $2)
        order by seq limit $3)
      returning seq)
    select count(*)::int as removed, max(seq) as newest from old`,
    [keptMax, before, rowsMax],
  );
  const { removed: count = 0, newest = null } = rows[0] ?? {};
  if (newest !== null)
    await connection.query(
      `insert into settings (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value`,
      [REMOVED_SETTING, newest],
    );
  return count;
}

async function removed(connection: Connection, text: string, values: readonly unknown[]): Promise<number> {
  const { rowCount } = await connection.query(text, [...values]);
  return rowCount ?? 0;
}
