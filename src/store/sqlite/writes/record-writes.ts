// Maps records to the rows that store them. Each statement is built once.
import { and, eq, getTableColumns, lt, sql, type Placeholder } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { StateHead } from '../../../domain/records/records.js';
import { bindStatement, type BoundStatement, type RowSink } from './bound.js';
import type { Db } from '../db.js';
import { notices } from './feed-writes.js';
import type { Heads } from './heads.js';
import * as tables from '../tables/tables.js';
import { Updates, type RevisedTable } from './updates/updates.js';
import { whenUsed } from '../when-used.js';

/** Placeholders for all columns of a table except some. */
function placeholders(table: SQLiteTable, without: readonly string[]): Record<string, Placeholder> {
  const names = Object.keys(getTableColumns(table)).filter((name) => !without.includes(name));
  return Object.fromEntries(names.map((name) => [name, sql.placeholder(name)]));
}

/** A record with revisions, each of which replaces the one before. */
function mutable(db: Db, table: RevisedTable, identity: readonly SQLiteColumn[]) {
  const columns = Object.entries(getTableColumns(table));
  const nameOf = (column: SQLiteColumn) => columns.find(([, other]) => other === column)?.[0] ?? '';
  const identityNames = identity.map(nameOf);
  const insert = bindStatement(
    db
      .insert(table)
      .values(placeholders(table, ['seq']))
      .prepare(),
  );
  const stays = new Set(['seq', 'rootSessionId', 'createdAt', ...identityNames]);
  const mayChange = columns.map(([name]) => name).filter((name) => !stays.has(name));
  const updates = new Updates(db, table, mayChange, identityNames);
  // Only the identity: records contain secrets.
  const identified = (record: object) =>
    JSON.stringify(Object.entries(record).filter(([name]) => identityNames.includes(name)));
  return (record: { readonly revision: number }, rows: RowSink, replaced?: object) => {
    const { revision } = record;
    const otherwise = () => `A record is not at revision ${revision - 1}: ${identified(record)}`;
    if (revision === 1) {
      rows.row(insert, insert.values(record), otherwise);
      return;
    }
    const update = updates.for(record, replaced);
    rows.row(update, update.values(record, revision - 1), otherwise);
  };
}

/** A record that is written once. */
function written(db: Db, table: SQLiteTable) {
  const insert = bindInsert(db, table);
  return (record: object, rows: RowSink) => {
    rows.row(insert, insert.values(record), notWritten);
  };
}

function bindInsert(db: Db, table: SQLiteTable, extraName: string | null = null): BoundStatement {
  const insert = db
    .insert(table)
    .values(placeholders(table, ['seq']))
    .prepare();
  return bindStatement(insert, extraName);
}

const notWritten = () => 'A record was not written';

/** A record that is written once and belongs to a state. */
function ofState(db: Db, heads: Heads, table: SQLiteTable) {
  const insert = bindInsert(db, table, 'stateKey');
  return (record: { readonly stateId: string }, rows: RowSink) => {
    rows.row(insert, insert.values(record, heads.keyOf(record.stateId)), notWritten);
  };
}

/**
 * A head. Between snapshots, the newest event determines it (see `stateHeads`), so the row is not written.
 * Exceptions: migrations, and changes of `lenient`. Its signature is written each time.
 */
function head(db: Db, heads: Heads) {
  const { states } = tables;
  const insert = written(db, states);
  const update = bindStatement(
    db
      .update(states)
      .set(placeholders(states, ['seq', 'rootSessionId', 'createdAt', 'stateId']))
      .where(
        and(eq(states.stateId, sql.placeholder('stateId')), lt(states.version, sql.placeholder('version'))),
      )
      .prepare(),
  );
  const { headSignatures } = tables;
  const sign = bindStatement(
    db
      .insert(headSignatures)
      .values({
        stateKey: sql.placeholder('stateKey'),
        rootSessionId: sql.placeholder('rootSessionId'),
        unsignedThrough: sql.placeholder('unsignedThrough'),
        signature: sql.placeholder('signature'),
      })
      .onConflictDoUpdate({ target: headSignatures.stateKey, set: { signature: sql`excluded.signature` } })
      .prepare(),
    'stateKey',
  );
  return (record: StateHead, rows: RowSink) => {
    writeHead(record, rows);
    if (record.signature !== null)
      rows.row(sign, sign.values(record, heads.keyOf(record.stateId)), notWritten);
  };

  function writeHead(record: StateHead, rows: RowSink) {
    if (record.revision === 1) {
      insert(record, rows);
      return;
    }
    const before = heads.head(record.stateId);
    const isInEvent =
      before !== undefined &&
      before.version < record.version &&
      before.snapshotVersion === record.snapshotVersion &&
      before.schemaId === record.schemaId &&
      before.lenient === record.lenient;
    if (isInEvent) return;
    rows.row(
      update,
      update.values(record),
      () => `State ${record.stateId} is not before version ${record.version}`,
    );
  }
}

/** A record that replaces the stored one. */
function replaced(db: Db, table: SQLiteTable, identity: SQLiteColumn[]) {
  const columns = placeholders(table, ['seq']);
  const upsert = bindStatement(
    db.insert(table).values(columns).onConflictDoUpdate({ target: identity, set: columns }).prepare(),
  );
  return (record: object, rows: RowSink) => {
    rows.row(upsert, upsert.values(record), notWritten);
  };
}

/** Writes records of each kind as rows. A record that is not at the expected revision is a bug in the caller. */
export function prepareRecordWrites(db: Db, heads: Heads) {
  return whenUsed({
    readCursor: () =>
      replaced(db, tables.readCursors, [tables.readCursors.stateId, tables.readCursors.sessionId]),
    schema: () => mutable(db, tables.schemas, [tables.schemas.schemaId]),
    state: () => head(db, heads),
    session: () => mutable(db, tables.sessions, [tables.sessions.sessionId]),
    completion: () =>
      mutable(db, tables.completions, [tables.completions.sessionId, tables.completions.generation]),
    run: () => mutable(db, tables.runs, [tables.runs.runId]),
    runner: () => mutable(db, tables.runners, [tables.runners.runnerId]),
    callback: () => mutable(db, tables.callbacks, [tables.callbacks.callbackId]),
    tree: () => mutable(db, tables.trees, [tables.trees.rootSessionId]),
    token: () => mutable(db, tables.tokens, [tables.tokens.tokenId]),
    webhook: () => mutable(db, tables.webhooks, [tables.webhooks.webhookId]),
    delivery: () => mutable(db, tables.deliveries, [tables.deliveries.deliveryId]),
    destination: () => mutable(db, tables.destinations, [tables.destinations.origin]),
    event: () => ofState(db, heads, tables.events),
    snapshot: () => ofState(db, heads, tables.snapshots),
    receipt: () => written(db, tables.receipts),
    archive: () => written(db, tables.archives),
    notice: () => notices(db),
  });
}
