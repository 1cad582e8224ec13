// SQL that writes many rows of one table with one statement. The rows are one parameter, as a JSON array, so the text
// of the statement does not depend on their number and stays prepared.
import { getTableColumns, getTableName } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { FEED_BLOCK } from './commits/commit-log.js';
import { anyCount } from './planner-hint.js';

/** A row by the names of its columns, in the form that the driver takes. */
export type StoredRow = Readonly<Record<string, unknown>>;

/** A named statement, which the connection prepares once. */
export interface BatchStatement {
  readonly name: string;
  readonly text: string;
}

/** The statements of a table. */
export interface RowTable {
  readonly name: string;
  /** The names of the columns that identify a row. */
  readonly identity: readonly string[];
  /** Converts a record into a row. */
  rowOf(record: object, extra?: StoredRow): StoredRow;
  readonly insert: BatchStatement;
  /** Writes rows over those with their `replaces` as revision. Returns the identity of each row that was written. */
  readonly update: BatchStatement;
  /**
   * The same, for a number of rows `$2`. If one of them is not there, it fails with a division by zero: a statement cannot
   * raise an error otherwise.
   */
  readonly updateAll: BatchStatement;
  /** Inserts rows, or writes them over those of the same identity. */
  readonly upsert: BatchStatement;
}

const quoted = (name: string) => `"${name}"`;

/**
 * The type of a column in the JSON rows. Text has no collation there. A value of the type `json` is a text there: it may
 * have escapes, such as that of U+0000, that a value within the rows must not have.
 */
function sourceType(column: PgColumn): string {
  const type = column.getSQLType().split(' ')[0] ?? '';
  return type === 'json' ? 'text' : type;
}

function sourceValue(column: PgColumn): string {
  const value = `r.${quoted(column.name)}`;
  return column.getSQLType() === 'json' ? `${value}::json` : value;
}

/** How the number of a new row comes about. */
export type Numbering =
  /** The row has its number within the commit, which has taken a number. */
  | 'feed'
  /** The database assigns it. */
  | 'generated';

/** The state of an event or snapshot, by the id in its row. */
const STATE_KEY = `(select s.seq from workflow_states s
  where s.root_session_id = r.root_session_id and s.state_id = r.state_id)`;

/** The number of the first item of the commit in the feed. */
const FIRST_NUMBER = `currval('commit_numbers') * ${String(FEED_BLOCK)}`;

/**
 * @param identity - The columns that identify a record.
 * @param isOfState - The record has the id of its state, and the row the number of that state.
 */
export function rowTable(
  table: PgTable,
  identity: readonly PgColumn[],
  numbering: Numbering,
  isOfState: boolean,
): RowTable {
  const name = getTableName(table);
  const entries = Object.entries(getTableColumns(table)).filter(
    ([, column]) => column.name !== 'seq' && !(isOfState && column.name === 'state_key'),
  );
  const columns = entries.map(([, column]) => column);
  const list = columns.map((column) => quoted(column.name)).join(', ');
  const types = columns.map((column) => `${quoted(column.name)} ${sourceType(column)}`);
  const source = (...more: string[]) => `json_to_recordset($1) as r(${[...types, ...more].join(', ')})`;
  const values = columns
    .map((column) => (column.name === 'after_event' ? `${FIRST_NUMBER} + r.seq` : sourceValue(column)))
    .join(', ');
  const numbers = {
    feed: { column: 'seq, ', value: `${FIRST_NUMBER} + r.seq, ` },
    generated: { column: '', value: '' },
  }[numbering];
  const state = isOfState ? { column: 'state_key, ', value: `${STATE_KEY}, ` } : { column: '', value: '' };
  const insert = `insert into ${quoted(name)} (${numbers.column}${state.column}${list})
    select ${numbers.value}${state.value}${values}
    from ${source('seq bigint', ...(isOfState ? ['state_id text'] : []))} order by r.seq`;
  const key = identity.map((column) => quoted(column.name));
  const changed = columns.filter(
    (column) => !identity.includes(column) && !['root_session_id', 'created_at'].includes(column.name),
  );
  const set = (value: (column: PgColumn) => string) =>
    changed.map((column) => `${quoted(column.name)} = ${value(column)}`).join(', ');
  // The root of a tree never changes. On a database that is spread over servers, it says which one has the row.
  const byRoot = columns.some((column) => column.name === 'root_session_id' && column.notNull);
  const by = new Set(byRoot ? ['"root_session_id"', ...key] : key);
  const update = `update ${quoted(name)} t set ${set(sourceValue)}
        from ${source('replaces bigint')}
        where ${[...by].map((column) => `t.${column} = r.${column}`).join(' and ')} and t.revision = r.replaces
          and ${anyCount('r.replaces')}`;
  return {
    name,
    identity: identity.map((column) => column.name),
    rowOf(record, extra = {}) {
      const members = record as StoredRow;
      const row: Record<string, unknown> = {};
      for (const [member, column] of entries) {
        const value = members[member] ?? null;
        row[column.name] = value === null ? null : column.mapToDriverValue(value);
      }
      return { ...row, ...extra };
    },
    insert: { name: `insert_${name}`, text: insert },
    update: {
      name: `update_${name}`,
      text: `${update} returning ${key.map((column) => `t.${column}`).join(', ')}`,
    },
    updateAll: {
      name: `update_all_${name}`,
      text: `with written as (${update} returning 1)
        select 1 / (case when (select count(*) from written) = $2::bigint then 1 else 0 end)`,
    },
    upsert: {
      name: `upsert_${name}`,
      text: `${insert} on conflict (${key.join(', ')}) do update set ${set((column) => `excluded.${quoted(column.name)}`)}`,
    },
  };
}
