// What the tables of both databases are declared with. A database supplies the columns. Knows no database.
import type { JsonForm } from '../rows/values.js';

/** The types of the columns of a database, for values of the type `data`. */
export interface ColumnTypes {
  readonly data: unknown;
  readonly required: unknown;
  readonly nullable: unknown;
  readonly flag: unknown;
}

type RequiredColumn<D extends ColumnTypes, T> = (D & { readonly data: T })['required'];
type NullableColumn<D extends ColumnTypes, T> = (D & { readonly data: T })['nullable'];

/** A closed set of values. An object, so that the compiler checks that none is missing. */
type Words<T extends string> = Readonly<Record<T, true>>;

/** Makes columns by their names in the database. */
export interface Columns<D extends ColumnTypes> {
  readonly text: (name: string) => RequiredColumn<D, string>;
  /** The URL of a receiver. */
  readonly url: (name: string) => RequiredColumn<D, string>;
  /** A non-negative integer. */
  readonly count: (name: string) => RequiredColumn<D, number>;
  /** The number of times that a record was written. A record at 0 would be written as a new one. */
  readonly revision: (name: string) => RequiredColumn<D, number>;
  /** Milliseconds since the Unix epoch. */
  readonly time: (name: string) => RequiredColumn<D, number>;
  /** @param otherwise - The value in rows that were written before the column was added. */
  readonly flag: (name: string, otherwise?: boolean) => D['flag'];
  /**
   * A text of a closed set.
   *
   * @param neutral - Replaces any other value when its record is set aside.
   */
  readonly oneOf: <T extends string>(
    name: string,
    words: Words<T>,
    neutral: NoInfer<T> | null,
  ) => RequiredColumn<D, T>;
  /** A value stored as JSON text. */
  readonly json: <T>(name: string, form: JsonForm) => RequiredColumn<D, T>;
  /** A JSON value that queries look into. */
  readonly queriedJson: <T>(name: string, form: JsonForm) => RequiredColumn<D, T>;
  /** The same columns, which may have no value. JSON `null` is stored as SQL NULL, so that queries can test for it. */
  readonly nullable: {
    readonly text: (name: string) => NullableColumn<D, string>;
    readonly count: (name: string) => NullableColumn<D, number>;
    readonly time: (name: string) => NullableColumn<D, number>;
    readonly oneOf: <T extends string>(
      name: string,
      words: Words<T>,
      neutral: NoInfer<T> | null,
    ) => NullableColumn<D, T>;
    readonly json: <T>(name: string, form: JsonForm) => NullableColumn<D, T>;
  };
}

/** A table, without the number of its rows. */
export interface TableOf<Name extends string, C> {
  /** A literal type: Drizzle tells the tables of a join apart by it. */
  readonly name: Name;
  readonly columns: C;
  readonly indices: readonly Index[];
}

/** An index of a table. */
export interface Index {
  readonly name: string;
  /** The members of the table that hold its columns. */
  readonly members: readonly string[];
  readonly isUnique: boolean;
  /** SQL for the rows that it has; `null` for all. */
  readonly where: string | null;
  /** Further columns, for a database that has no order of rows which they would disturb. */
  readonly further: readonly string[];
}

export function index(name: string, members: readonly string[], where: string | null = null): Index {
  return { name, members, isUnique: false, where, further: [] };
}

/**
 * The index of what belongs to a tree.
 *
 * @param further - By which rows of a tree are looked up. A database that does not know yet how many rows a tree has would
 *   otherwise read all of them.
 */
export function rootIndex(name: string, further: readonly string[]): Index {
  return { ...index(name, ['rootSessionId']), further };
}

export function uniqueIndex(name: string, members: readonly string[], where: string | null = null): Index {
  return { name, members, isUnique: true, where, further: [] };
}

/** The columns of an index. @throws Error - The table has no such column. */
export function columnsOfIndex<C>({ name, members }: Index, table: Readonly<Record<string, C>>): [C, ...C[]] {
  const [first, ...rest] = members.map((member) => {
    const column = table[member];
    if (column === undefined) throw new Error(`There is no column ${member} for the index ${name}`);
    return column;
  });
  if (first === undefined) throw new Error(`The index ${name} has no columns`);
  return [first, ...rest];
}
