// Reads the feed: state events and domain events in commit order.
import type { ReportedEvidence } from '../../domain/evidence/tampered.js';
import type { StateHead } from '../../domain/records/records.js';
import type { MaybePromise } from '../../lib/maybe-promise.js';
import type { FeedFilter, FeedPage, FeedPosition } from '../../ports/storage/feed.js';
import { feedPage, statesOfUnsigned, type DomainEventRow, type EventRow } from '../feed-items.js';
import { fitting } from '../lists/pages.js';
import { intact, type OnDamage } from '../rows/intact-rows.js';
import { answerOf, type Steps } from '../steps.js';

/** The size of an event. */
interface EventSize {
  readonly seq: number;
  readonly version: number;
  readonly bytes: number;
}

/** The newest numbers of both kinds, and those up to which they were removed as old. */
interface FeedEnds extends FeedPosition {
  readonly eventsRemoved: number;
  readonly noticesRemoved: number;
}

/**
 * SQL, for compaction point `c`: true if it lies before the oldest event that it left. The number of any other point was
 * edited, and tells nothing.
 */
export const POINT_PRECEDES_EVENTS = `coalesce((select e.seq from state_events e
  where e.state_key = c.state_key and e.version = c.oldest_version) > c.through_event, false)`;

/** SQL: the number up to which compactions removed events, of any state. Reads one point, the last. */
export const EVENTS_REMOVED = `coalesce((select c.through_event from state_history_cuts c
  where ${POINT_PRECEDES_EVENTS} order by c.through_event desc limit 1), 0)`;

/** What is read of the feed. A state is named by the number of its row, `key`. */
export interface FeedStatements {
  ends(): MaybePromise<FeedEnds | undefined>;
  keyOfState(stateId: string): MaybePromise<{ readonly key: number } | undefined>;
  keyOfRoot(rootSessionId: string): MaybePromise<{ readonly key: number } | undefined>;
  /** The number of the newest event of a state that was removed. */
  cutOf(key: number): MaybePromise<{ readonly through: number } | undefined>;
  heads(stateIds: readonly string[]): MaybePromise<readonly (StateHead | undefined)[]>;
  /** The version of a state at a number of the feed. */
  versionAt(key: number, seq: number): MaybePromise<{ readonly version: number } | undefined>;
  sizes(after: number, rowsMax: number): MaybePromise<readonly EventSize[]>;
  sizesOfState(key: number, afterVersion: number, rowsMax: number): MaybePromise<readonly EventSize[]>;
  events(after: number, to: number): MaybePromise<readonly EventRow[]>;
  eventsOfState(key: number, afterVersion: number, toVersion: number): MaybePromise<readonly EventRow[]>;
  notices(after: number, rowsMax: number): MaybePromise<readonly DomainEventRow[]>;
  noticesOfRoot(
    rootSessionId: string,
    after: number,
    rowsMax: number,
  ): MaybePromise<readonly DomainEventRow[]>;
  noticesOfState(stateId: string, after: number, rowsMax: number): MaybePromise<readonly DomainEventRow[]>;
}

/** Events up to the limits, and the `seq` of the first event for the next page (`Infinity` if there is none). */
interface EventsOfPage {
  readonly stateEvents: readonly EventRow[];
  readonly nextSeq: number;
}

/** Reads pages of the feed. */
export class Feed {
  constructor(
    private readonly evidence: ReportedEvidence,
    private readonly onDamage: OnDamage,
  ) {}

  /** See `Reader.feed`. */
  *page(
    statements: FeedStatements,
    after: FeedPosition,
    filter: FeedFilter,
    limit: number,
    bytesMax: number,
  ): Steps<FeedPage> {
    const ends = yield* endsOf(statements);
    const key = yield* keyOf(statements, filter);
    const removedThrough = key === null ? ends.eventsRemoved : yield* cutOf(statements, key);
    const oldest = { events: removedThrough, notices: ends.noticesRemoved };
    const newest = { events: ends.events, notices: ends.notices };
    const { stateEvents, nextSeq } = yield* eventsOf(statements, key, after.events, limit, bytesMax);
    const domainEvents = yield* answerOf(domainEventsOf(statements, filter, after.notices, limit + 1));
    const heads = yield* answerOf(statements.heads(statesOfUnsigned(this.evidence, stateEvents)));
    const reads = { after, filter, limit, stateEvents, nextSeq, domainEvents, heads, oldest, newest };
    return feedPage(reads, this.evidence, this.onDamage);
  }

  /** See `Reader.feedEnd`. */
  *end(statements: FeedStatements): Steps<FeedPosition> {
    const { events, notices } = yield* endsOf(statements);
    return { events, notices };
  }
}

function* endsOf(statements: FeedStatements): Steps<FeedEnds> {
  const ends = yield* answerOf(statements.ends());
  if (ends === undefined) throw new Error('The ends of the feed cannot be read');
  return ends;
}

/** The row of the requested state; `null` for all states, 0 for an unknown one. */
function* keyOf(statements: FeedStatements, { stateId, rootSessionId }: FeedFilter): Steps<number | null> {
  if (stateId !== undefined) return (yield* answerOf(statements.keyOfState(stateId)))?.key ?? 0;
  if (rootSessionId !== undefined) return (yield* answerOf(statements.keyOfRoot(rootSessionId)))?.key ?? 0;
  return null;
}

function* cutOf(statements: FeedStatements, key: number): Steps<number> {
  const cut = yield* answerOf(statements.cutOf(key));
  return cut === undefined ? 0 : intact('state', { ...cut, stateId: `of row ${String(key)}` }).through;
}

/** Reads the sizes first, so that no more text is read than is returned. */
function* eventsOf(
  statements: FeedStatements,
  key: number | null,
  after: number,
  limit: number,
  bytesMax: number,
): Steps<EventsOfPage> {
  const since = key === null ? after : ((yield* answerOf(statements.versionAt(key, after)))?.version ?? 0);
  const sizes = yield* answerOf(
    key === null ? statements.sizes(since, limit + 1) : statements.sizesOfState(key, since, limit + 1),
  );
  const count = fitting(sizes, limit, bytesMax);
  const last = sizes[count - 1];
  if (last === undefined) return { stateEvents: [], nextSeq: Infinity };
  if (key !== null) intact('event', { ...last, stateId: `of row ${String(key)}` });
  const stateEvents = yield* answerOf(
    key === null ? statements.events(since, last.seq) : statements.eventsOfState(key, since, last.version),
  );
  return { stateEvents, nextSeq: sizes[count]?.seq ?? Infinity };
}

function domainEventsOf(
  statements: FeedStatements,
  { stateId, rootSessionId }: FeedFilter,
  after: number,
  rowsMax: number,
): MaybePromise<readonly DomainEventRow[]> {
  if (stateId !== undefined) return statements.noticesOfState(stateId, after, rowsMax);
  if (rootSessionId === undefined) return statements.notices(after, rowsMax);
  return statements.noticesOfRoot(rootSessionId, after, rowsMax);
}
