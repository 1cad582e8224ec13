// The tables, columns, views and indexes that the migrations create, and which of them a database lacks: somebody has edited it.
import { createHash } from 'node:crypto';
import Database from 'better-sqlite3';
import type { MigrationMeta } from 'drizzle-orm/migrator';
import { holdsRecords, lacks } from '../errors.js';
import type { Client } from './connection.js';
import { keepStatements } from './kept-statements.js';

export interface SchemaObject {
  readonly type: 'table' | 'column' | 'index' | 'view' | 'trigger';
  /** Of a column with its table: `sessions.status`. */
  readonly name: string;
  /** The statement that creates it, for a column without its constraints. */
  readonly sql: string;
}

export interface SchemaDifferences {
  readonly missing: readonly SchemaObject[];
  /** Triggers that no migration creates: they may change what is written. */
  readonly triggers: readonly SchemaObject[];
}

const OBJECTS = `select type, name, sql from sqlite_schema where sql is not null and name not like 'sqlite_%'`;

const COLUMNS = `select 'column' as type, tables.name || '.' || columns.name as name,
    format('alter table "%w" add column "%w"', tables.name, columns.name) as sql
  from sqlite_schema as tables, pragma_table_xinfo(tables.name) as columns
  where tables.type = 'table' and tables.name not like 'sqlite_%'`;

/** Tables first, then their columns: indexes and views need both. */
const objectsOf = (client: Client) =>
  client
    .prepare<[], SchemaObject>(
      `select * from (${OBJECTS} union all ${COLUMNS}) order by type <> 'table', type <> 'column'`,
    )
    .all();

const checksumOf = (client: Client, applied: readonly MigrationMeta[]): number =>
  createHash('sha256')
    .update(JSON.stringify([client.prepare(OBJECTS).raw(true).all(), applied.map(({ hash }) => hash)]))
    .digest()
    .readInt32BE();

/**
 * Whether the schema is what it was at `rememberSchema`. Comparing it with the migrations takes 30 times as long.
 *
 * @param applied - The migrations that the database has.
 */
export const isRememberedSchema = (client: Client, applied: readonly MigrationMeta[]): boolean =>
  client.pragma('user_version', { simple: true }) === checksumOf(client, applied);

/** Notes in the database that it has all that these migrations create, unless it says so. */
export function rememberSchema(client: Client, applied: readonly MigrationMeta[]): void {
  if (!isRememberedSchema(client, applied))
    client.pragma(`user_version = ${String(checksumOf(client, applied))}`);
}

/** @param applied - The migrations that the database has. */
export function schemaDifferences(client: Client, applied: readonly MigrationMeta[]): SchemaDifferences {
  const model = keepStatements(new Database(':memory:'));
  try {
    for (const { sql } of applied) for (const statement of sql) model.exec(statement);
    const [expected, present] = [objectsOf(model), objectsOf(client)];
    const isIn = (list: readonly SchemaObject[], one: SchemaObject) =>
      list.some(({ type, name }) => type === one.type && name === one.name);
    const missing = expected.filter((one) => !isIn(present, one));
    const isOfMissingTable = ({ type, name }: SchemaObject) =>
      type === 'column' && missing.some((one) => one.type === 'table' && name.startsWith(`${one.name}.`));
    return {
      missing: missing.filter((one) => !isOfMissingTable(one)),
      triggers: present.filter((one) => one.type === 'trigger' && !isIn(expected, one)),
    };
  } finally {
    model.close();
  }
}

/**
 * Creates missing views and indexes: they hold nothing of their own.
 *
 * @throws DatabaseDamagedError - A table or column is missing, or an index cannot be created for the rows that there are.
 */
export function restoreObjects(client: Client, path: string, missing: readonly SchemaObject[]): void {
  for (const one of missing) {
    if (holdsRecords(one.type)) throw lacks(path, one.type, one.name);
    try {
      client.exec(one.sql);
    } catch (error) {
      throw lacks(path, one.type, one.name, error);
    }
  }
}
