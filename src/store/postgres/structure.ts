// What a PostgreSQL database lacks of the tables, columns, indexes, views, sequences, functions and triggers that its
// migrations create:
// somebody has edited it.
import { is } from 'drizzle-orm';
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core';
import type { MigrationMeta } from 'drizzle-orm/migrator';
import { holdsRecords, lacks } from '../errors.js';
import type { Logger } from '../../ports/runtime.js';
import type { Connection } from './connection/connections.js';
import * as tables from './tables/tables.js';

interface NamedObject {
  readonly kind: string;
  /** Of a column with its table: `sessions.status`. */
  readonly name: string;
}

interface ExpectedObject extends NamedObject {
  /** The statement that creates it; `null` for a column. */
  readonly sql: string | null;
}

interface Structure {
  readonly missing: readonly ExpectedObject[];
  /** Triggers that no migration creates, each with its table. */
  readonly foreignTriggers: readonly string[];
}

/** At the beginning of a line: comments may stand above it. */
const CREATED = /^(create|drop) (?:unique )?(table|index|view|sequence|function|trigger) "(\w+)"/im;

/** The objects that all migrations leave, and that are found by their names. */
function objectsOf(migrations: readonly MigrationMeta[]): readonly ExpectedObject[] {
  const objects = new Map<string, ExpectedObject>();
  for (const statement of migrations.flatMap(({ sql }) => sql)) {
    const sql = statement.trim();
    const [, verb, kind, name] = CREATED.exec(sql) ?? [];
    if (verb === undefined || kind === undefined || name === undefined) continue;
    const key = `${kind.toLowerCase()} ${name}`;
    if (verb.toLowerCase() === 'create') objects.set(key, { kind: kind.toLowerCase(), name, sql });
    else objects.delete(key);
  }
  return [...objects.values()];
}

const TABLES = Object.values(tables).flatMap((table) => (is(table, PgTable) ? [getTableConfig(table)] : []));

const MISSING_OBJECTS = `select kind, name from unnest($1::text[], $2::text[]) as expected (kind, name)
  where case kind
    when 'function' then to_regproc(name) is null
    when 'trigger' then not exists (select from pg_trigger where tgname = name and tgrelid = any ($3::regclass[]))
    else to_regclass(name) is null
  end`;

/** Of tables that are there. */
const MISSING_COLUMNS = `select 'column' as kind, table_name || '.' || name as name
  from unnest($1::text[], $2::text[]) as expected (table_name, name)
  where to_regclass(table_name) is not null and not exists (
    select from pg_attribute where attrelid = to_regclass(table_name) and attname = name and not attisdropped
  )`;

const FOREIGN_TRIGGERS = `select 'trigger' as kind, tgname || ' on ' || tgrelid::regclass as name from pg_trigger
  where not tgisinternal and tgrelid = any ($1::regclass[]) and tgname <> all ($2::text[])`;

const PRESENT_TABLES = `select 'table' as kind, to_regclass(name)::text as name from unnest($1::text[]) as expected (name)
  where to_regclass(name) is not null`;

const namesOf = (objects: readonly { readonly name: string }[]) => objects.map(({ name }) => name);

/** @param migrations - All that this program knows. */
export async function structureOf(
  connection: Connection,
  migrations: readonly MigrationMeta[],
): Promise<Structure> {
  const found = async (statement: string, ...values: readonly (readonly string[])[]) =>
    (await connection.query<NamedObject>(statement, [...values])).rows;
  const objects = objectsOf(migrations);
  const kinds = objects.map(({ kind }) => kind);
  const present = namesOf(await found(PRESENT_TABLES, namesOf(TABLES)));
  const missing = await found(MISSING_OBJECTS, kinds, namesOf(objects), present);
  const isMissing = (one: NamedObject) =>
    missing.some(({ kind, name }) => kind === one.kind && name === one.name);
  const columns = TABLES.flatMap((table) => table.columns.map(({ name }) => ({ table: table.name, name })));
  const missingColumns = await found(
    MISSING_COLUMNS,
    columns.map(({ table }) => table),
    namesOf(columns),
  );
  const own = objects.filter(({ kind }) => kind === 'trigger');
  const foreign = await found(FOREIGN_TRIGGERS, present, namesOf(own));
  return {
    missing: [...objects.filter(isMissing), ...missingColumns.map((one) => ({ ...one, sql: null }))],
    foreignTriggers: namesOf(foreign),
  };
}

/**
 * For a start. It changes nothing: other coordinators may be at work, and a user of theirs may own no table.
 *
 * @param database - Its name, for errors.
 * @param logger - Is told of a missing index, view, trigger or function, with the statement that creates it.
 * @throws DatabaseDamagedError - Anything else is missing.
 */
export async function checkStructure(
  connection: Connection,
  database: string,
  migrations: readonly MigrationMeta[],
  logger: Pick<Logger, 'warn'>,
): Promise<void> {
  const { missing } = await structureOf(connection, migrations);
  const gone = missing.find(({ kind }) => holdsRecords(kind));
  if (gone !== undefined) throw lacks(database, gone.kind, gone.name);
  for (const { kind, name, sql } of missing)
    logger.warn(
      { kind, name, statement: sql },
      'the database lacks an object of Countersign; let its owner create it again',
    );
}
