// Column types in addition to Drizzle's own. Knows no table.
import { customType, integer } from 'drizzle-orm/sqlite-core';
import { isJsonArray, isJsonObject, type JsonValue } from '../../../domain/json/json.js';

/** The required form of a JSON column's value. */
export interface JsonForm {
  /** Completes "its metadata …" in errors. */
  readonly otherwise: string;
  readonly fits: (value: JsonValue) => boolean;
  /** The database value that replaces a damaged one when its record is put aside. */
  readonly neutral: string | null;
}

export const ANY_JSON: JsonForm = { otherwise: 'is not JSON', fits: () => true, neutral: null };
export const JSON_OBJECT: JsonForm = {
  otherwise: 'is not a JSON object',
  fits: (value) => isJsonObject(value),
  neutral: '{}',
};
export const JSON_ARRAY: JsonForm = {
  otherwise: 'is not a JSON array',
  fits: (value) => isJsonArray(value),
  neutral: '[]',
};
export const TEXT_LIST: JsonForm = {
  otherwise: 'is not a JSON array of strings',
  fits: (value) => isJsonArray(value) && value.every((item) => typeof item === 'string'),
  neutral: '[]',
};

/** Stands in a row for a stored value that its column cannot have. Never leaves the store. */
export class DamagedValue {
  constructor(
    /** The column's name in the database. */
    readonly column: string,
    readonly what: string,
    readonly neutral: string | null,
  ) {}
}

/** A value stored as JSON text, typed by `$type`. `null` is stored as SQL NULL, so that queries can test for it. */
export function json(name: string, form: JsonForm) {
  const parse = (text: unknown): unknown => {
    if (text === null) return null;
    if (typeof text !== 'string') return new DamagedValue(name, 'is not JSON text', form.neutral);
    try {
      const value = JSON.parse(text) as JsonValue;
      return form.fits(value) ? value : new DamagedValue(name, form.otherwise, form.neutral);
    } catch {
      return new DamagedValue(name, 'is not JSON', form.neutral);
    }
  };
  return customType<{ data: unknown; driverData: string | null }>({
    dataType: () => 'text',
    toDriver: (value) => (value === null ? null : JSON.stringify(value)),
    fromDriver: parse,
  })(name);
}

/**
 * A text column with a closed set of values.
 *
 * @param words - An object, so that the compiler checks that none is missing.
 * @param neutral - Replaces any other value when its record is put aside.
 */
export function oneOf<T extends string>(
  name: string,
  words: Readonly<Record<T, true>>,
  neutral: NoInfer<T> | null,
) {
  const known = (value: unknown): unknown =>
    value === null || (typeof value === 'string' && Object.hasOwn(words, value))
      ? value
      : new DamagedValue(name, `is none of ${Object.keys(words).join(', ')}`, neutral);
  return customType<{ data: unknown; driverData: string | null }>({
    dataType: () => 'text',
    fromDriver: known,
  })(name).$type<T>();
}

/** A text. SQLite also stores blobs in such a column, so values are checked. */
export function text(name: string) {
  return checked<string>(name, 'text', 'is no text', (value) => typeof value === 'string');
}

/** A non-negative integer. SQLite also stores texts, blobs and fractions in such a column, so values are checked. */
export function count(name: string) {
  return checked<number>(name, 'integer', 'is no whole number, zero or more', isCount);
}

/** The latest time of a `Date`, in milliseconds. */
export const LAST_MS = 8.64e15;

/** Milliseconds since the Unix epoch. */
export function time(name: string) {
  return checked<number>(name, 'integer', 'is no time', isTime);
}

/** True for a valid value of a `time` column. */
export function isTime(value: unknown): value is number {
  return isCount(value) && value <= LAST_MS;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function checked<T extends string | number>(
  name: string,
  type: 'text' | 'integer',
  what: string,
  fits: (value: unknown) => boolean,
) {
  const known = (value: unknown): unknown => (fits(value) ? value : new DamagedValue(name, what, null));
  return customType<{ data: unknown; driverData: unknown }>({ dataType: () => type, fromDriver: known })(
    name,
  ).$type<T>();
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
