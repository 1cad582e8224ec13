// What the check of histories reads of a PostgreSQL database. Compaction points and snapshots are found as reads find them: by
// state and tree.
import { and, asc, eq, sql } from 'drizzle-orm';
import type { Evidence } from '../../../domain/evidence/check.js';
import type { HistorySource } from '../../evidence/check-history.js';
import { historyRow, historyStart, straySnapshot } from '../../evidence/history-rows.js';
import { first, type Db } from '../connection/db.js';
import * as rows from '../tables/rows.js';
import { archives, cuts, events, snapshots, states } from '../tables/tables.js';

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
            .select({
              head: rows.stateColumns,
              oldestVersion: cuts.oldestVersion,
              throughEvent: cuts.throughEvent,
              signature: cuts.signature,
            })
            .from(states)
            .leftJoin(cuts, and(eq(cuts.stateKey, states.seq), eq(cuts.rootSessionId, states.rootSessionId)))
            .where(eq(states.seq, stateSeq)),
        ),
      );
      return found === undefined ? undefined : historyStart(found);
    },
    events: (stateSeq, version, rowsMax) =>
      onDb(async (db) => {
        const found = await db
          .select({
            event: rows.eventColumns,
            eventNumber: events.seq,
            snapshot: rows.snapshotColumns,
            snapshotNumber: snapshots.seq,
          })
          .from(events)
          .innerJoin(states, eq(states.seq, events.stateKey))
          .leftJoin(
            snapshots,
            sql`${snapshots.stateKey} = ${events.stateKey} and ${snapshots.version} = ${events.version}
              and ${snapshots.rootSessionId} = ${states.rootSessionId}`,
          )
          .where(sql`${events.stateKey} = ${stateSeq} and ${events.version} > ${version}`)
          .orderBy(asc(events.version))
          .limit(rowsMax);
        return found.map(historyRow);
      }),
    straySnapshots: (stateSeq, rowsMax) =>
      onDb(async (db) => {
        const found = await db
          .select({ version: snapshots.version })
          .from(snapshots)
          .where(
            sql`${snapshots.stateKey} = ${stateSeq} and not exists (select 1 from ${events}
              where ${events.stateKey} = ${snapshots.stateKey} and ${events.version} = ${snapshots.version})`,
          )
          .orderBy(asc(snapshots.version))
          .limit(rowsMax);
        return found.map(straySnapshot);
      }),
    archive: (id) =>
      onDb((db) => first(db.select(rows.archiveColumns).from(archives).where(eq(archives.archiveId, id)))),
    archiveIds: (stateSeq) =>
      onDb(async (db) => {
        const found = await db
          .select({ id: archives.archiveId })
          .from(archives)
          .innerJoin(states, eq(states.stateId, archives.stateId))
          .where(eq(states.seq, stateSeq));
        return found.map(({ id }) => id);
      }),
  };
}
