// The statements that read which versions of each state's history are available.
import { and, asc, eq, gt, sql } from 'drizzle-orm';
import type { Db } from '../db.js';
import type { RangeStatements } from '../../reads/history-ranges.js';
import { cuts, events, stateHeads as heads, states } from '../tables/tables.js';
import { whenUsed } from '../when-used.js';

function prepareHistoryRanges(db: Db) {
  return whenUsed({
    oldest: () =>
      db
        .select({ oldestVersion: cuts.oldestVersion })
        .from(cuts)
        .innerJoin(states, eq(states.seq, cuts.stateKey))
        .where(eq(states.stateId, sql.placeholder('state')))
        .prepare(),
    states: () =>
      db
        .select({
          seq: heads.seq,
          stateId: heads.stateId,
          version: heads.version,
          oldestVersion: cuts.oldestVersion,
        })
        .from(heads)
        .leftJoin(cuts, eq(cuts.stateKey, heads.seq))
        .where(gt(heads.seq, sql.placeholder('after')))
        .orderBy(asc(heads.seq))
        .limit(sql.placeholder('rowsMax'))
        .prepare(),
    createdAt: () =>
      db
        .select({ at: events.createdAt })
        .from(events)
        .where(
          and(eq(events.stateKey, sql.placeholder('key')), eq(events.version, sql.placeholder('version'))),
        )
        .prepare(),
  });
}

export function rangeStatements(db: Db): RangeStatements {
  const prepared = prepareHistoryRanges(db);
  return {
    oldest: (state) => prepared.oldest.get({ state }),
    states: (after, rowsMax) => prepared.states.all({ after, rowsMax }),
    createdAt: (key, version) => prepared.createdAt.get({ key, version }),
  };
}
