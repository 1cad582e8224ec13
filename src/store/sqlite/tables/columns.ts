// The columns and indices of SQLite. It also stores texts, blobs and fractions in a column of another type, so values are
// checked. Knows no table.
import { sql, type NotNull } from 'drizzle-orm';
import { customType, index, integer, sqliteTable, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { SQLiteColumn, SQLiteColumnBuilderBase } from 'drizzle-orm/sqlite-core';
import { parseJson, parseKind, parseUrl, parseWord, type JsonForm } from '../../rows/values.js';
import {
  columnsOfIndex,
  type Columns,
  type ColumnTypes,
  type Index,
  type TableOf,
} from '../../tables/declare.js';

interface SqliteTypes extends ColumnTypes {
  readonly nullable: ReturnType<typeof checked<this['data']>>;
  readonly required: NotNull<this['nullable']>;
  readonly flag: NotNull<ReturnType<typeof flag>>;
}

function checked<T>(name: string, type: 'text' | 'integer', fromDriver: (value: unknown) => unknown) {
  return customType<{ data: unknown; driverData: unknown }>({
    dataType: () => type,
    // The driver would write bytes for half of a surrogate pair that are read as another text.
    toDriver: (value) => (typeof value === 'string' ? value.toWellFormed() : value),
    fromDriver,
  })(name).$type<T>();
}

function json<T>(name: string, form: JsonForm) {
  return customType<{ data: unknown; driverData: unknown }>({
    dataType: () => 'text',
    toDriver: (value) => (value === null ? null : JSON.stringify(value)),
    fromDriver: (value) => parseJson(name, form, value),
  })(name).$type<T>();
}

function flag(name: string) {
  return integer(name, { mode: 'boolean' });
}

const nullable: Columns<SqliteTypes>['nullable'] = {
  text: (name) => checked(name, 'text', (value) => parseKind(name, 'text', value)),
  count: (name) => checked(name, 'integer', (value) => parseKind(name, 'count', value)),
  time: (name) => checked(name, 'integer', (value) => parseKind(name, 'time', value)),
  oneOf: (name, words, neutral) => checked(name, 'text', (value) => parseWord(name, words, neutral, value)),
  json,
};

export const columns: Columns<SqliteTypes> = {
  nullable,
  text: (name) => nullable.text(name).notNull(),
  url: (name) => checked<string>(name, 'text', (value) => parseUrl(name, value)).notNull(),
  count: (name) => nullable.count(name).notNull(),
  revision: (name) =>
    checked<number>(name, 'integer', (value) => parseKind(name, 'revision', value)).notNull(),
  time: (name) => nullable.time(name).notNull(),
  oneOf: (name, words, neutral) => nullable.oneOf(name, words, neutral).notNull(),
  json: <T>(name: string, form: JsonForm) => json<T>(name, form).notNull(),
  queriedJson: <T>(name: string, form: JsonForm) => json<T>(name, form).notNull(),
  flag: (name, otherwise) => {
    const column = flag(name).notNull();
    return otherwise === undefined ? column : column.default(otherwise);
  },
};

/** The creation order. */
export function sequence() {
  return integer('seq').primaryKey();
}

/**
 * The creation order in a table whose rows can be removed. Numbers are never reused, so cursors and keys stay valid.
 */
export function sequenceNeverReused() {
  return integer('seq').primaryKey({ autoIncrement: true });
}

/** The number of the state that a row belongs to, of which there is one for each state. */
export function stateKey() {
  return integer('state_key').primaryKey();
}

/** Adds the indices of a table. */
export function indexed({ indices }: { readonly indices: readonly Index[] }) {
  return (columnsOf: Readonly<Record<string, SQLiteColumn>>) =>
    indices.map((one) => {
      const made = (one.isUnique ? uniqueIndex : index)(one.name).on(...columnsOfIndex(one, columnsOf));
      return one.where === null ? made : made.where(sql.raw(one.where));
    });
}

/** @param seq - The number of a row. */
export function table<
  Name extends string,
  S extends SQLiteColumnBuilderBase,
  C extends Record<string, SQLiteColumnBuilderBase>,
>(of: TableOf<Name, C>, seq: S) {
  return sqliteTable(of.name, { seq, ...of.columns }, indexed(of));
}
