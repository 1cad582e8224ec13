// Column types in addition to Drizzle's own. Knows no table.
import { customType, integer } from 'drizzle-orm/sqlite-core';
import { parseJson, parseKind, parseWord, type JsonForm } from '../../rows/values.js';

/** A value stored as JSON text, typed by `$type`. `null` is stored as SQL NULL, so that queries can test for it. */
export function json(name: string, form: JsonForm) {
  return customType<{ data: unknown; driverData: string | null }>({
    dataType: () => 'text',
    toDriver: (value) => (value === null ? null : JSON.stringify(value)),
    fromDriver: (value) => parseJson(name, form, value),
  })(name);
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
    dataType: () => 'text',
    fromDriver: (value) => parseWord(name, words, neutral, value),
  })(name).$type<T>();
}

/** A text. SQLite also stores blobs in such a column, so values are checked. */
export function text(name: string) {
  return checked<string>(name, 'text', 'text');
}

/** A non-negative integer. SQLite also stores texts, blobs and fractions in such a column, so values are checked. */
export function count(name: string) {
  return checked<number>(name, 'integer', 'count');
}

/** Milliseconds since the Unix epoch. */
export function time(name: string) {
  return checked<number>(name, 'integer', 'time');
}

function checked<T extends string | number>(
  name: string,
  type: 'text' | 'integer',
  kind: Parameters<typeof parseKind>[1],
) {
  return customType<{ data: unknown; driverData: unknown }>({
    dataType: () => type,
    fromDriver: (value) => parseKind(name, kind, value),
  })(name).$type<T>();
}

export function flag(name: string) {
  return integer(name, { mode: 'boolean' });
}

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
