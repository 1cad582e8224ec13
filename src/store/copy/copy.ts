// Copies a database file to PostgreSQL: table by table, each page of rows in a transaction of its own, then compares both.
import { createHash, type Hash } from 'node:crypto';
import { withDatabase } from '../postgres/index.js';
import { openSource, type CopySource, type Row } from './source.js';
import { COPIED, type CopiedTable } from './tables.js';
import { CopyTarget } from './target.js';

/** What was copied. */
export interface CopyReport {
  readonly tables: readonly { readonly table: string; readonly rows: number; readonly hash: string }[];
  /** Rows that an earlier, interrupted copy had brought. */
  readonly rowsBefore: number;
}

/**
 * Copies everything from a file into an empty database, or goes on with such a copy, and compares every row of both.
 * No coordinator works on either meanwhile.
 *
 * @param from - The path of the file. It is not changed.
 * @param to - The URL of the PostgreSQL database.
 * @throws DatabaseUnusableError, DatabaseNewerError - One plain sentence each.
 */
export async function copyDatabase(from: string, to: string): Promise<CopyReport> {
  const source = openSource(from);
  try {
    return await withDatabase(to, async (connection, name) => {
      const target = new CopyTarget(connection, name);
      const before = await target.begin(source);
      try {
        let rowsBefore = 0;
        for (const table of COPIED) {
          const after = before === null ? 0 : await target.highest(table);
          if (before?.isDone !== true) await copyTable(source, target, table, after);
          if (before !== null) rowsBefore += await countThrough(source, table, after);
        }
        if (before?.isDone !== true) await target.finish(source);
        const tables = [];
        for (const table of COPIED) tables.push(await compare(source, target, table));
        await target.compareSettings(source);
        await target.done(source);
        return { tables, rowsBefore };
      } finally {
        await target.release();
      }
    });
  } finally {
    source.close();
  }
}

async function copyTable(source: CopySource, target: CopyTarget, table: CopiedTable, from: number) {
  for (let after = from; ;) {
    const rows = source.page(table, after);
    if (rows.length === 0) return;
    await target.add(table, rows);
    after = keyOf(table, rows.at(-1));
  }
}

async function countThrough(source: CopySource, table: CopiedTable, last: number): Promise<number> {
  let count = 0;
  for await (const row of rowsOf(table, (after) => source.page(table, after))) {
    if (keyOf(table, row) > last) break;
    count += 1;
  }
  return count;
}

/** @throws DatabaseUnusableError - A row is not the same in both. */
async function compare(source: CopySource, target: CopyTarget, table: CopiedTable) {
  const sides = [
    await digest(table, (after) => source.page(table, after)),
    await digest(table, (after) => target.page(table, after)),
  ] as const;
  const [{ rows, hash }, copy] = sides;
  if (rows !== copy.rows || hash !== copy.hash) {
    throw target.differs(
      `${table.name} has ${String(copy.rows)} rows with the hash ${copy.hash}, the source ${String(rows)} with ${hash}`,
    );
  }
  return { table: table.name, rows, hash };
}

type ReadPage = (after: number) => readonly Row[] | Promise<readonly Row[]>;

async function* rowsOf(table: CopiedTable, page: ReadPage): AsyncGenerator<Row> {
  for (let after = 0; ;) {
    const rows = await page(after);
    if (rows.length === 0) return;
    yield* rows;
    after = keyOf(table, rows.at(-1));
  }
}

/** The number of rows, and a hash over the values of all. */
async function digest(table: CopiedTable, page: ReadPage) {
  const members = Object.keys(table.columns);
  const hash: Hash = createHash('sha256');
  let count = 0;
  for await (const row of rowsOf(table, page)) {
    count += 1;
    hash.update(JSON.stringify(members.map((name) => row[name] ?? null)));
  }
  return { rows: count, hash: hash.digest('hex').slice(0, 16) };
}

function keyOf({ columns, toKey }: CopiedTable, row: Row | undefined): number {
  const member = Object.entries(columns).find(([, column]) => column === toKey)?.[0] ?? '';
  return Number(row?.[member]);
}
