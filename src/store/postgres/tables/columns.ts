// The columns and indices of PostgreSQL. Knows no table.
import { sql, type NotNull, type SQL } from 'drizzle-orm';
import { bigint, boolean, customType, index, pgTable, uniqueIndex } from 'drizzle-orm/pg-core';
import type { ExtraConfigColumn, PgColumn, PgColumnBuilderBase } from 'drizzle-orm/pg-core';
import { parseJson, parseKind, parseUrl, parseWord, type JsonForm } from '../../rows/values.js';
import {
  columnsOfIndex,
  type Columns,
  type ColumnTypes,
  type Index,
  type TableOf,
} from '../../tables/declare.js';
import { decoded, encoded } from './stored-text.js';

/** Compares bytes, whatever the locale of the database: ranges of ids rely on it. */
const TEXT = 'text COLLATE "C"';

interface PostgresTypes extends ColumnTypes {
  readonly nullable: ReturnType<typeof column<this['data']>>;
  readonly required: NotNull<this['nullable']>;
  readonly flag: NotNull<ReturnType<typeof boolean>>;
}

interface Conversion {
  readonly fromDriver: (value: unknown) => unknown;
  readonly toDriver?: (value: unknown) => unknown;
}

function column<T>(name: string, type: string, conversion: Conversion) {
  return customType<{ data: unknown; driverData: unknown }>({ dataType: () => type, ...conversion })(
    name,
  ).$type<T>();
}

/** The driver returns the type as text, because it has more values than a JavaScript number. */
function whole(name: string, kind: 'count' | 'revision' | 'time') {
  return column<number>(name, 'bigint', {
    fromDriver: (value) => (value === null ? null : parseKind(name, kind, Number(value))),
  });
}

function json<T>(name: string, form: JsonForm) {
  return column<T>(name, TEXT, {
    toDriver: (value) => (value === null ? null : JSON.stringify(value)),
    fromDriver: (value) => parseJson(name, form, value),
  });
}

/** A value of type `json`, which queries look into with `readableJson`. It is selected with `selected`. */
function queriedJson<T>(name: string, form: JsonForm) {
  return column<T>(name, 'json', {
    toDriver: (value) => JSON.stringify(value),
    fromDriver: (value) => parseJson(name, form, value),
  });
}

/** A column as queries select it: a value of type `json` as its text. The driver would make SQL NULL of the JSON `null`. */
export function selected<C extends PgColumn>(column: C): C | SQL<C['_']['data']> {
  return column.getSQLType() === 'json' ? sql`${column}::text`.mapWith(column) : column;
}

const nullable: Columns<PostgresTypes>['nullable'] = {
  text: (name) =>
    column(name, TEXT, {
      toDriver: (value) => (typeof value === 'string' ? encoded(value) : value),
      fromDriver: (value) => (typeof value === 'string' ? decoded(value) : value),
    }),
  count: (name) => whole(name, 'count'),
  time: (name) => whole(name, 'time'),
  oneOf: (name, words, neutral) =>
    column(name, TEXT, { fromDriver: (value) => parseWord(name, words, neutral, value) }),
  json,
};

export const columns: Columns<PostgresTypes> = {
  nullable,
  text: (name) => nullable.text(name).notNull(),
  // A URL has no character that needs another form.
  url: (name) => column<string>(name, TEXT, { fromDriver: (value) => parseUrl(name, value) }).notNull(),
  count: (name) => nullable.count(name).notNull(),
  revision: (name) => whole(name, 'revision').notNull(),
  time: (name) => nullable.time(name).notNull(),
  oneOf: (name, words, neutral) => nullable.oneOf(name, words, neutral).notNull(),
  json: <T>(name: string, form: JsonForm) => json<T>(name, form).notNull(),
  queriedJson: <T>(name: string, form: JsonForm) => queriedJson<T>(name, form).notNull(),
  flag: (name, otherwise) => {
    const made = boolean(name).notNull();
    return otherwise === undefined ? made : made.default(otherwise);
  },
};

/**
 * The position in the feed. The writer assigns it: see `FEED_BLOCK` in writes/commits/commit-log.ts.
 */
export function feedNumber() {
  return bigint('seq', { mode: 'number' }).primaryKey();
}

/**
 * The order of creation in a tree. The database assigns the numbers, with gaps, and never uses one again, so cursors and
 * keys stay valid.
 */
export function sequence() {
  return bigint('seq', { mode: 'number' }).generatedByDefaultAsIdentity().primaryKey();
}

/** Adds the indices of a table. */
export function indexed({ indices }: { readonly indices: readonly Index[] }) {
  return (columnsOf: Readonly<Record<string, ExtraConfigColumn>>) =>
    indices.map((one) => {
      const all = { ...one, members: [...one.members, ...one.further] };
      const made = (one.isUnique ? uniqueIndex : index)(one.name).on(...columnsOfIndex(all, columnsOf));
      return one.where === null ? made : made.where(sql.raw(one.where));
    });
}

/** @param seq - The number of a row. */
export function table<
  Name extends string,
  S extends PgColumnBuilderBase,
  C extends Record<string, PgColumnBuilderBase>,
>(of: TableOf<Name, C>, seq: S) {
  return pgTable(of.name, { seq, ...of.columns }, indexed(of));
}
