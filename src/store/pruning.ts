// Removes old data. The SQL is that of every database. The hash chain stays intact: the first remaining
// event still contains the hash of the last removed one.
import { sql, type SQL } from 'drizzle-orm';
import { compactionHash } from '../domain/evidence/hashes.js';
import type { SigningKeys } from '../domain/evidence/keys.js';
import type { Compaction } from '../domain/states/retention.js';
import type { MaybePromise } from '../lib/maybe-promise.js';
import type { PruneBounds, Pruned } from '../ports/storage/pruning.js';
import { answerOf, type Cell, type RunQuery, type Steps } from './steps.js';

/** The snapshot that a history is compacted up to: the row number of its state, and its version. */
interface OldestKept {
  readonly key: Cell;
  readonly version: Cell;
}

/** A database within a transaction. */
export interface PruneStatements {
  readonly query: RunQuery;
  /** @returns How many rows it removed or wrote. */
  readonly run: (statement: SQL) => MaybePromise<number>;
  /** Removes the oldest domain events. @returns How many. */
  readonly pruneNotices: (bounds: PruneBounds) => MaybePromise<number>;
}

/** Removes old data in the transaction of the caller. @returns How many rows were removed. */
export function* prune(
  database: PruneStatements,
  compactions: readonly Compaction[],
  bounds: PruneBounds,
  keys: SigningKeys | null,
): Steps<Pruned> {
  let events = 0;
  for (const compaction of compactions) events += yield* compact(database, compaction, keys);
  return {
    events,
    notices: yield* answerOf(database.pruneNotices(bounds)),
    receipts: yield* answerOf(database.run(removeReceipts(bounds))),
    receiptsOfOwner: yield* pruneReceiptsOf(database, bounds),
    archives: yield* answerOf(database.run(removeArchives(bounds))),
  };
}

/**
 * Removes everything before the newest snapshot at or below the compaction's version. Does nothing if that is
 * already the oldest version.
 */
function* compact(
  { query, run }: PruneStatements,
  compaction: Compaction,
  keys: SigningKeys | null,
): Steps<number> {
  const [found] = yield* answerOf(query(oldestKept(compaction)));
  if (found === undefined) return 0;
  const kept = { key: found['key'] ?? null, version: found['version'] ?? null };
  const through = (yield* answerOf(query(lastRemoved(kept))))[0]?.['through'] ?? null;
  if (through === null) return 0;
  const previousHash = (yield* answerOf(query(hashBefore(kept))))[0]?.['hash'] ?? null;
  // The event of the snapshot is missing: the damage must stay visible.
  if (previousHash === null) return 0;
  const { stateId } = compaction;
  const hash = compactionHash({
    stateId,
    oldestVersion: Number(kept.version),
    previousHash: String(previousHash),
  });
  yield* answerOf(run(saveCompaction(kept, through, keys?.sign(hash) ?? null)));
  yield* answerOf(run(removeSnapshots(kept)));
  return yield* answerOf(run(removeEvents(kept)));
}

/** Removes the oldest idempotency records of one owner, beyond `keptMax`. */
function* pruneReceiptsOf(
  { query, run }: PruneStatements,
  { receiptsOf, rowsMax }: PruneBounds,
): Steps<number> {
  if (receiptsOf === undefined) return 0;
  const { owner, keptMax } = receiptsOf;
  const [counted] = yield* answerOf(query(countReceiptsOf(owner)));
  const tooMany = Math.min(Number(counted?.['count'] ?? 0) - keptMax, rowsMax);
  return tooMany <= 0 ? 0 : yield* answerOf(run(removeReceiptsOf(owner, tooMany)));
}

/** Finds the newest snapshot at or below the compaction's version. */
function oldestKept({ stateId, version }: Compaction): SQL {
  return sql`select s.seq as key, n.version as version from workflow_states s
    join state_snapshots n on n.state_key = s.seq
    where s.state_id = ${stateId} and n.version <= ${version} order by n.version desc limit 1`;
}

/** Finds the number of the last event to remove, as `through`. */
function lastRemoved({ key, version }: OldestKept): SQL {
  return sql`select max(seq) as through from state_events where state_key = ${key} and version < ${version}`;
}

/** Finds the hash before the event of the snapshot, as `hash`. */
function hashBefore({ key, version }: OldestKept): SQL {
  return sql`select previous_hash as hash from state_events where state_key = ${key} and version = ${version}`;
}

/** Says from where on the history is kept. */
function saveCompaction({ key, version }: OldestKept, through: Cell, signature: string | null): SQL {
  return sql`insert into state_history_cuts (state_key, oldest_version, through_event, signature)
    values (${key}, ${version}, ${through}, ${signature})
    on conflict (state_key) do update set oldest_version = excluded.oldest_version,
      through_event = excluded.through_event, signature = excluded.signature`;
}

function removeSnapshots({ key, version }: OldestKept): SQL {
  return sql`delete from state_snapshots where state_key = ${key} and version < ${version}`;
}

function removeEvents({ key, version }: OldestKept): SQL {
  return sql`delete from state_events where state_key = ${key} and version < ${version}`;
}

function removeReceipts({ receiptsBefore, rowsMax }: PruneBounds): SQL {
  return sql`delete from receipts where seq in (
    select seq from receipts where created_at < ${receiptsBefore} order by created_at limit ${rowsMax})`;
}

/** An archive whose time is damaged stays: the damage must stay visible. */
function removeArchives({ archivesBefore, rowsMax }: PruneBounds): SQL {
  return sql`delete from workflow_archives where seq in (
    select seq from workflow_archives
    where created_at >= 0 and created_at < ${archivesBefore} and cast(created_at as bigint) = created_at
    order by created_at limit ${rowsMax})`;
}

/** The idempotency records of one owner. An index covers the condition. */
const isOf = (owner: string) => sql`receipt_id >= ${owner} and receipt_id < ${`${owner}\u{10FFFF}`}`;

/** Counts the idempotency records of one owner, as `count`. */
function countReceiptsOf(owner: string): SQL {
  return sql`select count(*) as count from receipts where ${isOf(owner)}`;
}

/** Removes the oldest idempotency records of one owner. */
function removeReceiptsOf(owner: string, rowsMax: number): SQL {
  return sql`delete from receipts where seq in (
    select seq from receipts where ${isOf(owner)} order by seq limit ${rowsMax})`;
}
