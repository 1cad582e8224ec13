// The statements that read the history of a state. All have the root of its tree: see roots.ts.
import { and, asc, desc, eq, gt, lte, sql } from 'drizzle-orm';
import { first, type Db } from '../connection/db.js';
import * as rows from '../tables/rows.js';
import type { HistoryStatements } from '../../reads/history.js';
import { cuts, events, snapshots, states } from '../tables/tables.js';

const state = sql.placeholder('state');
const root = sql.placeholder('root');
const from = sql.placeholder('from');
const to = sql.placeholder('to');

export type PreparedHistory = ReturnType<typeof prepareHistory>;

export function prepareHistory(db: Db) {
  return {
    head: db
      .select({ ...rows.stateColumns, key: states.seq })
      .from(states)
      .where(and(eq(states.rootSessionId, root), eq(states.stateId, state)))
      .prepare('history_head'),
    snapshot: db
      .select(rows.snapshotColumns)
      .from(snapshots)
      .innerJoin(
        states,
        and(eq(states.rootSessionId, snapshots.rootSessionId), eq(states.seq, snapshots.stateKey)),
      )
      .where(
        and(eq(snapshots.rootSessionId, root), eq(snapshots.stateKey, state), lte(snapshots.version, to)),
      )
      .orderBy(desc(snapshots.version))
      .limit(1)
      .prepare('history_snapshot'),
    sizes: db
      .select({ version: events.version, bytes: sql<number>`octet_length(${events.patchText})` })
      .from(events)
      .where(and(eq(events.rootSessionId, root), eq(events.stateKey, state), gt(events.version, from)))
      .orderBy(asc(events.version))
      .limit(sql.placeholder('rowsMax'))
      .prepare('history_sizes'),
    migration: db
      .select({ schemaId: events.fromSchemaId, version: events.version })
      .from(events)
      .where(
        and(
          eq(events.rootSessionId, root),
          eq(events.stateKey, state),
          gt(events.version, from),
          sql`${events.fromSchemaId} is not null`,
        ),
      )
      .orderBy(asc(events.version))
      .limit(1)
      .prepare('history_migration'),
    events: db
      .select(rows.eventColumns)
      .from(events)
      .innerJoin(states, and(eq(states.rootSessionId, events.rootSessionId), eq(states.seq, events.stateKey)))
      .where(
        and(
          eq(events.rootSessionId, root),
          eq(events.stateKey, state),
          gt(events.version, from),
          lte(events.version, to),
        ),
      )
      .orderBy(asc(events.version))
      .prepare('history_events'),
    oldest: db
      .select({ version: cuts.oldestVersion })
      .from(cuts)
      .where(and(eq(cuts.rootSessionId, root), eq(cuts.stateKey, state)))
      .prepare('history_oldest'),
  };
}

/** @param root - The tree of the state. */
export function historyStatements(prepared: PreparedHistory, root: string): HistoryStatements {
  return {
    head: (stateId) => first(prepared.head.execute({ root, state: stateId })),
    snapshot: (state, to) => first(prepared.snapshot.execute({ root, state, to })),
    sizes: (state, from, rowsMax) => prepared.sizes.execute({ root, state, from, rowsMax }),
    migration: (state, from) => first(prepared.migration.execute({ root, state, from })),
    events: (state, from, to) => prepared.events.execute({ root, state, from, to }),
    oldest: (state) => first(prepared.oldest.execute({ root, state })),
  };
}
