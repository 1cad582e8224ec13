// Removes old data in one transaction. The hash chain stays intact: the first remaining event still contains
// the hash of the last removed one.
import { compactionHash } from '../../../domain/evidence/hashes.js';
import type { SigningKeys } from '../../../domain/evidence/keys.js';
import type { Compaction } from '../../../domain/states/retention.js';
import type { PruneBounds, Pruned } from '../../../ports/storage/pruning.js';
import type { Client } from '../connection.js';

interface RowOfState {
  readonly key: number;
  readonly version: number;
}

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
  return client
    .transaction(() => {
      requireOwnership();
      return {
        events: cuts.reduce((sum, compaction) => sum + cutHistory(client, compaction, keys), 0),
        notices: pruneNotices(client, bounds),
        receipts: pruneReceipts(client, bounds),
        receiptsOfOwner: pruneReceiptsOf(client, bounds),
        archives: pruneArchives(client, bounds),
      };
    })
    .immediate();
}

/**
 * Removes everything before the newest snapshot at or below the compaction's version. Does nothing if that is
 * already the oldest version.
 */
function cutHistory(client: Client, compaction: Compaction, keys: SigningKeys | null): number {
  const row = client
    .prepare<[string, number], RowOfState>(
      `select s.seq as key, n.version as version from workflow_states s
        join state_snapshots n on n.state_key = s.seq
        where s.state_id = ? and n.version <= ? order by n.version desc limit 1`,
    )
    .get(compaction.stateId, compaction.version);
  if (row === undefined) return 0;
  const { key, version } = row;
  const through = client
    .prepare<[number, number], number | null>(
      'select max(seq) from state_events where state_key = ? and version < ?',
    )
    .pluck()
    .get(key, version);
  if (through === undefined || through === null) return 0;
  const { stateId } = compaction;
  const previousHash = client
    .prepare<[number, number], string>(
      'select previous_hash from state_events where state_key = ? and version = ?',
    )
    .pluck()
    .get(key, version);
  // The event of the snapshot is missing: the damage must stay visible.
  if (previousHash === undefined) return 0;
  const hash = compactionHash({ stateId, oldestVersion: version, previousHash });
  client
    .prepare(
      `insert into state_history_cuts (state_key, oldest_version, through_event, signature) values (?, ?, ?, ?)
        on conflict (state_key) do update set oldest_version = excluded.oldest_version,
          through_event = excluded.through_event, signature = excluded.signature`,
    )
    .run(key, version, through, keys?.sign(hash) ?? null);
  client.prepare('delete from state_snapshots where state_key = ? and version < ?').run(key, version);
  return client.prepare('delete from state_events where state_key = ? and version < ?').run(key, version)
    .changes;
}

function pruneReceipts(client: Client, { receiptsBefore, rowsMax }: PruneBounds): number {
  return client
    .prepare(
      'delete from receipts where seq in (select seq from receipts where created_at < ? order by created_at limit ?)',
    )
    .run(receiptsBefore, rowsMax).changes;
}

/** Removes the oldest idempotency records of one owner, beyond `keptMax`. An index covers the query. */
function pruneReceiptsOf(client: Client, { receiptsOf, rowsMax }: PruneBounds): number {
  if (receiptsOf === undefined) return 0;
  const { owner, keptMax } = receiptsOf;
  const end = `${owner}\u{10FFFF}`;
  const count = client
    .prepare<[string, string], number>(
      'select count(*) from receipts where receipt_id >= ? and receipt_id < ?',
    )
    .pluck()
    .get(owner, end);
  const tooMany = Math.min((count ?? 0) - keptMax, rowsMax);
  if (tooMany <= 0) return 0;
  return client
    .prepare(
      `delete from receipts where seq in (
        select seq from receipts where receipt_id >= ? and receipt_id < ? order by seq limit ?)`,
    )
    .run(owner, end, tooMany).changes;
}

function pruneArchives(client: Client, { archivesBefore, rowsMax }: PruneBounds): number {
  return client
    .prepare(
      `delete from workflow_archives where seq in (
        select seq from workflow_archives where created_at < ? order by created_at limit ?)`,
    )
    .run(archivesBefore, rowsMax).changes;
}

function pruneNotices(client: Client, { keptMax, before, rowsMax }: PruneBounds): number {
  return client
    .prepare(
      `delete from notices where seq in (
        select seq from notices where seq < (select max(seq) from notices)
          and (seq <= (select max(seq) from notices) - ? or created_at < ?)
        order by seq limit ?)`,
    )
    .run(keptMax, before, rowsMax).changes;
}
