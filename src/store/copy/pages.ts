// How much of a table is read and written at once: a bound in rows and one in bytes. The same on both databases.
import { sql, type Column, type SQL, type SQLWrapper } from 'drizzle-orm';

const ROWS_MAX = 500;

/** A server takes at most 1 GiB with one statement, and a page is in memory. One row may be larger. */
const BYTES_MAX = 16 * 1_048_576;

/**
 * A query for the last number of a page of rows, as `last`; `null` if there is none.
 *
 * @param large - The values that can be large.
 * @param after - The number before the page.
 */
export function lastOfPage(table: SQLWrapper, key: Column, large: readonly SQL[], after: number): SQL {
  const sizes = large.map((value) => sql`coalesce(octet_length(${value}), 0)`);
  const bytes = sql.join([sql`0`, ...sizes], sql` + `);
  return sql`select max(number) as last from (
    select number, row_number() over (order by number) as nth, sum(bytes) over (order by number) as through from (
      select ${key} as number, ${bytes} as bytes from ${table} where ${key} > ${after} order by ${key} limit ${ROWS_MAX}
    ) as sizes) as page
    where nth = 1 or through <= ${BYTES_MAX}`;
}
