// The statements that read the feed.
import { and, asc, desc, eq, gt, lte, sql } from 'drizzle-orm';
import type { Db } from '../db.js';
import * as rows from '../tables/rows.js';
import { EVENTS_REMOVED, type FeedStatements } from '../../reads/feed.js';
import { cuts, events, notices, stateHeads, states } from '../tables/tables.js';
import { whenUsed } from '../when-used.js';

const key = sql.placeholder('key');
const from = sql.placeholder('from');
const to = sql.placeholder('to');
const id = sql.placeholder('id');
const rowsMax = sql.placeholder('rowsMax');

const sized = {
  seq: events.seq,
  version: events.version,
  bytes: sql<number>`octet_length(${events.patchText})`,
};
const noticeColumns = {
  seq: notices.seq,
  afterEvent: notices.afterEvent,
  record: {
    kind: notices.kind,
    subjectId: notices.subjectId,
    rootSessionId: notices.rootSessionId,
    createdAt: notices.createdAt,
    facts: notices.facts,
  },
};

function prepareFeed(db: Db) {
  const selectSizes = () => db.select(sized).from(events);
  const selectEvents = () =>
    db
      .select({ seq: events.seq, record: rows.eventColumns })
      .from(events)
      .innerJoin(states, eq(states.seq, events.stateKey));
  const selectNotices = () => db.select(noticeColumns).from(notices);
  return whenUsed({
    ends: () =>
      db
        .select({
          events: sql<number>`coalesce((select max(seq) from state_events), 0)`,
          notices: sql<number>`coalesce((select max(seq) from notices), 0)`,
          noticesRemoved: sql<number>`coalesce((select min(seq) from notices), 1) - 1`,
          eventsRemoved: sql<number>`${sql.raw(EVENTS_REMOVED)}`,
        })
        .from(sql`(select 1)`)
        .prepare(),
    keyOfState: () => db.select({ key: states.seq }).from(states).where(eq(states.stateId, id)).prepare(),
    keyOfRoot: () =>
      db.select({ key: states.seq }).from(states).where(eq(states.rootSessionId, id)).prepare(),
    cutOf: () => db.select({ through: cuts.throughEvent }).from(cuts).where(eq(cuts.stateKey, key)).prepare(),
    head: () => db.select(rows.stateColumns).from(stateHeads).where(eq(stateHeads.stateId, id)).prepare(),
    /** Searches back from the newest version: the cost depends on what is left to read, not on the whole history. */
    versionAt: () =>
      db
        .select({ version: events.version })
        .from(events)
        .where(and(eq(events.stateKey, key), lte(events.seq, from)))
        .orderBy(desc(events.version))
        .limit(1)
        .prepare(),
    sizes: () => selectSizes().where(gt(events.seq, from)).orderBy(asc(events.seq)).limit(rowsMax).prepare(),
    sizesOfState: () =>
      selectSizes()
        .where(and(eq(events.stateKey, key), gt(events.version, from)))
        .orderBy(asc(events.version))
        .limit(rowsMax)
        .prepare(),
    events: () =>
      selectEvents()
        .where(and(gt(events.seq, from), lte(events.seq, to)))
        .orderBy(asc(events.seq))
        .prepare(),
    eventsOfState: () =>
      selectEvents()
        .where(and(eq(events.stateKey, key), gt(events.version, from), lte(events.version, to)))
        .orderBy(asc(events.version))
        .prepare(),
    notices: () =>
      selectNotices().where(gt(notices.seq, from)).orderBy(asc(notices.seq)).limit(rowsMax).prepare(),
    noticesOfRoot: () =>
      selectNotices()
        .where(and(eq(notices.rootSessionId, id), gt(notices.seq, from)))
        .orderBy(asc(notices.seq))
        .limit(rowsMax)
        .prepare(),
    noticesOfState: () =>
      selectNotices()
        .where(and(eq(notices.subjectId, id), eq(notices.kind, 'state'), gt(notices.seq, from)))
        .orderBy(asc(notices.seq))
        .limit(rowsMax)
        .prepare(),
  });
}

export function feedStatements(db: Db): FeedStatements {
  const prepared = prepareFeed(db);
  return {
    ends: () => prepared.ends.get(),
    keyOfState: (id) => prepared.keyOfState.get({ id }),
    keyOfRoot: (id) => prepared.keyOfRoot.get({ id }),
    cutOf: (key) => prepared.cutOf.get({ key }),
    heads: (stateIds) => stateIds.map((id) => prepared.head.get({ id })),
    versionAt: (key, from) => prepared.versionAt.get({ key, from }),
    sizes: (from, rowsMax) => prepared.sizes.all({ from, rowsMax }),
    sizesOfState: (key, from, rowsMax) => prepared.sizesOfState.all({ key, from, rowsMax }),
    events: (from, to) => prepared.events.all({ from, to }),
    eventsOfState: (key, from, to) => prepared.eventsOfState.all({ key, from, to }),
    notices: (from, rowsMax) => prepared.notices.all({ from, rowsMax }),
    noticesOfRoot: (id, from, rowsMax) => prepared.noticesOfRoot.all({ id, from, rowsMax }),
    noticesOfState: (id, from, rowsMax) => prepared.noticesOfState.all({ id, from, rowsMax }),
  };
}
