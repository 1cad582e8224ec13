// Writes a changeset. Every statement is prepared once; a record that is not at the expected revision is a bug above.
import { and, eq, getTableColumns, lt, sql, type Placeholder } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Change, Changeset, Put, Remove } from '../../domain/changeset.js';
import type { StateHead } from '../../domain/records.js';
import { bindRun } from './bound.js';
import type { Client, Db } from './connection.js';
import { notices, removesOfEvents } from './feed-writes.js';
import type { Heads } from './heads.js';
import * as tables from './tables.js';

/** Every column of a table but those left out, to be filled in when the statement runs. */
function placeholders(table: SQLiteTable, without: readonly string[]): Record<string, Placeholder> {
  const names = Object.keys(getTableColumns(table)).filter((name) => !without.includes(name));
  return Object.fromEntries(names.map((name) => [name, sql.placeholder(name)]));
}

/** A record that is replaced, revision by revision. */
function mutable(
  client: Client,
  db: Db,
  table: SQLiteTable & { readonly revision: SQLiteColumn },
  identity: readonly SQLiteColumn[],
) {
  const columns = Object.entries(getTableColumns(table));
  const nameOf = (column: SQLiteColumn) => columns.find(([, other]) => other === column)?.[0] ?? '';
  const identityNames = identity.map(nameOf);
  const insert = bindRun(
    client,
    db
      .insert(table)
      .values(placeholders(table, ['seq']))
      .prepare(),
  );
  const update = bindRun(
    client,
    db
      .update(table)
      .set(placeholders(table, ['seq', 'rootSessionId', 'createdAt', ...identityNames]))
      .where(
        and(
          ...identity.map((column) => eq(column, sql.placeholder(nameOf(column)))),
          eq(table.revision, sql.placeholder('replaces')),
        ),
      )
      .prepare(),
    'replaces',
  );
  // No more of it than that: records hold secrets.
  const identified = (record: object) =>
    JSON.stringify(Object.entries(record).filter(([name]) => identityNames.includes(name)));
  return (record: { readonly revision: number }) => {
    if (record.revision === 1) {
      insert(record);
      return;
    }
    const { changes } = update(record, record.revision - 1);
    if (changes !== 1)
      throw new Error(`A record is not at revision ${record.revision - 1}: ${identified(record)}`);
  };
}

/** A record that is written once. */
function written(client: Client, db: Db, table: SQLiteTable, extraName: string | null = null) {
  const insert = db
    .insert(table)
    .values(placeholders(table, ['seq']))
    .prepare();
  return bindRun(client, insert, extraName);
}

/** A record that is written once and belongs to a state. */
function ofState(client: Client, db: Db, heads: Heads, table: SQLiteTable) {
  const insert = written(client, db, table, 'stateKey');
  return (record: { readonly stateId: string }) => {
    insert(record, heads.keyOf(record.stateId));
  };
}

/**
 * A head. Between snapshots the newest event tells what became of it (see `stateHeads`), unless it was a migration or
 * changed what is tolerated.
 */
function head(client: Client, db: Db, heads: Heads) {
  const { states } = tables;
  const insert = written(client, db, states);
  const update = bindRun(
    client,
    db
      .update(states)
      .set(placeholders(states, ['seq', 'rootSessionId', 'createdAt', 'stateId']))
      .where(
        and(eq(states.stateId, sql.placeholder('stateId')), lt(states.version, sql.placeholder('version'))),
      )
      .prepare(),
  );
  return (record: StateHead) => {
    if (record.revision === 1) {
      insert(record);
      return;
    }
    const before = heads.head(record.stateId);
    const told =
      before !== undefined &&
      before.version < record.version &&
      before.snapshotVersion === record.snapshotVersion &&
      before.schemaId === record.schemaId &&
      before.tolerates === record.tolerates;
    if (told || update(record).changes === 1) return;
    throw new Error(`State ${record.stateId} is not before version ${record.version}`);
  };
}

/** A record that takes the place of the one that is there. */
function replaced(client: Client, db: Db, table: SQLiteTable, identity: SQLiteColumn[]) {
  const columns = placeholders(table, ['seq']);
  const upsert = db.insert(table).values(columns).onConflictDoUpdate({ target: identity, set: columns });
  return bindRun(client, upsert.prepare());
}

function prepareWrites(client: Client, db: Db, heads: Heads) {
  return {
    readMark: replaced(client, db, tables.readMarks, [tables.readMarks.stateId, tables.readMarks.sessionId]),
    schema: mutable(client, db, tables.schemas, [tables.schemas.schemaId]),
    state: head(client, db, heads),
    session: mutable(client, db, tables.sessions, [tables.sessions.sessionId]),
    completion: mutable(client, db, tables.completions, [
      tables.completions.sessionId,
      tables.completions.generation,
    ]),
    run: mutable(client, db, tables.runs, [tables.runs.runId]),
    runner: mutable(client, db, tables.runners, [tables.runners.runnerId]),
    callback: mutable(client, db, tables.callbacks, [tables.callbacks.callbackId]),
    tree: mutable(client, db, tables.trees, [tables.trees.rootSessionId]),
    token: mutable(client, db, tables.tokens, [tables.tokens.tokenId]),
    webhook: mutable(client, db, tables.webhooks, [tables.webhooks.webhookId]),
    delivery: mutable(client, db, tables.deliveries, [tables.deliveries.deliveryId]),
    destination: mutable(client, db, tables.destinations, [tables.destinations.origin]),
    event: ofState(client, db, heads, tables.events),
    snapshot: ofState(client, db, heads, tables.snapshots),
    receipt: written(client, db, tables.receipts),
    notice: notices(db),
  };
}

function prepareRemoves(db: Db) {
  const id = sql.placeholder('id');
  const stateKey = sql`(select seq from workflow_states where state_id = ${id})`;
  return {
    state: [
      ...removesOfEvents(db, stateKey),
      db.delete(tables.cuts).where(eq(tables.cuts.stateKey, stateKey)).prepare(),
      db.delete(tables.snapshots).where(eq(tables.snapshots.stateKey, stateKey)).prepare(),
      db.delete(tables.readMarks).where(eq(tables.readMarks.stateId, id)).prepare(),
      db.delete(tables.states).where(eq(tables.states.stateId, id)).prepare(),
    ],
    schema: [db.delete(tables.schemas).where(eq(tables.schemas.schemaId, id)).prepare()],
    runner: [db.delete(tables.runners).where(eq(tables.runners.runnerId, id)).prepare()],
    webhook: [
      db.delete(tables.deliveries).where(eq(tables.deliveries.webhookId, id)).prepare(),
      db.delete(tables.webhooks).where(eq(tables.webhooks.webhookId, id)).prepare(),
    ],
    delivery: [db.delete(tables.deliveries).where(eq(tables.deliveries.deliveryId, id)).prepare()],
  } satisfies Record<Remove['remove'], unknown>;
}

/** Events and snapshots find their state by its row, so that row has to be there first; read marks may wait too. */
function isOfState(change: Change): change is Extract<Put, { put: 'event' | 'snapshot' | 'readMark' }> {
  return (
    'put' in change && (change.put === 'event' || change.put === 'snapshot' || change.put === 'readMark')
  );
}

function isReceipt(change: Change): change is Extract<Put, { put: 'receipt' }> {
  return 'put' in change && change.put === 'receipt';
}

/** Notices stand after the events of their changeset. */
function isNotice(change: Change): change is Extract<Put, { put: 'notice' }> {
  return 'put' in change && change.put === 'notice';
}

/** Writes changesets into the open transaction. */
export class Writer {
  readonly #writes: ReturnType<typeof prepareWrites>;
  readonly #removes: ReturnType<typeof prepareRemoves>;

  constructor(client: Client, db: Db, heads: Heads) {
    this.#writes = prepareWrites(client, db, heads);
    this.#removes = prepareRemoves(db);
  }

  /** @throws Error - A record is not at the revision that its change replaces, or a constraint does not hold. */
  write(changes: Changeset): void {
    for (const change of changes) {
      if (isOfState(change) || isNotice(change)) continue;
      if ('remove' in change) this.#remove(change);
      else if (isReceipt(change)) this.#writes.receipt(change.record);
      else if (change.put === 'state') this.#writes.state(change.record);
      else this.#writes[change.put](change.record);
    }
    for (const change of changes) if (isOfState(change)) this.#writes[change.put](change.record);
    for (const change of changes) if (isNotice(change)) this.#writes.notice(change.record);
  }

  #remove(change: Remove): void {
    for (const statement of this.#removes[change.remove]) statement.run({ id: change.id });
  }
}
