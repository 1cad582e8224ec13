// Drizzle's statements, run by the driver itself: where each value comes from is found once, not at every run.
import { Column, Param, Placeholder, is } from 'drizzle-orm';
import type { RunResult } from 'better-sqlite3';
import type { Client } from './connection.js';

/** A query that Drizzle has prepared, as far as it is needed here. */
interface Prepared {
  getQuery(): { readonly sql: string; readonly params: readonly unknown[] };
}

type Values = Readonly<Record<string, unknown>>;
type Encode = (value: unknown) => unknown;

interface Parameter {
  /** `null` for a constant. */
  readonly name: string | null;
  /** `null` where the driver takes the value as it is. */
  readonly encode: Encode | null;
  readonly constant: unknown;
}

function parameterOf(param: unknown): Parameter {
  if (is(param, Placeholder)) return { name: param.name, encode: null, constant: null };
  if (!is(param, Param) || !is(param.value, Placeholder)) {
    return { name: null, encode: null, constant: is(param, Param) ? param.value : param };
  }
  const { encoder, value } = param;
  const plain = is(encoder, Column) && encoder.mapToDriverValue === Column.prototype.mapToDriverValue;
  return {
    name: value.name,
    encode: plain ? null : (raw) => encoder.mapToDriverValue(raw),
    constant: null,
  };
}

/**
 * Binds a statement that writes.
 *
 * @returns Runs it with the values of its placeholders, by their names.
 */
export function bindRun(client: Client, query: Prepared): (values: Values) => RunResult {
  const { sql, params } = query.getQuery();
  const statement = client.prepare(sql);
  const parameters = params.map(parameterOf);
  return (values) =>
    statement.run(
      parameters.map(({ name, encode, constant }) => {
        if (name === null) return constant;
        const value = values[name];
        return encode === null ? value : encode(value);
      }),
    );
}
