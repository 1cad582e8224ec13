// Texts that PostgreSQL cannot hold, and the form that they have there. Knows no table.
import { sql, type SQL } from 'drizzle-orm';

/** Marks what stands for other characters. It is stored as two characters itself. */
const ESCAPE = '\u001a';

/** The stored form: PostgreSQL stores no U+0000 in a text, and half of a surrogate pair has no form in UTF-8. */
export function encoded(value: string): string {
  const formed = value.toWellFormed();
  if (!formed.includes('\0') && !formed.includes(ESCAPE)) return formed;
  return formed.replaceAll(ESCAPE, `${ESCAPE}1`).replaceAll('\0', `${ESCAPE}0`);
}

export function decoded(value: string): string {
  if (!value.includes(ESCAPE)) return value;
  return value.replaceAll(`${ESCAPE}0`, '\0').replaceAll(`${ESCAPE}1`, ESCAPE);
}

/** A parameter as the server accepts it. A text with U+0000 is not in its stored form yet. */
export function parameter(value: unknown): unknown {
  if (typeof value === 'string') return value.includes('\0') ? encoded(value) : value;
  return Array.isArray(value) ? value.map((item) => parameter(item)) : value;
}

/** What the server makes of a text that is given to it as a parameter. */
export function storedParameter(value: string): string {
  return value.includes('\0') ? encoded(value) : value.toWellFormed();
}

/** What `readableJson` replaces, as a regular expression of PostgreSQL: escapes after an even number of backslashes. */
const UNREADABLE = String.raw`(?<!\\)((?:\\\\)*)\\u(0000|001a|d[89a-f][0-9a-f]{2})`;

/**
 * A value of the type `json` that a query can look into: the server refuses to, where a text in it has U+0000 or half of
 * a surrogate pair. Each of them becomes U+001A and its number, as in `readable`.
 */
export function readableJson(value: SQL): SQL {
  return sql`(case when strpos(${value}::text, '\\u') = 0 then ${value}
    else regexp_replace(${value}::text, ${sql.raw(`'${UNREADABLE}'`)}, ${sql.raw(String.raw`'\1\\u001a\2'`)}, 'gi')::json end)`;
}

/** A text as it is in what `readableJson` returns. */
export function readable(value: string): string {
  return value.replace(
    /[\0\u001a\p{Surrogate}]/gu,
    (one) => `${ESCAPE}${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
