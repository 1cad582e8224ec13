// What a coordinator puts right before it works on a database. Runs in the transaction that acquires the lease.
import { NUMBERED_TABLES, ROW_NUMBER_MAX } from '../row-numbers.js';
import type { Client } from './connection.js';

/**
 * Moves the times of kept answers with a clock that was set while no coordinator was there, so that each is kept as long
 * as was promised. A request that is sent again would be carried out again.
 *
 * @param clockShiftMs - How far the clock was set, forward or back.
 */
export function moveReceiptTimes(client: Client, clockShiftMs: number): void {
  if (clockShiftMs === 0) return;
  client
    .prepare(
      `update receipts set created_at = max(0, created_at + ?) where typeof(created_at) = 'integer' and created_at > 0`,
    )
    .run(clockShiftMs);
}

/** How many rows of a table have a new number. */
export interface Renumbered {
  readonly table: string;
  readonly rows: number;
}

/**
 * Gives the rows whose number was edited to one that cannot be counted with a free one: a number that is missing among
 * the others, the last one first, else the next. Beside a row with the greatest number SQLite would take no other.
 */
export function renumberRows(client: Client): readonly Renumbered[] {
  const found = NUMBERED_TABLES.map((table) => ({ table, rows: renumber(client, table) }));
  return found.filter(({ rows }) => rows > 0);
}

function renumber(client: Client, table: string): number {
  const wrong = client
    .prepare<[], bigint>(
      `select seq from ${table} where seq < 1 union all select seq from ${table} where seq > ${String(ROW_NUMBER_MAX)} order by seq`,
    )
    .pluck()
    .safeIntegers()
    .all();
  const isCounterWrong = resetCounter(client, table);
  if (wrong.length === 0) return isCounterWrong ? 1 : 0;
  const free = freeNumbers(client, table, wrong.length);
  const move = client.prepare(`update ${table} set seq = ? where seq = ?`);
  for (const [at, seq] of wrong.entries()) move.run(free[at], seq);
  return wrong.length;
}

/** @returns Whether the number that SQLite keeps for the next row of the table was edited too, or taken from such a row. */
function resetCounter(client: Client, table: string): boolean {
  const { changes } = client
    .prepare(
      `update sqlite_sequence set seq = (select coalesce(max(seq), 0) from ${table} where seq between 1 and @max)
        where name = @table and (typeof(seq) <> 'integer' or seq < 0 or seq > @max)`,
    )
    .run({ table, max: ROW_NUMBER_MAX });
  return changes > 0;
}

/** Free numbers, in ascending order: one in each gap, beginning with the last gap, and those that follow the last row. */
function freeNumbers(client: Client, table: string, many: number): readonly number[] {
  const max = ROW_NUMBER_MAX;
  const gaps = client
    .prepare<[{ max: number; many: number }], number>(
      `select t.seq - 1 from ${table} t
        where t.seq > (select min(seq) from ${table} where seq >= 1) and t.seq <= @max
          and not exists (select 1 from ${table} p where p.seq = t.seq - 1)
        order by t.seq desc limit @many`,
    )
    .pluck()
    .all({ max, many });
  const last = client
    .prepare<[{ table: string; max: number }], number>(
      `select max((select coalesce(max(seq), 0) from ${table} where seq between 1 and @max),
        coalesce((select seq from sqlite_sequence where name = @table), 0))`,
    )
    .pluck()
    .get({ table, max });
  const next = (last ?? 0) + 1;
  return [...gaps.reverse(), ...Array.from({ length: many - gaps.length }, (_, at) => next + at)];
}
