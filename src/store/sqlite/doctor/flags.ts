// Flags that are neither 0 nor 1: a read counts them as false.
import { sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';

/** The name of the first such column of a row; `null` if there is none. Other columns are left out. */
export function mistypedFlag(columns: Readonly<Record<string, SQLiteColumn>>) {
  const flags = Object.values(columns).filter((column) => column.dataType === 'boolean');
  return sql<string | null>`case when false then null ${sql.join(
    flags.map((column) => sql`when ${column} not in (0, 1) then ${sql.raw(`'${column.name}'`)}`),
    sql` `,
  )} end`;
}
