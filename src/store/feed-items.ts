// The items of a page of the feed: in commit order, without those that are damaged.
import { RecordDamagedError } from '../domain/damage/damage.js';
import { checkHead, type Evidence } from '../domain/evidence/check.js';
import { verifiedEvents, type ReportedEvidence } from '../domain/evidence/tampered.js';
import type { StateEvent, StateHead } from '../domain/records/records.js';
import type { DomainEvent } from '../domain/streams/domain-events.js';
import type { FeedFilter, FeedItem, FeedPosition } from '../ports/storage/feed.js';
import { isIntact, type OnDamage } from './rows/intact-rows.js';

interface EventRow {
  readonly record: StateEvent;
}

/** Until which version the events of a state need no signature, by the id of the state. */
type UnsignedThrough = ReadonlyMap<string, number>;

/** Ids of the states whose heads have to say whether these events need a signature. */
export function statesOfUnsigned({ keys }: Evidence, rows: readonly EventRow[]): readonly string[] {
  if (keys === null) return [];
  return [...new Set(rows.flatMap(({ record }) => (record.signature === null ? [record.stateId] : [])))];
}

/** What these heads say. A head that is not intact says nothing. */
export function unsignedThroughOf(
  evidence: Evidence,
  heads: readonly (StateHead | undefined)[],
  onDamage: OnDamage,
): UnsignedThrough {
  const intact = heads.flatMap((head) =>
    head !== undefined && isIntact('state', head, onDamage) && checkHead(evidence, head) === null
      ? [[head.stateId, head.unsignedThrough] as const]
      : [],
  );
  return new Map(intact);
}

interface DomainEventRow {
  readonly seq: number;
  /** `seq` of the state event that was the newest when it was written. */
  readonly afterEvent: number;
  readonly record: DomainEvent;
}

/**
 * Tells the items that a page of the feed has from those that it skips.
 *
 * @param rows - The events of the page.
 * @param unsigned - For the states of `statesOfUnsigned`.
 * @param filter - With a state: its events follow each other, and the first that fails verification ends the
 *   reading.
 * @throws RecordDamagedError - An event of the requested state fails verification.
 */
export function soundItems(
  evidence: ReportedEvidence,
  rows: readonly EventRow[],
  unsigned: UnsignedThrough,
  { stateId }: FeedFilter,
  onDamage: OnDamage,
): (item: FeedItem) => boolean {
  const isRowSound = ({ record }: EventRow) => isIntact('event', record, onDamage);
  if (stateId !== undefined) {
    const sound = rows.filter(isRowSound);
    const events = sound.map(({ record }) => record);
    const unsignedThrough = unsigned.get(stateId) ?? 0;
    // A damaged event is a gap of its own.
    if (sound.length === rows.length) verifiedEvents(evidence, events, unsignedThrough);
    else for (const one of events) verifiedEvents(evidence, [one], unsignedThrough);
    const verified = new Set(events);
    return (item) => ('event' in item ? verified.has(item.event) : isIntact('notice', item.notice, onDamage));
  }
  const verified = new Set<StateEvent>();
  for (const row of rows) {
    const unsignedThrough = unsigned.get(row.record.stateId) ?? 0;
    if (isRowSound(row) && holds(evidence, row.record, unsignedThrough)) verified.add(row.record);
  }
  return (item) => ('event' in item ? verified.has(item.event) : isIntact('notice', item.notice, onDamage));
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
export function inCommitOrder(
  after: FeedPosition,
  stateEvents: readonly { readonly seq: number; readonly record: StateEvent }[],
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
