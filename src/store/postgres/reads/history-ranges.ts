// The statements that read which versions of each state's history are available.
import { and, asc, eq, gt, sql } from 'drizzle-orm';
import { first, type Db } from '../connection/db.js';
import type { RangeStatements } from '../../reads/history-ranges.js';
import { cuts, events, states } from '../tables/tables.js';

function prepareHistoryRanges(db: Db) {
  return {
    oldest: db
      .select({ oldestVersion: cuts.oldestVersion })
      .from(cuts)
      .innerJoin(states, and(eq(states.rootSessionId, cuts.rootSessionId), eq(states.seq, cuts.stateKey)))
      .where(
        and(eq(cuts.rootSessionId, sql.placeholder('root')), eq(states.stateId, sql.placeholder('state'))),
      )
      .prepare('ranges_oldest'),
    states: db
      .select({
        seq: states.seq,
        stateId: states.stateId,
        version: states.version,
        oldestVersion: cuts.oldestVersion,
      })
      .from(states)
      .leftJoin(cuts, eq(cuts.stateKey, states.seq))
      .where(gt(states.seq, sql.placeholder('after')))
      .orderBy(asc(states.seq))
      .limit(sql.placeholder('rowsMax'))
      .prepare('ranges_states'),
    createdAt: db
      .select({ at: events.createdAt })
      .from(events)
      .where(and(eq(events.stateKey, sql.placeholder('key')), eq(events.version, sql.placeholder('version'))))
      .prepare('ranges_createdAt'),
  };
}

/** @param rootOf - The tree of a state; `undefined` if there is no such state. */
export function rangeStatements(
  db: Db,
  rootOf: (stateId: string) => Promise<string | undefined>,
): RangeStatements {
  const prepared = prepareHistoryRanges(db);
  return {
    oldest: async (state) => {
      const root = await rootOf(state);
      return root === undefined ? undefined : first(prepared.oldest.execute({ root, state }));
    },
    states: (after, rowsMax) => prepared.states.execute({ after, rowsMax }),
    createdAt: (key, version) => first(prepared.createdAt.execute({ key, version })),
  };
}
