// Makes damaged records usable, so that they can be set aside. Runs in the transaction that puts them aside.
import { getTableColumns, is, type SQL, sql } from 'drizzle-orm';
import { SQLiteCustomColumn, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Damage, RecordKind } from '../../../domain/damage/damage.js';
import {
  IDENTIFYING,
  neutralOf,
  repairedBy,
  repairedRows,
  repairsOfTree,
  type Repair,
} from '../../record-repairs.js';
import { DamagedValue } from '../../rows/values.js';
import type { Db } from '../db.js';
import { nameOf } from '../../rows/intact-rows.js';
import * as tables from '../tables/tables.js';

const UNFINISHED_RUN = sql`completed_at is null or due_at is not null or typeof(completed_at) <> 'integer'`;

export class RecordRepair {
  constructor(private readonly db: Db) {}

  /** @returns What was damaged. */
  write({ kind, id, now }: Repair): readonly Damage[] {
    const found = repairedRows(kind, id, UNFINISHED_RUN).flatMap(([ofKind, table, where]) =>
      this.#values(ofKind, tables[table], where),
    );
    return kind === 'tree' ? [...found, ...this.#tree(id, now)] : found;
  }

  #values(
    kind: RecordKind,
    table: SQLiteTable & { readonly seq: SQLiteColumn },
    where: SQL,
  ): readonly Damage[] {
    const columns = Object.fromEntries(
      Object.entries(getTableColumns(table)).filter(
        ([name, column]) => is(column, SQLiteCustomColumn) || IDENTIFYING.test(name),
      ),
    );
    const ofNames = new Map(Object.values(columns).map((column) => [column.name, column]));
    const found: Damage[] = [];
    for (const row of this.db.select(columns).from(table).where(where).all()) {
      for (const value of Object.values(row) as unknown[]) {
        if (!(value instanceof DamagedValue)) continue;
        found.push({ kind, id: nameOf(kind, row), column: value.column, what: value.what });
        this.db.run(
          sql`update or ignore ${table} set ${sql.identifier(value.column)} = ${neutralOf(value, ofNames.get(value.column))}
            where seq = ${row['seq']}`,
        );
      }
    }
    return found;
  }

  #tree(id: string, now: number): readonly Damage[] {
    return repairsOfTree(id, now).flatMap((repair) =>
      this.db.all<{ name: string }>(repair.statement).map(({ name }) => repairedBy(repair, name)),
    );
  }
}
