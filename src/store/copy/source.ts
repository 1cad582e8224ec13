// The file that is copied. It is read, and nobody else may write it meanwhile.
import { createHash } from 'node:crypto';
import { and, gt, lte, notInArray } from 'drizzle-orm';
import { DatabaseUnusableError } from '../errors.js';
import { NUMBERED_TABLES, OUT_OF_REACH } from '../row-numbers.js';
import type { Client } from '../sqlite/connection.js';
import { connect, type Db } from '../sqlite/db.js';
import { lockDatabase, LEASE_SETTINGS, openForReading } from '../sqlite/index.js';
import { settings } from '../sqlite/tables/tables.js';
import { DamagedValue } from '../rows/values.js';
import { lastOfPage } from './pages.js';
import type { CopiedTable } from './tables.js';

/** A row by the member names of its columns. */
export type Row = Readonly<Record<string, unknown>>;

export interface CopySource {
  /** The same for the same file, and no secret: a hash. */
  readonly id: string;
  readonly settings: readonly { readonly name: string; readonly value: string }[];
  /** The rows behind a number, as many as fit into a page. @throws DatabaseUnusableError - A value is damaged. */
  page(table: CopiedTable, after: number): readonly Row[];
  /** The highest number that the rows of a table ever had. */
  highest(table: CopiedTable): number;
  close(): void;
}

/**
 * Opens a file for a copy, and keeps coordinators away from it until it is closed.
 *
 * @throws DatabaseUnusableError, DatabaseNewerError
 */
export function openSource(path: string): CopySource {
  const lock = lockDatabase(path);
  try {
    const { client, close } = openForReading(path);
    const unnumbered = NUMBERED_TABLES.find((table) => hasNumberOutOfReach(client, table));
    if (unnumbered !== undefined) {
      close();
      throw new DatabaseUnusableError(
        `The database ${path} cannot be copied: ${unnumbered} has a number of a row that the service never gives; start the service on it once, which gives another one`,
      );
    }
    const db: Db = connect(client);
    // Each start of a coordinator changes its lease.
    const settingRows = db
      .select()
      .from(settings)
      .where(notInArray(settings.name, [...LEASE_SETTINGS]))
      .orderBy(settings.name)
      .all();
    const lastNumber = client.prepare('select seq from sqlite_sequence where name = ?').pluck();
    return {
      id: createHash('sha256').update(JSON.stringify(settingRows)).digest('hex'),
      settings: settingRows,
      page(table, after) {
        const { from, fromKey } = table;
        const [page] = db.all<{ last: number | null }>(lastOfPage(from, fromKey, table.largeFrom, after));
        if (page?.last == null) return [];
        const rows: readonly Row[] = db
          .select()
          .from(from)
          .where(and(gt(fromKey, after), lte(fromKey, page.last)))
          .orderBy(fromKey)
          .all();
        for (const row of rows) requireSound(path, table, row);
        return rows;
      },
      highest: ({ name }) => Number(lastNumber.get(name) ?? 0),
      close() {
        close();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** No page has such a row: the copy would lack it, and its comparison would not see that. Nor could a row follow the last one. */
function hasNumberOutOfReach(client: Client, table: string): boolean {
  return (
    client
      .prepare(
        `select 1 from ${table} where ${OUT_OF_REACH}
          union all select 1 from sqlite_sequence
            where name = ? and seq <> 0 and (typeof(seq) <> 'integer' or ${OUT_OF_REACH}) limit 1`,
      )
      .get(table) !== undefined
  );
}

function requireSound(path: string, { name, columns }: CopiedTable, row: Row): void {
  for (const member of Object.keys(columns)) {
    const value = row[member];
    if (!(value instanceof DamagedValue)) continue;
    throw new DatabaseUnusableError(
      `The database ${path} cannot be copied: ${name} has a damaged value in ${value.column}, which ${value.what}; see countersign doctor --db ${path}`,
    );
  }
}
