// What the check of histories reads of a SQLite database.
import { asc, eq, sql } from 'drizzle-orm';
import type { Evidence } from '../../../domain/evidence/check.js';
import type { HistorySource } from '../../evidence/check-history.js';
import { historyRow, historyStart, straySnapshot } from '../../evidence/history-rows.js';
import type { Db } from '../db.js';
import { mistypedFlag } from './flags.js';
import * as rows from '../tables/rows.js';
import { archives, cuts, events, snapshots, stateHeads as heads, states } from '../tables/tables.js';

export function historySource(db: Db, evidence: Evidence): HistorySource {
  const state = sql.placeholder('state');
  const head = db
    .select({
      head: rows.stateColumns,
      mistyped: mistypedFlag({ lenient: heads.lenient }),
      // The view has later values of these.
      row: {
        version: states.version,
        patchBytesSinceSnapshot: states.patchBytesSinceSnapshot,
        lastHash: states.lastHash,
        updatedAt: states.updatedAt,
        updatedBy: states.updatedBy,
      },
      oldestVersion: cuts.oldestVersion,
      throughEvent: cuts.throughEvent,
      signature: cuts.signature,
    })
    .from(heads)
    .innerJoin(states, eq(states.seq, heads.seq))
    .leftJoin(cuts, eq(cuts.stateKey, heads.seq))
    .where(eq(heads.seq, state))
    .prepare();
  const page = db
    .select({
      event: rows.eventColumns,
      eventNumber: events.seq,
      mistyped: mistypedFlag({ late: events.late }),
      snapshot: rows.snapshotColumns,
      snapshotNumber: snapshots.seq,
    })
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
  const strays = db
    .select({ version: snapshots.version })
    .from(snapshots)
    .where(
      sql`${snapshots.stateKey} = ${state} and not exists (select 1 from ${events}
        where ${events.stateKey} = ${snapshots.stateKey} and ${events.version} = ${snapshots.version})`,
    )
    .orderBy(asc(snapshots.version))
    .limit(sql.placeholder('rowsMax'))
    .prepare();
  const archive = db
    .select(rows.archiveColumns)
    .from(archives)
    .where(eq(archives.archiveId, sql.placeholder('id')))
    .prepare();
  const archiveIds = db
    .select({ id: archives.archiveId })
    .from(archives)
    .innerJoin(states, eq(states.stateId, archives.stateId))
    .where(eq(states.seq, state))
    .prepare();
  return {
    evidence,
    historyOf(stateSeq) {
      const found = head.get({ state: stateSeq });
      return found === undefined ? undefined : historyStart(found);
    },
    events: (stateSeq, version, rowsMax) => page.all({ state: stateSeq, version, rowsMax }).map(historyRow),
    straySnapshots: (stateSeq, rowsMax) => strays.all({ state: stateSeq, rowsMax }).map(straySnapshot),
    archive: (id) => archive.get({ id }),
    archiveIds: (stateSeq) => archiveIds.all({ state: stateSeq }).map(({ id }) => id),
  };
}
