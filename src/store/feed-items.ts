// The items of a page of the feed: in commit order, without those that are damaged.
import { RecordDamagedError } from '../domain/damage/damage.js';
import { checkHead, type Evidence } from '../domain/evidence/check.js';
import { verifiedEvents, type ReportedEvidence } from '../domain/evidence/tampered.js';
import type { StateEvent, StateHead } from '../domain/records/records.js';
import type { DomainEvent } from '../domain/records/domain-event.js';
import type { FeedFilter, FeedItem, FeedPage, FeedPosition } from '../ports/storage/feed.js';
import { isIntact, type OnDamage } from './rows/intact-rows.js';

export interface EventRow {
  readonly seq: number;
  readonly record: StateEvent;
}

/** Ids of the states whose heads have to say whether these events need a signature. */
export function statesOfUnsigned({ keys }: Evidence, rows: readonly EventRow[]): readonly string[] {
  if (keys === null) return [];
  return [...new Set(rows.flatMap(({ record }) => (record.signature === null ? [record.stateId] : [])))];
}

export interface DomainEventRow {
  readonly seq: number;
  /** `seq` of the state event that was the newest when it was written. */
  readonly afterEvent: number;
  readonly record: DomainEvent;
}

/** What was read for a page. */
interface FeedReads extends Pick<FeedPage, 'oldest' | 'newest'> {
  readonly after: FeedPosition;
  /** With a state: its events follow each other, and the first that fails verification ends the reading. */
  readonly filter: FeedFilter;
  /** Most items of the page. */
  readonly limit: number;
  readonly stateEvents: readonly EventRow[];
  /** `seq` of the first state event of the next page; `Infinity` if there is none. */
  readonly nextSeq: number;
  /** One more than the limit at most. */
  readonly domainEvents: readonly DomainEventRow[];
  /** Of `statesOfUnsigned`. */
  readonly heads: readonly (StateHead | undefined)[];
}

/**
 * The page of what was read. Damaged items are skipped: they would block readers of the feed for ever.
 *
 * @throws RecordDamagedError - An event of the requested state fails verification.
 */
export function feedPage(reads: FeedReads, evidence: ReportedEvidence, onDamage: OnDamage): FeedPage {
  const { after, limit, stateEvents, nextSeq, domainEvents, oldest, newest } = reads;
  // A damaged row is among them: the page goes past it.
  const inPlace = domainEvents.filter((row) => !(row.afterEvent >= nextSeq));
  const merged = inCommitOrder(after, stateEvents, inPlace);
  const ofPage = merged.slice(0, limit);
  const sound = soundEvents(reads, evidence, onDamage);
  const items = ofPage.filter((item) =>
    'event' in item ? sound.has(item.event) : isIntact('notice', item.notice, onDamage),
  );
  const hasMore = merged.length > ofPage.length || nextSeq < Infinity || domainEvents.length > limit;
  return { items, next: hasMore ? (ofPage.at(-1)?.position ?? after) : newest, hasMore, oldest, newest };
}

function soundEvents(
  { stateEvents, heads, filter: { stateId } }: FeedReads,
  evidence: ReportedEvidence,
  onDamage: OnDamage,
): ReadonlySet<StateEvent> {
  const unsigned = unsignedThroughOf(evidence, heads, onDamage);
  const intact = stateEvents
    .map(({ record }) => record)
    .filter((event) => isIntact('event', event, onDamage));
  if (stateId === undefined) {
    return new Set(intact.filter((event) => holds(evidence, event, unsigned.get(event.stateId) ?? 0)));
  }
  const unsignedThrough = unsigned.get(stateId) ?? 0;
  // A damaged event is a gap of its own.
  if (intact.length === stateEvents.length) verifiedEvents(evidence, intact, unsignedThrough);
  else for (const event of intact) verifiedEvents(evidence, [event], unsignedThrough);
  return new Set(intact);
}

/**
 * Until which version the events of a state need no signature, by the id of the state. A head that is not intact says
 * nothing.
 */
function unsignedThroughOf(
  evidence: Evidence,
  heads: FeedReads['heads'],
  onDamage: OnDamage,
): ReadonlyMap<string, number> {
  const intact = heads.flatMap((head) =>
    head !== undefined && isIntact('state', head, onDamage) && checkHead(evidence, head) === null
      ? [[head.stateId, head.unsignedThrough] as const]
      : [],
  );
  return new Map(intact);
}

function holds(evidence: ReportedEvidence, record: StateEvent, unsignedThrough: number): boolean {
  try {
    verifiedEvents(evidence, [record], unsignedThrough);
    return true;
  } catch (error) {
    if (!(error instanceof RecordDamagedError)) throw error;
    return false;
  }
}

/** Merges both lists in commit order. A domain event follows the state event that was the newest when it was written. */
function inCommitOrder(
  after: FeedPosition,
  stateEvents: readonly EventRow[],
  domainEvents: readonly DomainEventRow[],
): readonly FeedItem[] {
  const items: FeedItem[] = [];
  let position = after;
  let next = 0;
  const addDomainEventsBefore = (seq: number) => {
    for (; next < domainEvents.length; next += 1) {
      const row = domainEvents[next];
      if (row === undefined || row.afterEvent >= seq) return;
      position = { ...position, notices: row.seq };
      items.push({ position, notice: row.record });
    }
  };
  for (const { seq, record } of stateEvents) {
    addDomainEventsBefore(seq);
    position = { ...position, events: seq };
    items.push({ position, event: record });
  }
  addDomainEventsBefore(Infinity);
  return items;
}
