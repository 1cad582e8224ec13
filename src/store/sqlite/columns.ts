// The kinds of columns beside Drizzle's own. Knows no table.
import { customType, integer } from 'drizzle-orm/sqlite-core';

/** A value kept as JSON text, typed by `$type`; `null` is SQL's NULL, so that queries can tell it. */
export const json = customType<{ data: unknown; driverData: string | null }>({
  dataType: () => 'text',
  toDriver: (value) => (value === null ? null : JSON.stringify(value)),
  fromDriver: (text) => (text === null ? null : (JSON.parse(text) as unknown)),
});

/** Milliseconds since the Unix epoch. */
export function time(name: string) {
  return integer(name);
}

export function flag(name: string) {
  return integer(name, { mode: 'boolean' });
}

/** The order of creation. */
export function sequence() {
  return integer('seq').primaryKey();
}

/** The order of creation where rows are removed: a number is never given twice, so cursors and keys stay true. */
export function sequenceNeverReused() {
  return integer('seq').primaryKey({ autoIncrement: true });
}
