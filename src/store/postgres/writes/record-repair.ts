// Makes damaged records usable, so that they can be set aside. Runs in the transaction that puts them aside.
import { getTableColumns, is, type SQL, sql } from 'drizzle-orm';
import { PgCustomColumn, type PgTable } from 'drizzle-orm/pg-core';
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
import type { Db } from '../connection/db.js';
import { selected } from '../tables/columns.js';
import { nameOf } from '../../rows/intact-rows.js';
import * as tables from '../tables/tables.js';

const UNFINISHED_RUN = sql`completed_at is null or due_at is not null`;

export class RecordRepair {
  constructor(private readonly db: Db) {}

  /** @returns What was damaged. */
  async write({ kind, id, now }: Repair): Promise<readonly Damage[]> {
    const found: Damage[] = [];
    for (const [ofKind, table, where] of repairedRows(kind, id, UNFINISHED_RUN))
      found.push(...(await this.#values(ofKind, tables[table], where)));
    if (kind !== 'tree') return found;
    for (const repair of repairsOfTree(id, now)) {
      const { rows } = await this.db.execute<{ name: string }>(repair.statement);
      found.push(...rows.map(({ name }) => repairedBy(repair, name)));
    }
    return found;
  }

  async #values(kind: RecordKind, table: PgTable, where: SQL): Promise<readonly Damage[]> {
    const columns = Object.fromEntries(
      Object.entries(getTableColumns(table)).filter(
        ([name, column]) => is(column, PgCustomColumn) || IDENTIFYING.test(name),
      ),
    );
    const ofNames = new Map(Object.values(columns).map((column) => [column.name, column]));
    const found: Damage[] = [];
    const read = Object.fromEntries(
      Object.entries(columns).map(([name, column]) => [name, selected(column)]),
    );
    for (const row of await this.db.select(read).from(table).where(where)) {
      for (const value of Object.values<unknown>(row)) {
        if (!(value instanceof DamagedValue)) continue;
        found.push({ kind, id: nameOf(kind, row), column: value.column, what: value.what });
        await this.db.execute(
          sql`update ${table} set ${sql.identifier(value.column)} = ${neutralOf(value, ofNames.get(value.column))}
            where seq = ${row['seq']}`,
        );
      }
    }
    return found;
  }
}
