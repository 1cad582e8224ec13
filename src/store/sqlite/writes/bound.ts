// Runs Drizzle's statements directly in the driver, here or on another thread. The source of each value is
// determined once, not at every run.
import { Column, Param, Placeholder, is } from 'drizzle-orm';
import type { Statement } from 'better-sqlite3';
import type { Client } from '../connection.js';

/** The part of a query prepared by Drizzle that is needed here. */
interface Prepared {
  getQuery(): { readonly sql: string; readonly params: readonly unknown[] };
}

type Encode = (value: unknown) => unknown;

interface Parameter {
  /** `null` for a constant. */
  readonly name: string | null;
  /** `null` if the driver accepts the value unchanged. */
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

/** The value of a record's member, by the name of its column. */
export function memberOf(values: object, name: string): unknown {
  return (values as Readonly<Record<string, unknown>>)[name];
}

/** A statement that writes one row, and the mapping from a record to its values. */
export interface BoundStatement {
  readonly sql: string;
  /** The values of a record, and of the extra placeholder, in the order of the statement's parameters. */
  values(record: object, extra?: unknown): readonly unknown[];
}

/** Receives rows to write. */
export interface RowSink {
  /**
   * Writes a row, immediately or with others.
   *
   * @param otherwise - The error message if the statement does not write exactly one row.
   * @throws Error - With that message, or an error of the database.
   */
  row(statement: BoundStatement, values: readonly unknown[], otherwise: () => string): void;
}

/**
 * Binds a statement that writes.
 *
 * @param extraName - Placeholder whose value is passed separately from the record.
 */
export function bindStatement(query: Prepared, extraName: string | null = null): BoundStatement {
  const { sql, params } = query.getQuery();
  const parameters = params.map(parameterOf);
  return {
    sql,
    values(record, extra) {
      const bound: unknown[] = [];
      for (const { name, encode, constant } of parameters) {
        const value = name === null ? constant : name === extraName ? extra : memberOf(record, name);
        bound.push(encode === null ? value : encode(value));
      }
      return bound;
    },
  };
}

/** Writes rows in the open transaction of a connection. */
export function rowsInto(client: Client): RowSink {
  const statements = new Map<BoundStatement, Statement>();
  return {
    row(bound, values, otherwise) {
      let statement = statements.get(bound);
      if (statement === undefined) {
        statement = client.prepare(bound.sql);
        statements.set(bound, statement);
      }
      if (statement.run(values).changes !== 1) throw new Error(otherwise());
    },
  };
}
