// What a PostgreSQL database lacks of the tables, columns, indexes, views, sequences and triggers that its migrations create:
// somebody has edited it. Foreign triggers are named, too: they may change what is written.
import { is } from 'drizzle-orm';
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core';
import type { Finding } from '../../../ports/storage/audit.js';
import { foreignTrigger, missingObject } from '../../doctor/object-findings.js';
import type { Connection } from '../connection/connections.js';
import { knownMigrations } from '../migrations.js';
import * as tables from '../tables/tables.js';

interface NamedObject {
  readonly kind: string;
  readonly name: string;
}

const CREATED = /^(create|drop) (?:unique )?(table|index|view|sequence|trigger) "(\w+)"/gim;

/** The objects that all migrations leave, and that are found by their names. */
function objectsOfMigrations(): readonly NamedObject[] {
  const objects = new Map<string, NamedObject>();
  for (const [, verb, kind, name] of knownMigrations()
    .flatMap(({ sql }) => sql)
    .flatMap((statement) => [...statement.trim().matchAll(CREATED)])) {
    if (verb === undefined || kind === undefined || name === undefined) continue;
    const key = `${kind.toLowerCase()} ${name}`;
    if (verb.toLowerCase() === 'create') objects.set(key, { kind: kind.toLowerCase(), name });
    else objects.delete(key);
  }
  return [...objects.values()];
}

const TABLES = Object.values(tables).flatMap((table) => (is(table, PgTable) ? [getTableConfig(table)] : []));

const MISSING_OBJECTS = `select kind, name from unnest($1::text[], $2::text[]) as expected (kind, name)
  where case kind
    when 'trigger' then not exists (select from pg_trigger where tgname = name and tgrelid = any ($3::regclass[]))
    else to_regclass(name) is null
  end`;

/** Of tables that are there. */
const MISSING_COLUMNS = `select table_name || '.' || name as name
  from unnest($1::text[], $2::text[]) as expected (table_name, name)
  where to_regclass(table_name) is not null and not exists (
    select from pg_attribute where attrelid = to_regclass(table_name) and attname = name and not attisdropped
  )`;

const FOREIGN_TRIGGERS = `select tgname || ' on ' || tgrelid::regclass as name from pg_trigger
  where not tgisinternal and tgrelid = any ($1::regclass[]) and tgname <> all ($2::text[])`;

const PRESENT_TABLES = `select to_regclass(name)::text as name from unnest($1::text[]) as expected (name)
  where to_regclass(name) is not null`;

/** @param database - Its name, for the findings. */
export async function structureFindings(
  connection: Connection,
  database: string,
): Promise<readonly Finding[]> {
  const names = async (statement: string, ...values: readonly (readonly string[])[]) =>
    (await connection.query<NamedObject>(statement, [...values])).rows;
  const objects = objectsOfMigrations();
  const kinds = objects.map(({ kind }) => kind);
  const present = (
    await names(
      PRESENT_TABLES,
      TABLES.map(({ name }) => name),
    )
  ).map(({ name }) => name);
  const missing = await names(
    MISSING_OBJECTS,
    kinds,
    objects.map(({ name }) => name),
    present,
  );
  const columns = TABLES.flatMap((table) =>
    table.columns.map((column) => [table.name, column.name] as const),
  );
  const lost = await names(
    MISSING_COLUMNS,
    columns.map(([table]) => table),
    columns.map(([, column]) => column),
  );
  const own = objects.filter(({ kind }) => kind === 'trigger').map(({ name }) => name);
  const foreign = await names(FOREIGN_TRIGGERS, present, own);
  return [
    ...missing.map(({ kind, name }) => missingObject(database, kind, name)),
    ...lost.map(({ name }) => missingObject(database, 'column', name)),
    ...foreign.map(({ name }) => foreignTrigger(database, name)),
  ];
}
