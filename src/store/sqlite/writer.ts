// Writes a changeset. Every statement is prepared once; a record that is not at the expected revision is a bug above.
import { and, eq, getTableColumns, sql, type Placeholder, type SQL } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Change, Changeset, Put, Remove } from '../../domain/changeset.js';
import type { Db } from './connection.js';
import * as tables from './tables.js';

/** Every column of a table but those left out, to be filled in when the statement runs. */
function placeholders(table: SQLiteTable, without: readonly string[]): Record<string, Placeholder> {
  const names = Object.keys(getTableColumns(table)).filter((name) => !without.includes(name));
  return Object.fromEntries(names.map((name) => [name, sql.placeholder(name)]));
}

/** A record that is replaced, revision by revision. */
function mutable(
  db: Db,
  table: SQLiteTable & { readonly revision: SQLiteColumn },
  identity: readonly SQLiteColumn[],
) {
  const columns = Object.entries(getTableColumns(table));
  const nameOf = (column: SQLiteColumn) => columns.find(([, other]) => other === column)?.[0] ?? '';
  const identityNames = identity.map(nameOf);
  const insert = db
    .insert(table)
    .values(placeholders(table, ['seq']))
    .prepare();
  const update = db
    .update(table)
    .set(placeholders(table, ['seq', 'rootSessionId', 'createdAt', ...identityNames]))
    .where(
      and(
        ...identity.map((column) => eq(column, sql.placeholder(nameOf(column)))),
        eq(table.revision, sql.placeholder('replaces')),
      ),
    )
    .prepare();
  return (record: { readonly revision: number }) => {
    if (record.revision === 1) {
      insert.run({ ...record });
      return;
    }
    const { changes } = update.run({ ...record, replaces: record.revision - 1 });
    if (changes !== 1)
      throw new Error(`A record is not at revision ${record.revision - 1}: ${JSON.stringify(record)}`);
  };
}

/** A record that is written once and belongs to a state. */
function ofState(db: Db, table: SQLiteTable) {
  const stateKey: SQL = sql`(select seq from workflow_states where state_id = ${sql.placeholder('stateId')})`;
  const insert = db
    .insert(table)
    .values({ ...placeholders(table, ['seq', 'stateKey']), stateKey })
    .prepare();
  return (record: object) => {
    insert.run({ ...record });
  };
}

function prepareWrites(db: Db) {
  return {
    schema: mutable(db, tables.schemas, [tables.schemas.schemaId]),
    state: mutable(db, tables.states, [tables.states.stateId]),
    session: mutable(db, tables.sessions, [tables.sessions.sessionId]),
    completion: mutable(db, tables.completions, [
      tables.completions.sessionId,
      tables.completions.generation,
    ]),
    run: mutable(db, tables.runs, [tables.runs.runId]),
    runner: mutable(db, tables.runners, [tables.runners.runnerId]),
    callback: mutable(db, tables.callbacks, [tables.callbacks.callbackId]),
    tree: mutable(db, tables.trees, [tables.trees.rootSessionId]),
    token: mutable(db, tables.tokens, [tables.tokens.tokenId]),
    event: ofState(db, tables.events),
    snapshot: ofState(db, tables.snapshots),
  };
}

function prepareRemoves(db: Db) {
  const id = sql.placeholder('id');
  const stateKey = sql`(select seq from workflow_states where state_id = ${id})`;
  return {
    state: [
      db.delete(tables.events).where(eq(tables.events.stateKey, stateKey)).prepare(),
      db.delete(tables.snapshots).where(eq(tables.snapshots.stateKey, stateKey)).prepare(),
      db.delete(tables.states).where(eq(tables.states.stateId, id)).prepare(),
    ],
    schema: [db.delete(tables.schemas).where(eq(tables.schemas.schemaId, id)).prepare()],
    runner: [db.delete(tables.runners).where(eq(tables.runners.runnerId, id)).prepare()],
  } satisfies Record<Remove['remove'], unknown>;
}

/** Events and snapshots find their state by its row, so that row has to be there first. */
function isOfState(change: Change): change is Extract<Put, { put: 'event' | 'snapshot' }> {
  return 'put' in change && (change.put === 'event' || change.put === 'snapshot');
}

/** Writes changesets into the open transaction. */
export class Writer {
  readonly #writes: ReturnType<typeof prepareWrites>;
  readonly #removes: ReturnType<typeof prepareRemoves>;

  constructor(db: Db) {
    this.#writes = prepareWrites(db);
    this.#removes = prepareRemoves(db);
  }

  /** @throws Error - A record is not at the revision that its change replaces, or a constraint does not hold. */
  write(changes: Changeset): void {
    for (const change of changes) {
      if (isOfState(change)) continue;
      if ('remove' in change) this.#remove(change);
      else this.#writes[change.put](change.record);
    }
    for (const change of changes) if (isOfState(change)) this.#writes[change.put](change.record);
  }

  #remove(change: Remove): void {
    for (const statement of this.#removes[change.remove]) statement.run({ id: change.id });
  }
}
