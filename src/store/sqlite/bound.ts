// Drizzle's statements, run by the driver itself: where each value comes from is found once, not at every run.
import { Column, Param, Placeholder, is } from 'drizzle-orm';
import type { RunResult } from 'better-sqlite3';
import type { Client } from './connection.js';

/** A query that Drizzle has prepared, as far as it is needed here. */
interface Prepared {
  getQuery(): { readonly sql: string; readonly params: readonly unknown[] };
}

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

function memberOf(values: object, name: string): unknown {
  return (values as Readonly<Record<string, unknown>>)[name];
}

/**
 * Binds a statement that writes.
 *
 * @param extraName - Placeholder whose value is given beside the others.
 * @returns Runs it with the values of its placeholders, by their names.
 */
export function bindRun(
  client: Client,
  query: Prepared,
  extraName: string | null = null,
): (values: object, extra?: unknown) => RunResult {
  const { sql, params } = query.getQuery();
  const statement = client.prepare(sql);
  const parameters = params.map(parameterOf);
  return (values, extra) => {
    const given: unknown[] = [];
    for (const { name, encode, constant } of parameters) {
      const value = name === null ? constant : name === extraName ? extra : memberOf(values, name);
      given.push(encode === null ? value : encode(value));
    }
    return statement.run(given);
  };
}
