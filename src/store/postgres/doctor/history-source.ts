// What the check of histories reads of a PostgreSQL database.
import { asc, eq, sql } from 'drizzle-orm';
import type { Evidence } from '../../../domain/evidence/check.js';
import { historyRow, type HistorySource } from '../../evidence/check-history.js';
import { first, type Db } from '../db.js';
import { intact } from '../../intact-rows.js';
import * as rows from '../tables/rows.js';
import { cuts, events, snapshots, states } from '../tables/tables.js';

/** @throws RecordDamagedError - A row is damaged; see `sound`. */
export function historySource(
  onDb: <T>(read: (db: Db) => Promise<T>) => Promise<T>,
  evidence: Evidence,
): HistorySource {
  return {
    evidence,
    historyOf: async (stateSeq) => {
      const found = await onDb((db) =>
        first(
          db
            .select({ head: rows.stateColumns, oldestVersion: cuts.oldestVersion, signature: cuts.signature })
            .from(states)
            .leftJoin(cuts, eq(cuts.stateKey, states.seq))
            .where(eq(states.seq, stateSeq)),
        ),
      );
      if (found === undefined) return undefined;
      const { oldestVersion, signature } = found;
      const compaction = oldestVersion === null ? null : { oldestVersion, signature };
      return { head: intact('state', found.head), compaction };
    },
    events: (stateSeq, version, rowsMax) =>
      onDb(async (db) => {
        const found = await db
          .select({ event: rows.eventColumns, snapshot: rows.snapshotColumns })
          .from(events)
          .innerJoin(states, eq(states.seq, events.stateKey))
          .leftJoin(
            snapshots,
            sql`${snapshots.stateKey} = ${events.stateKey} and ${snapshots.version} = ${events.version}`,
          )
          .where(sql`${events.stateKey} = ${stateSeq} and ${events.version} > ${version}`)
          .orderBy(asc(events.version))
          .limit(rowsMax);
        return found.map(historyRow);
      }),
  };
}
