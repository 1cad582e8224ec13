// The statements that read the feed.
import { and, asc, desc, eq, gt, lte, sql } from 'drizzle-orm';
import { first, type Db } from '../connection/db.js';
import * as rows from '../tables/rows.js';
import { EVENTS_REMOVED, type FeedStatements } from '../../reads/feed.js';
import { REMOVED_SETTING } from '../settings.js';
import { cuts, events, notices, states } from '../tables/tables.js';

const key = sql.placeholder('key');
const from = sql.placeholder('from');
const to = sql.placeholder('to');
const id = sql.placeholder('id');
const rowsMax = sql.placeholder('rowsMax');
/** Numbers above this are not read: one below may still be missing. */
const through = sql.placeholder('through');

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

export function prepareFeed(db: Db) {
  const selectSizes = () => db.select(sized).from(events);
  const selectEvents = () =>
    db
      .select({ seq: events.seq, record: rows.eventColumns })
      .from(events)
      .innerJoin(states, eq(states.seq, events.stateKey));
  const selectNotices = () => db.select(noticeColumns).from(notices);
  return {
    ends: db
      .select({
        // A deletion of the state that wrote last must not move the end back: the newest domain event stays.
        events: sql`greatest(0, (select max(seq) from state_events where seq <= ${through}),
          (select after_event from notices where seq <= ${through} order by seq desc limit 1))`.mapWith(
          Number,
        ),
        notices: sql`coalesce((select max(seq) from notices where seq <= ${through}), 0)`.mapWith(Number),
        // If the setting was edited to no number, all before the oldest domain event counts as removed.
        noticesRemoved: sql`coalesce((
          select case when value ~ '^[0-9]{1,15}$' then value::bigint else (select min(seq) - 1 from notices) end
          from settings where name = ${REMOVED_SETTING}), 0)`.mapWith(Number),
        eventsRemoved: sql`${sql.raw(EVENTS_REMOVED)}`.mapWith(Number),
      })
      .from(sql`(select 1) as one`)
      .prepare('feed_ends'),
    keyOfState: db
      .select({ key: states.seq })
      .from(states)
      .where(eq(states.stateId, id))
      .prepare('feed_keyOfState'),
    keyOfRoot: db
      .select({ key: states.seq })
      .from(states)
      .where(eq(states.rootSessionId, id))
      .prepare('feed_keyOfRoot'),
    cutOf: db
      .select({ through: cuts.throughEvent })
      .from(cuts)
      .where(eq(cuts.stateKey, key))
      .prepare('feed_cutOf'),
    head: db.select(rows.stateColumns).from(states).where(eq(states.stateId, id)).prepare('feed_head'),
    /** Searches back from the newest version: the cost depends on what is left to read, not on the whole history. */
    versionAt: db
      .select({ version: events.version })
      .from(events)
      .where(and(eq(events.stateKey, key), lte(events.seq, from)))
      .orderBy(desc(events.version))
      .limit(1)
      .prepare('feed_versionAt'),
    sizes: selectSizes()
      .where(and(gt(events.seq, from), lte(events.seq, through)))
      .orderBy(asc(events.seq))
      .limit(rowsMax)
      .prepare('feed_sizes'),
    sizesOfState: selectSizes()
      .where(and(eq(events.stateKey, key), gt(events.version, from), lte(events.seq, through)))
      .orderBy(asc(events.version))
      .limit(rowsMax)
      .prepare('feed_sizesOfState'),
    events: selectEvents()
      .where(and(gt(events.seq, from), lte(events.seq, to)))
      .orderBy(asc(events.seq))
      .prepare('feed_events'),
    eventsOfState: selectEvents()
      .where(and(eq(events.stateKey, key), gt(events.version, from), lte(events.version, to)))
      .orderBy(asc(events.version))
      .prepare('feed_eventsOfState'),
    notices: selectNotices()
      .where(and(gt(notices.seq, from), lte(notices.seq, through)))
      .orderBy(asc(notices.seq))
      .limit(rowsMax)
      .prepare('feed_notices'),
    noticesOfRoot: selectNotices()
      .where(and(eq(notices.rootSessionId, id), gt(notices.seq, from), lte(notices.seq, through)))
      .orderBy(asc(notices.seq))
      .limit(rowsMax)
      .prepare('feed_noticesOfRoot'),
    noticesOfState: selectNotices()
      .where(
        and(
          eq(notices.subjectId, id),
          eq(notices.kind, 'state'),
          gt(notices.seq, from),
          lte(notices.seq, through),
        ),
      )
      .orderBy(asc(notices.seq))
      .limit(rowsMax)
      .prepare('feed_noticesOfState'),
  };
}

/**
 * @param through - The last number of the feed that is read.
 */
export function feedStatements(prepared: ReturnType<typeof prepareFeed>, through: number): FeedStatements {
  return {
    ends: () => first(prepared.ends.execute({ through })),
    keyOfState: (id) => first(prepared.keyOfState.execute({ id })),
    keyOfRoot: (id) => first(prepared.keyOfRoot.execute({ id })),
    cutOf: (key) => first(prepared.cutOf.execute({ key })),
    heads: (stateIds) => Promise.all(stateIds.map((id) => first(prepared.head.execute({ id })))),
    versionAt: (key, from) => first(prepared.versionAt.execute({ key, from })),
    sizes: (from, rowsMax) => prepared.sizes.execute({ from, rowsMax, through }),
    sizesOfState: (key, from, rowsMax) => prepared.sizesOfState.execute({ key, from, rowsMax, through }),
    events: (from, to) => prepared.events.execute({ from, to }),
    eventsOfState: (key, from, to) => prepared.eventsOfState.execute({ key, from, to }),
    notices: (from, rowsMax) => prepared.notices.execute({ from, rowsMax, through }),
    noticesOfRoot: (id, from, rowsMax) => prepared.noticesOfRoot.execute({ id, from, rowsMax, through }),
    noticesOfState: (id, from, rowsMax) => prepared.noticesOfState.execute({ id, from, rowsMax, through }),
  };
}
