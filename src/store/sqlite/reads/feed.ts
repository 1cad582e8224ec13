// Reads the feed: state events and domain events in commit order.
import { and, asc, desc, eq, gt, lte, sql } from 'drizzle-orm';
import type { ReportedEvidence } from '../../../domain/evidence/tampered.js';
import type { FeedFilter, FeedPage, FeedPosition } from '../../../ports/storage/feed.js';
import type { Db } from '../db.js';
import * as rows from '../tables/rows.js';
import { fitting } from '../../lists/pages.js';
import { intact, type OnDamage } from '../../rows/intact-rows.js';
import { feedPage, statesOfUnsigned } from '../../feed-items.js';
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
          firstNotice: sql<number>`coalesce((select min(seq) from notices), 1)`,
          cut: sql<number>`coalesce((select max(through_event) from state_history_cuts), 0)`,
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

type Prepared = ReturnType<typeof prepareFeed>;
type EventRow = ReturnType<Prepared['events']['all']>[number];
type NoticeRow = ReturnType<Prepared['notices']['all']>[number];

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

  /** See `Reader.feed`. */
  page(after: FeedPosition, filter: FeedFilter, limit: number, bytesMax: number): FeedPage {
    const ends = this.#prepared.ends.get();
    if (ends === undefined) throw new Error('The ends of the feed cannot be read');
    const stateKey = this.#stateKey(filter);
    const removedThrough = stateKey === null ? ends.cut : this.#cut(stateKey);
    const oldest = { events: removedThrough, notices: ends.firstNotice - 1 };
    const newest = { events: ends.events, notices: ends.notices };
    const { events: stateEvents, nextSeq } = this.#events(after.events, stateKey, limit, bytesMax);
    const domainEvents = this.#notices(after.notices, filter, limit + 1);
    const heads = statesOfUnsigned(this.#evidence, stateEvents).map((id) => this.#prepared.head.get({ id }));
    const reads = { after, filter, limit, stateEvents, nextSeq, domainEvents, heads, oldest, newest };
    return feedPage(reads, this.#evidence, this.#onDamage);
  }

  /** The row of the requested state; `null` for all states, 0 for an unknown one. */
  #stateKey({ stateId, rootSessionId }: FeedFilter): number | null {
    if (stateId !== undefined) return this.#prepared.keyOfState.get({ id: stateId })?.key ?? 0;
    if (rootSessionId !== undefined) return this.#prepared.keyOfRoot.get({ id: rootSessionId })?.key ?? 0;
    return null;
  }

  #cut(key: number): number {
    const cut = this.#prepared.cutOf.get({ key });
    return cut === undefined ? 0 : intact('state', { ...cut, stateId: `of row ${String(key)}` }).through;
  }

  /** Reads the sizes first, so that no more text is read than is returned. */
  #events(after: number, stateKey: number | null, limit: number, bytesMax: number): EventsOfPage {
    const { sizes, sizesOfState, versionAt } = this.#prepared;
    const since = stateKey === null ? after : (versionAt.get({ key: stateKey, from: after })?.version ?? 0);
    const sizesOfPage =
      stateKey === null
        ? sizes.all({ from: since, rowsMax: limit + 1 })
        : sizesOfState.all({ key: stateKey, from: since, rowsMax: limit + 1 });
    const count = fitting(sizesOfPage, limit, bytesMax);
    const last = sizesOfPage[count - 1];
    if (last === undefined) return { events: [], nextSeq: Infinity };
    if (stateKey !== null) intact('event', { ...last, stateId: `of row ${String(stateKey)}` });
    const rowsOfPage =
      stateKey === null
        ? this.#prepared.events.all({ from: since, to: last.seq })
        : this.#prepared.eventsOfState.all({ key: stateKey, from: since, to: last.version });
    return { events: rowsOfPage, nextSeq: sizesOfPage[count]?.seq ?? Infinity };
  }

  #notices(after: number, { stateId, rootSessionId }: FeedFilter, max: number): readonly NoticeRow[] {
    const { notices: all, noticesOfRoot, noticesOfState } = this.#prepared;
    if (stateId !== undefined) return noticesOfState.all({ id: stateId, from: after, rowsMax: max });
    if (rootSessionId === undefined) return all.all({ from: after, rowsMax: max });
    return noticesOfRoot.all({ id: rootSessionId, from: after, rowsMax: max });
  }
}
