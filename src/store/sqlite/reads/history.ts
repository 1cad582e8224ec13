// The statements that read the history of a state.
import { and, asc, desc, eq, gt, lte, sql } from 'drizzle-orm';
import type { Db } from '../db.js';
import * as rows from '../tables/rows.js';
import type { HistoryStatements } from '../../reads/history.js';
import { cuts, events, snapshots, stateHeads as heads, states } from '../tables/tables.js';
import { whenUsed } from '../when-used.js';

const state = sql.placeholder('state');
const from = sql.placeholder('from');
const to = sql.placeholder('to');

function prepareHistory(db: Db) {
  return whenUsed({
    head: () =>
      db
        .select({ ...rows.stateColumns, key: heads.seq })
        .from(heads)
        .where(eq(heads.stateId, state))
        .prepare(),
    snapshot: () =>
      db
        .select(rows.snapshotColumns)
        .from(snapshots)
        .innerJoin(states, eq(states.seq, snapshots.stateKey))
        .where(and(eq(snapshots.stateKey, state), lte(snapshots.version, to)))
        .orderBy(desc(snapshots.version))
        .limit(1)
        .prepare(),
    sizes: () =>
      db
        .select({ version: events.version, bytes: sql<number>`octet_length(${events.patchText})` })
        .from(events)
        .where(and(eq(events.stateKey, state), gt(events.version, from)))
        .orderBy(asc(events.version))
        .limit(sql.placeholder('rowsMax'))
        .prepare(),
    migration: () =>
      db
        .select({ schemaId: events.fromSchemaId, version: events.version })
        .from(events)
        .where(
          and(eq(events.stateKey, state), gt(events.version, from), sql`${events.fromSchemaId} is not null`),
        )
        .orderBy(asc(events.version))
        .limit(1)
        .prepare(),
    events: () =>
      db
        .select(rows.eventColumns)
        .from(events)
        .innerJoin(states, eq(states.seq, events.stateKey))
        .where(and(eq(events.stateKey, state), gt(events.version, from), lte(events.version, to)))
        .orderBy(asc(events.version))
        .prepare(),
    oldest: () =>
      db.select({ version: cuts.oldestVersion }).from(cuts).where(eq(cuts.stateKey, state)).prepare(),
  });
}

export function historyStatements(db: Db): HistoryStatements {
  const prepared = prepareHistory(db);
  return {
    head: (stateId) => prepared.head.get({ state: stateId }),
    snapshot: (state, to) => prepared.snapshot.get({ state, to }),
    sizes: (state, from, rowsMax) => prepared.sizes.all({ state, from, rowsMax }),
    migration: (state, from) => prepared.migration.get({ state, from }),
    events: (state, from, to) => prepared.events.all({ state, from, to }),
    oldest: (state) => prepared.oldest.get({ state }),
  };
}
