// What the check of histories reads of a SQLite database.
import { asc, eq, sql } from 'drizzle-orm';
import type { Evidence } from '../../../domain/evidence/check.js';
import { historyRow, type HistorySource } from '../../evidence/check-history.js';
import type { Db } from '../db.js';
import { intact } from '../../intact-rows.js';
import * as rows from '../tables/rows.js';
import { cuts, events, snapshots, stateHeads as heads, states } from '../tables/tables.js';

/** @throws RecordDamagedError - A row is damaged; see `sound`. */
export function historySource(db: Db, evidence: Evidence): HistorySource {
  const state = sql.placeholder('state');
  const head = db
    .select({ head: rows.stateColumns, oldestVersion: cuts.oldestVersion, signature: cuts.signature })
    .from(heads)
    .leftJoin(cuts, eq(cuts.stateKey, heads.seq))
    .where(eq(heads.seq, state))
    .prepare();
  const page = db
    .select({ event: rows.eventColumns, snapshot: rows.snapshotColumns })
    .from(events)
    .innerJoin(states, eq(states.seq, events.stateKey))
    .leftJoin(
      snapshots,
      sql`${snapshots.stateKey} = ${events.stateKey} and ${snapshots.version} = ${events.version}`,
    )
    .where(sql`${events.stateKey} = ${state} and ${events.version} > ${sql.placeholder('version')}`)
    .orderBy(asc(events.version))
    .limit(sql.placeholder('rowsMax'))
    .prepare();
  return {
    evidence,
    historyOf(stateSeq) {
      const found = head.get({ state: stateSeq });
      if (found === undefined) return undefined;
      const { oldestVersion, signature } = found;
      const compaction = oldestVersion === null ? null : { oldestVersion, signature };
      return { head: intact('state', found.head), compaction };
    },
    events: (stateSeq, version, rowsMax) => page.all({ state: stateSeq, version, rowsMax }).map(historyRow),
  };
}
