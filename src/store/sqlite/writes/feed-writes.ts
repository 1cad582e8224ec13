// Writes for the feed: domain events with their position among the state events, and removals that never let
// an event number be reused.
import { and, eq, lt, sql, type SQL } from 'drizzle-orm';
import type { DomainEvent } from '../../../domain/records/domain-event.js';
import { bindStatement, type RowSink } from './bound.js';
import type { Db } from '../db.js';
import * as tables from '../tables/tables.js';

const newestEvent = sql<number>`(select coalesce(max(seq), 0) from state_events)`;

/** Writes domain events, each after all existing state events. */
export function notices(db: Db): (record: DomainEvent, rows: RowSink) => void {
  const insert = bindStatement(
    db
      .insert(tables.notices)
      .values({
        afterEvent: newestEvent,
        kind: sql.placeholder('kind'),
        subjectId: sql.placeholder('subjectId'),
        rootSessionId: sql.placeholder('rootSessionId'),
        createdAt: sql.placeholder('createdAt'),
        facts: sql.placeholder('facts'),
      })
      .prepare(),
  );
  return (record, rows) => {
    rows.row(insert, insert.values(record), () => 'A domain event was not written');
  };
}

/**
 * The statements that remove the events of a state. If one of them is the newest event of the database, it is
 * emptied instead and then belongs to no state: the next event gets a higher number, which feed positions rely on.
 */
export function removesOfEvents(db: Db, stateKey: SQL) {
  const ofState = eq(tables.events.stateKey, stateKey);
  const emptied = { eventId: '', rootSessionId: '', patchText: '', previousHash: '', hash: '' };
  return [
    db
      .delete(tables.events)
      .where(and(ofState, lt(tables.events.seq, newestEvent)))
      .prepare(),
    db
      .update(tables.events)
      .set({
        ...emptied,
        sessionId: null,
        runId: null,
        tokenName: null,
        toolCallId: null,
        fromSchemaId: null,
        toSchemaId: null,
      })
      .where(ofState)
      .prepare(),
  ];
}
