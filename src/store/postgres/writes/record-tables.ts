// The table of each kind of record, and what identifies a record in it.
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Put } from '../../../domain/transactions/changeset.js';
import * as tables from '../tables/tables.js';
import { rowTable, type Numbering, type RowTable } from './row-batch.js';

/** How a kind of record is written. */
type Writing =
  /** Revision 1 is an insert, a later one replaces exactly the one before. */
  | 'revised'
  /** Once. */
  | 'appended'
  /** A put replaces the stored record. */
  | 'replaced';

export interface RecordTable {
  readonly kind: Put['put'];
  readonly writing: Writing;
  /** The members that identify a record. */
  readonly identity: readonly string[];
  readonly rows: RowTable;
}

function of<T extends PgTable>(
  kind: Put['put'],
  writing: Writing,
  numbering: Numbering,
  table: T,
  identity: readonly (keyof T & string)[],
): RecordTable {
  const columns = identity.map((name) => table[name] as PgColumn);
  const isOfState = kind === 'event' || kind === 'snapshot';
  return { kind, writing, identity, rows: rowTable(table, columns, numbering, isOfState) };
}

/** In the order of writing: events and snapshots find the rows of their states. All transactions have this order. */
export const RECORD_TABLES: readonly RecordTable[] = [
  of('tree', 'revised', 'generated', tables.trees, ['rootSessionId']),
  of('schema', 'revised', 'generated', tables.schemas, ['schemaId']),
  of('state', 'revised', 'generated', tables.states, ['stateId']),
  of('session', 'revised', 'generated', tables.sessions, ['sessionId']),
  of('completion', 'revised', 'generated', tables.completions, ['sessionId', 'generation']),
  of('run', 'revised', 'generated', tables.runs, ['runId']),
  of('callback', 'revised', 'generated', tables.callbacks, ['callbackId']),
  of('runner', 'revised', 'generated', tables.runners, ['runnerId']),
  of('token', 'revised', 'generated', tables.tokens, ['tokenId']),
  of('webhook', 'revised', 'generated', tables.webhooks, ['webhookId']),
  of('delivery', 'revised', 'generated', tables.deliveries, ['deliveryId']),
  of('destination', 'revised', 'generated', tables.destinations, ['origin']),
  of('event', 'appended', 'feed', tables.events, []),
  of('snapshot', 'appended', 'generated', tables.snapshots, []),
  of('archive', 'appended', 'generated', tables.archives, ['archiveId']),
  of('readCursor', 'replaced', 'generated', tables.readCursors, ['stateId', 'sessionId']),
  of('receipt', 'appended', 'generated', tables.receipts, ['receiptId']),
  of('notice', 'appended', 'feed', tables.notices, []),
];
