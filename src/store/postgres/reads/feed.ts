// Reads the feed: state events and domain events in commit order.
import { and, asc, desc, eq, gt, lte, sql } from 'drizzle-orm';
import type { ReportedEvidence } from '../../../domain/evidence/tampered.js';
import type { FeedFilter, FeedPage, FeedPosition } from '../../../ports/storage/feed.js';
import { first, type Db } from '../connection/db.js';
import * as rows from '../tables/rows.js';
import { fitting } from '../../lists/pages.js';
import { intact, type OnDamage } from '../../rows/intact-rows.js';
import { feedPage, statesOfUnsigned } from '../../feed-items.js';
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

function prepareFeed(db: Db) {
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
        removed: sql`coalesce((
          select case when value ~ '^[0-9]{1,15}$' then value::bigint else (select min(seq) - 1 from notices) end
          from settings where name = ${REMOVED_SETTING}), 0)`.mapWith(Number),
        cut: sql`coalesce((select max(through_event) from state_history_cuts), 0)`.mapWith(Number),
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

type Prepared = ReturnType<typeof prepareFeed>;
type EventRow = Awaited<ReturnType<Prepared['events']['execute']>>[number];
type NoticeRow = Awaited<ReturnType<Prepared['notices']['execute']>>[number];

/** Events up to the limits, and the `seq` of the first event for the next page (`Infinity` if there is none). */
interface EventsOfPage {
  readonly events: readonly EventRow[];
  readonly nextSeq: number;
}

/** Reads pages of the feed. */
export class Feed {
  readonly #prepared: Prepared;
  readonly #evidence: ReportedEvidence;
  readonly #onDamage: OnDamage;

  constructor(db: Db, evidence: ReportedEvidence, onDamage: OnDamage) {
    this.#evidence = evidence;
    this.#onDamage = onDamage;
    this.#prepared = prepareFeed(db);
  }

  /**
   * See `Reader.feed`.
   *
   * @param end - The last number of the feed that is read.
   */
  async page(
    end: number,
    after: FeedPosition,
    filter: FeedFilter,
    limit: number,
    bytesMax: number,
  ): Promise<FeedPage> {
    const ends = await first(this.#prepared.ends.execute({ through: end }));
    if (ends === undefined) throw new Error('The ends of the feed cannot be read');
    const stateKey = await this.#stateKey(filter);
    const removedThrough = stateKey === null ? ends.cut : await this.#cut(stateKey);
    const oldest = { events: removedThrough, notices: ends.removed };
    const newest = { events: ends.events, notices: ends.notices };
    const { events: stateEvents, nextSeq } = await this.#events(end, after.events, stateKey, limit, bytesMax);
    const domainEvents = await this.#notices(end, after.notices, filter, limit + 1);
    const heads = await Promise.all(
      statesOfUnsigned(this.#evidence, stateEvents).map((id) => first(this.#prepared.head.execute({ id }))),
    );
    const reads = { after, filter, limit, stateEvents, nextSeq, domainEvents, heads, oldest, newest };
    return feedPage(reads, this.#evidence, this.#onDamage);
  }

  /** The row of the requested state; `null` for all states, 0 for an unknown one. */
  async #stateKey({ stateId, rootSessionId }: FeedFilter): Promise<number | null> {
    if (stateId !== undefined)
      return (await first(this.#prepared.keyOfState.execute({ id: stateId })))?.key ?? 0;
    if (rootSessionId !== undefined)
      return (await first(this.#prepared.keyOfRoot.execute({ id: rootSessionId })))?.key ?? 0;
    return null;
  }

  async #cut(key: number): Promise<number> {
    const cut = await first(this.#prepared.cutOf.execute({ key }));
    return cut === undefined ? 0 : intact('state', { ...cut, stateId: `of row ${String(key)}` }).through;
  }

  /** Reads the sizes first, so that no more text is read than is returned. */
  async #events(
    end: number,
    after: number,
    stateKey: number | null,
    limit: number,
    bytesMax: number,
  ): Promise<EventsOfPage> {
    const { sizes, sizesOfState, versionAt } = this.#prepared;
    const since =
      stateKey === null
        ? after
        : ((await first(versionAt.execute({ key: stateKey, from: after })))?.version ?? 0);
    const sizesOfPage =
      stateKey === null
        ? await sizes.execute({ from: since, through: end, rowsMax: limit + 1 })
        : await sizesOfState.execute({ key: stateKey, from: since, through: end, rowsMax: limit + 1 });
    const count = fitting(sizesOfPage, limit, bytesMax);
    const last = sizesOfPage[count - 1];
    if (last === undefined) return { events: [], nextSeq: Infinity };
    if (stateKey !== null) intact('event', { ...last, stateId: `of row ${String(stateKey)}` });
    const rowsOfPage =
      stateKey === null
        ? await this.#prepared.events.execute({ from: since, to: last.seq })
        : await this.#prepared.eventsOfState.execute({ key: stateKey, from: since, to: last.version });
    return { events: rowsOfPage, nextSeq: sizesOfPage[count]?.seq ?? Infinity };
  }

  #notices(
    end: number,
    after: number,
    { stateId, rootSessionId }: FeedFilter,
    max: number,
  ): Promise<readonly NoticeRow[]> {
    const { notices: all, noticesOfRoot, noticesOfState } = this.#prepared;
    const asked = { from: after, through: end, rowsMax: max };
    if (stateId !== undefined) return noticesOfState.execute({ id: stateId, ...asked });
    if (rootSessionId === undefined) return all.execute(asked);
    return noticesOfRoot.execute({ id: rootSessionId, ...asked });
  }
}
