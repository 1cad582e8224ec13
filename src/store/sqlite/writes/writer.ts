// Writes a changeset in the open transaction, or converts it into rows for the writing thread.
import { eq, sql } from 'drizzle-orm';
import type { RecordDamagedError } from '../../../domain/damage/damage.js';
import type { Change, Changeset, Put, Remove } from '../../../domain/transactions/changeset.js';
import type { LoadedRecords } from '../../../domain/transactions/loaded-records.js';
import { contradiction, kindOf, unnamedState } from '../../contradiction.js';
import { nameOf } from '../../rows/intact-rows.js';
import { rowsInto, type RowSink } from './bound.js';
import type { Client } from '../connection.js';
import type { Db } from '../db.js';
import { removesOfEvents } from './feed-writes.js';
import type { Heads } from './heads.js';
import { prepareRecordWrites } from './record-writes.js';
import { replacedRecord } from './updates/replaced.js';
import * as tables from '../tables/tables.js';
import { whenUsed } from '../when-used.js';

function prepareRemoves(db: Db) {
  const id = sql.placeholder('id');
  const stateKey = sql`(select seq from workflow_states where state_id = ${id})`;
  return whenUsed({
    state: () => [
      ...removesOfEvents(db, stateKey),
      db.delete(tables.headSignatures).where(eq(tables.headSignatures.stateKey, stateKey)).prepare(),
      db.delete(tables.cuts).where(eq(tables.cuts.stateKey, stateKey)).prepare(),
      db.delete(tables.snapshots).where(eq(tables.snapshots.stateKey, stateKey)).prepare(),
      db.delete(tables.archives).where(eq(tables.archives.stateId, id)).prepare(),
      db.delete(tables.readCursors).where(eq(tables.readCursors.stateId, id)).prepare(),
      db.delete(tables.states).where(eq(tables.states.stateId, id)).prepare(),
    ],
    schema: () => [db.delete(tables.schemas).where(eq(tables.schemas.schemaId, id)).prepare()],
    runner: () => [db.delete(tables.runners).where(eq(tables.runners.runnerId, id)).prepare()],
    webhook: () => [
      db.delete(tables.deliveries).where(eq(tables.deliveries.webhookId, id)).prepare(),
      db.delete(tables.webhooks).where(eq(tables.webhooks.webhookId, id)).prepare(),
    ],
    delivery: () => [db.delete(tables.deliveries).where(eq(tables.deliveries.deliveryId, id)).prepare()],
  }) satisfies Record<Remove['remove'], unknown>;
}

/**
 * Events and snapshots refer to the row of their state, so that row must be written first. Read cursors are
 * written with them.
 */
function isOfState(change: Change): change is Extract<Put, { put: 'event' | 'snapshot' | 'readCursor' }> {
  return (
    'put' in change && (change.put === 'event' || change.put === 'snapshot' || change.put === 'readCursor')
  );
}

/** Domain events follow the state events of their changeset. */
function isNotice(change: Change): change is Extract<Put, { put: 'notice' }> {
  return 'put' in change && change.put === 'notice';
}

/** Writes changesets. */
export class Writer {
  readonly #records: ReturnType<typeof prepareRecordWrites>;
  readonly #removes: ReturnType<typeof prepareRemoves>;
  readonly #rows: RowSink;

  constructor(client: Client, db: Db, heads: Heads) {
    this.#records = prepareRecordWrites(db, heads);
    this.#removes = prepareRemoves(db);
    this.#rows = rowsInto(client);
  }

  /**
   * Writes in the open transaction.
   *
   * @param loaded - The records that the decision was made on.
   * @throws Error - A record is not at the revision that its change replaces.
   * @throws RecordDamagedError - A stored record that no rule knows of contradicts it.
   */
  write(changes: Changeset, loaded: LoadedRecords): void {
    this.#writeInto(changes, loaded, this.#rows);
  }

  /** Converts a changeset into rows. All its changes must be deferrable, and its states must exist. */
  rowsOf(changes: Changeset, loaded: LoadedRecords, rows: RowSink): void {
    this.#writeInto(changes, loaded, rows);
  }

  #writeInto(changes: Changeset, loaded: LoadedRecords, rows: RowSink): void {
    for (const change of changes) {
      if (isOfState(change) || isNotice(change)) continue;
      if ('remove' in change) this.#remove(change);
      else this.#put(change, rows, replacedRecord(change, loaded));
    }
    for (const change of changes) if (isOfState(change)) this.#put(change, rows);
    for (const change of changes) if (isNotice(change)) this.#put(change, rows);
  }

  #put(change: Put, rows: RowSink, replaced?: object): void {
    const { put, record } = change;
    // Each kind has one writer, and the type of a put ties the kind to its record. TypeScript cannot follow this.
    const write = this.#records[put] as (record: object, rows: RowSink, replaced?: object) => void;
    try {
      write(record, rows, replaced);
    } catch (error) {
      throw contradictionOf(change, error) ?? error;
    }
  }

  #remove(change: Remove): void {
    for (const statement of this.#removes[change.remove]) statement.run({ id: change.id });
  }
}

const NOT_UNIQUE = /^UNIQUE constraint failed: (.*)$/;

/** `undefined` for any other error. */
function contradictionOf({ put, record }: Put, error: unknown): RecordDamagedError | undefined {
  const columns = error instanceof Error ? NOT_UNIQUE.exec(error.message)?.[1] : undefined;
  if (columns === undefined) return undefined;
  if (put === 'state') return unnamedState(record.rootSessionId);
  return contradiction(put, nameOf(kindOf(put), record), columns.replaceAll(/[a-z_]+\./g, ''));
}

/**
 * True for a change that is a single row, and that decisions need not hear of before it is on disk: what follows a new webhook
 * has to send to it.
 */
export function isDeferrable(change: Change): change is Put {
  return 'put' in change && change.put !== 'webhook';
}
