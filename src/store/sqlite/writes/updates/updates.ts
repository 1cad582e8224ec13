// Updates of one table that write only the columns that changed: an index on any other column stays as it is, and the
// writing thread gets fewer values. Statements are made when they are first needed.
import { and, eq, getTableColumns, sql } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { bindStatement, memberOf, type BoundStatement } from '../bound.js';
import type { Db } from '../../db.js';

/** Most statements for one table. With more combinations of columns, all columns are written. */
const STATEMENTS_MAX = 64;

/** A table whose rows have revisions. */
export type RevisedTable = SQLiteTable & { readonly revision: SQLiteColumn };

export class Updates {
  readonly #statements = new Map<string, BoundStatement>();
  #ofAll: BoundStatement | null = null;

  /**
   * @param columns - Names of the columns that may change.
   * @param identity - Names of the columns that identify a row.
   */
  constructor(
    private readonly db: Db,
    private readonly table: RevisedTable,
    private readonly columns: readonly string[],
    private readonly identity: readonly string[],
  ) {}

  /** Writes all columns. */
  get #all(): BoundStatement {
    this.#ofAll ??= this.#prepared(this.columns);
    return this.#ofAll;
  }

  /**
   * The statement that replaces a record of the revision before.
   *
   * @param replaced - The record as it is stored; `undefined` if it is not known, so that all columns are written.
   */
  for(record: object, replaced: object | undefined): BoundStatement {
    if (replaced === undefined) return this.#all;
    const changed = this.columns.filter((name) => memberOf(record, name) !== memberOf(replaced, name));
    const key = changed.join();
    const known = this.#statements.get(key);
    if (known !== undefined) return known;
    if (this.#statements.size >= STATEMENTS_MAX) return this.#all;
    const made = this.#prepared(changed);
    this.#statements.set(key, made);
    return made;
  }

  #prepared(names: readonly string[]): BoundStatement {
    const { db, table } = this;
    const columns = new Map(Object.entries(getTableColumns(table)));
    const identified = [...columns].filter(([name]) => this.identity.includes(name));
    const where = and(
      ...identified.map(([name, column]) => eq(column, sql.placeholder(name))),
      eq(table.revision, sql.placeholder('replaces')),
    );
    const set = Object.fromEntries(names.map((name) => [name, sql.placeholder(name)]));
    return bindStatement(db.update(table).set(set).where(where).prepare(), 'replaces');
  }
}
