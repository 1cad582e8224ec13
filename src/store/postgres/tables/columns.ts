// Column types in addition to Drizzle's own. Knows no table.
import { sql, type SQL } from 'drizzle-orm';
import { bigint, boolean, customType, type PgColumn } from 'drizzle-orm/pg-core';
import { parseJson, parseKind, parseWord, type JsonForm } from '../../rows/values.js';
import { decoded, encoded } from './stored-text.js';

/** Compares bytes, whatever the locale of the database: ranges of ids rely on it. */
const TEXT = 'text COLLATE "C"';

/** A value stored as JSON text, typed by `$type`. `null` is stored as SQL NULL, so that queries can test for it. */
export function json(name: string, form: JsonForm) {
  return customType<{ data: unknown; driverData: string | null }>({
    dataType: () => TEXT,
    toDriver: (value) => (value === null ? null : JSON.stringify(value)),
    fromDriver: (value) => parseJson(name, form, value),
  })(name);
}

/** A value of type `json`, which queries look into with `readableJson`. It is selected with `selected`. */
export function queriedJson(name: string, form: JsonForm) {
  return customType<{ data: unknown; driverData: unknown }>({
    dataType: () => 'json',
    toDriver: (value) => JSON.stringify(value),
    fromDriver: (value) => parseJson(name, form, value),
  })(name);
}

/** A column as queries select it: a value of type `json` as its text. The driver would make SQL NULL of the JSON `null`. */
export function selected<C extends PgColumn>(column: C): C | SQL<C['_']['data']> {
  return column.getSQLType() === 'json' ? sql`${column}::text`.mapWith(column) : column;
}

/**
 * A text column with a closed set of values.
 *
 * @param words - An object, so that the compiler checks that none is missing.
 * @param neutral - Replaces any other value when its record is set aside.
 */
export function oneOf<T extends string>(
  name: string,
  words: Readonly<Record<T, true>>,
  neutral: NoInfer<T> | null,
) {
  return customType<{ data: unknown; driverData: string | null }>({
    dataType: () => TEXT,
    fromDriver: (value) => parseWord(name, words, neutral, value),
  })(name).$type<T>();
}

export function text(name: string) {
  return customType<{ data: string; driverData: string }>({
    dataType: () => TEXT,
    toDriver: encoded,
    fromDriver: decoded,
  })(name);
}

/** A non-negative integer. */
export function count(name: string) {
  return whole(name, 'count');
}

/** Milliseconds since the Unix epoch. */
export function time(name: string) {
  return whole(name, 'time');
}

/** The driver returns the type as text, because it has more values than a JavaScript number. */
function whole(name: string, kind: 'count' | 'time') {
  return customType<{ data: unknown; driverData: unknown }>({
    dataType: () => 'bigint',
    fromDriver: (value) => (value === null ? null : parseKind(name, kind, Number(value))),
  })(name).$type<number>();
}

export function flag(name: string) {
  return boolean(name);
}

/**
 * The place in the feed. The writer assigns it: see `FEED_BLOCK` in writes/commits/commit-log.ts.
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
