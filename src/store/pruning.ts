// Statements that remove old data. The SQL is that of every database. The hash chain stays intact: the first remaining
// event still contains the hash of the last removed one.
import { sql, type SQL } from 'drizzle-orm';
import type { Compaction } from '../domain/states/retention.js';
import type { PruneBounds } from '../ports/storage/pruning.js';

/** A number as a database answers it. */
type Num = number | string;

/** The snapshot that a history is compacted up to: the row number of its state, and its version. */
export interface OldestKept {
  readonly key: Num;
  readonly version: Num;
}

/** Finds the newest snapshot at or below the compaction's version. */
export function oldestKept({ stateId, version }: Compaction): SQL {
  return sql`select s.seq as key, n.version as version from workflow_states s
    join state_snapshots n on n.state_key = s.seq
    where s.state_id = ${stateId} and n.version <= ${version} order by n.version desc limit 1`;
}

/** Finds the number of the last event to remove, as `through`. */
export function lastRemoved({ key, version }: OldestKept): SQL {
  return sql`select max(seq) as through from state_events where state_key = ${key} and version < ${version}`;
}

/** Finds the hash before the event of the snapshot, as `hash`. */
export function hashBefore({ key, version }: OldestKept): SQL {
  return sql`select previous_hash as hash from state_events where state_key = ${key} and version = ${version}`;
}

/** Says from where on the history is kept. */
export function saveCut({ key, version }: OldestKept, through: Num, signature: string | null): SQL {
  return sql`insert into state_history_cuts (state_key, oldest_version, through_event, signature)
    values (${key}, ${version}, ${through}, ${signature})
    on conflict (state_key) do update set oldest_version = excluded.oldest_version,
      through_event = excluded.through_event, signature = excluded.signature`;
}

export function removeSnapshots({ key, version }: OldestKept): SQL {
  return sql`delete from state_snapshots where state_key = ${key} and version < ${version}`;
}

export function removeEvents({ key, version }: OldestKept): SQL {
  return sql`delete from state_events where state_key = ${key} and version < ${version}`;
}

export function removeReceipts({ receiptsBefore, rowsMax }: PruneBounds): SQL {
  return sql`delete from receipts where seq in (
    select seq from receipts where created_at < ${receiptsBefore} order by created_at limit ${rowsMax})`;
}

export function removeArchives({ archivesBefore, rowsMax }: PruneBounds): SQL {
  return sql`delete from workflow_archives where seq in (
    select seq from workflow_archives where created_at < ${archivesBefore} order by created_at limit ${rowsMax})`;
}

/** The idempotency records of one owner. An index covers the condition. */
const isOf = (owner: string) => sql`receipt_id >= ${owner} and receipt_id < ${`${owner}\u{10FFFF}`}`;

/** Counts the idempotency records of one owner, as `count`. */
export function countReceiptsOf(owner: string): SQL {
  return sql`select count(*) as count from receipts where ${isOf(owner)}`;
}

/** Removes the oldest idempotency records of one owner. */
export function removeReceiptsOf(owner: string, rowsMax: number): SQL {
  return sql`delete from receipts where seq in (
    select seq from receipts where ${isOf(owner)} order by seq limit ${rowsMax})`;
}
