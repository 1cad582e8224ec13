// The tables of a copy: where the rows of each PostgreSQL table come from in a file. Every table is here, except those that
// coordinators of a PostgreSQL database use among themselves.
import { getTableColumns, getTableName, is, sql, type SQL } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { SQLiteTable, type SQLiteColumn, type SQLiteView } from 'drizzle-orm/sqlite-core';
import * as postgres from '../postgres/tables/tables.js';
import * as sqlite from '../sqlite/tables/tables.js';

/** One table of a copy. Rows are copied in the order of `key`. */
export interface CopiedTable {
  readonly name: string;
  readonly from: SQLiteTable | SQLiteView;
  readonly fromKey: SQLiteColumn;
  readonly to: PgTable;
  readonly toKey: PgColumn;
  /** The columns that both have, by their member names. What only the target has, it fills in itself. */
  readonly columns: Readonly<Record<string, PgColumn>>;
  /** The texts of a row, in the source and in the target. A head has no large ones. */
  readonly largeFrom: readonly SQL[];
  readonly largeTo: readonly SQL[];
  /** The database assigns the numbers of new rows: they go on behind those that were ever given. */
  readonly isNumbered: boolean;
}

type Source = (SQLiteTable | SQLiteView) & { readonly seq: SQLiteColumn };
type Target = PgTable & { readonly seq: PgColumn };

function copied(from: Source, to: Target): CopiedTable {
  return pair(from, from.seq, to, to.seq);
}

function pair(
  from: SQLiteTable | SQLiteView,
  fromKey: SQLiteColumn,
  to: PgTable,
  toKey: PgColumn,
): CopiedTable {
  const isNumbered = toKey.generatedIdentity !== undefined;
  const source: Readonly<Record<string, SQLiteColumn>> | null = is(from, SQLiteTable)
    ? getTableColumns(from)
    : null;
  const columns: Readonly<Record<string, PgColumn>> = Object.fromEntries(
    Object.entries(getTableColumns(to)).filter(([member]) => source === null || member in source),
  );
  const texts = Object.entries(columns).filter(([, column]) => /^(text|json)/.test(column.getSQLType()));
  const largeFrom = texts.flatMap(([member]) =>
    source?.[member] === undefined ? [] : [sql`${source[member]}`],
  );
  const largeTo = texts.map(([, column]) => sql`${column}::text`);
  return { name: getTableName(to), from, fromKey, to, toKey, columns, largeFrom, largeTo, isNumbered };
}

/** In the order of copying. Settings are copied apart. */
export const COPIED: readonly CopiedTable[] = [
  copied(sqlite.trees, postgres.trees),
  copied(sqlite.schemas, postgres.schemas),
  // A file keeps what changes with each write of a state elsewhere; the view joins it.
  copied(sqlite.stateHeads, postgres.states),
  copied(sqlite.events, postgres.events),
  copied(sqlite.snapshots, postgres.snapshots),
  copied(sqlite.archives, postgres.archives),
  pair(sqlite.cuts, sqlite.cuts.stateKey, postgres.cuts, postgres.cuts.stateKey),
  copied(sqlite.sessions, postgres.sessions),
  copied(sqlite.completions, postgres.completions),
  copied(sqlite.runs, postgres.runs),
  copied(sqlite.callbacks, postgres.callbacks),
  copied(sqlite.runners, postgres.runners),
  copied(sqlite.tokens, postgres.tokens),
  copied(sqlite.receipts, postgres.receipts),
  copied(sqlite.notices, postgres.notices),
  copied(sqlite.readCursors, postgres.readCursors),
  copied(sqlite.webhooks, postgres.webhooks),
  copied(sqlite.deliveries, postgres.deliveries),
  copied(sqlite.destinations, postgres.destinations),
];
