// What a coordinator puts right before it works on a database. Runs in the transaction that acquires the lease.
import { NUMBERED_TABLES, ROW_NUMBER_MAX } from '../row-numbers.js';
import type { Client } from './connection.js';

const STATES = 'workflow_states';

/** What refers to a state by its number. */
const MOVED_WITH_STATES = [
  'state_events',
  'state_snapshots',
  'state_head_signatures',
  'state_history_cuts',
].map((table) => `update or ignore ${table} set state_key = ? where state_key = ?`);

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
 * the others, the last one first, else the next. A state gets that of its history. Beside a row with the greatest number
 * SQLite would take no other.
 */
export function renumberRows(client: Client): readonly Renumbered[] {
  const found = NUMBERED_TABLES.map((table) => ({ table, rows: renumber(client, table) }));
  return found.filter(({ rows }) => rows > 0);
}

function renumber(client: Client, table: string): number {
  const wrong = numbersOutOfReach(client, table);
  const isCounterWrong = resetCounter(client, table);
  if (wrong.length === 0) return isCounterWrong ? 1 : 0;
  const isStates = table === STATES;
  if (isStates) rejoinHistories(client);
  const remaining = isStates ? numbersOutOfReach(client, table) : wrong;
  const free = isStates
    ? nextNumbers(client, table, remaining.length)
    : freeNumbers(client, table, remaining.length);
  const moved = [`update ${table} set seq = ? where seq = ?`, ...(isStates ? MOVED_WITH_STATES : [])];
  for (const text of moved) {
    const move = client.prepare(text);
    for (const [at, seq] of remaining.entries()) move.run(free[at], seq);
  }
  return wrong.length;
}

/** Two searches: with `or`, SQLite reads the whole table. */
function numbersOutOfReach(client: Client, table: string): readonly bigint[] {
  return client
    .prepare<[], bigint>(
      `select seq from ${table} where seq < 1 union all select seq from ${table} where seq > ${String(ROW_NUMBER_MAX)} order by seq`,
    )
    .pluck()
    .safeIntegers()
    .all();
}

/** Gives each state the number under which its history is. The hash of an event tells whose it is: it covers the state's id. */
function rejoinHistories(client: Client): void {
  const found = client
    .prepare<[], [bigint, bigint]>(
      `select e.state_key, s.seq from workflow_states s
        cross join state_events e on e.hash = s.last_hash and e.version = s.version
        where (s.seq < 1 or s.seq > ${String(ROW_NUMBER_MAX)})
          and e.state_key between 1 and ${String(ROW_NUMBER_MAX)}
          and not exists (select 1 from workflow_states o where o.seq = e.state_key)`,
    )
    .raw()
    .safeIntegers()
    .all();
  const move = client.prepare('update or ignore workflow_states set seq = ? where seq = ?');
  for (const [key, seq] of found) move.run(key, seq);
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
function freeNumbers(client: Client, table: string, count: number): readonly number[] {
  const gaps = client
    .prepare<[{ max: number; count: number }], number>(
      `select t.seq - 1 from ${table} t
        where t.seq > (select min(seq) from ${table} where seq >= 1) and t.seq <= @max
          and not exists (select 1 from ${table} p where p.seq = t.seq - 1)
        order by t.seq desc limit @count`,
    )
    .pluck()
    .all({ max: ROW_NUMBER_MAX, count });
  return [...gaps.reverse(), ...nextNumbers(client, table, count - gaps.length)];
}

/** The numbers that follow the last row; of states those that follow the last history, too: it may be another state's. */
function nextNumbers(client: Client, table: string, count: number): readonly number[] {
  const histories = `union all select max(state_key) from state_events where state_key between 1 and @max`;
  const last = client
    .prepare<[{ table: string; max: number }], number | null>(
      `select max(n) from (select max(seq) as n from ${table} where seq between 1 and @max
        union all select seq from sqlite_sequence where name = @table ${table === STATES ? histories : ''})`,
    )
    .pluck()
    .get({ table, max: ROW_NUMBER_MAX });
  const next = (last ?? 0) + 1;
  return Array.from({ length: count }, (_, at) => next + at);
}
