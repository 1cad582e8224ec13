// The tables, views and indexes that the migrations create, and which of them a database lacks: somebody has edited it.
import Database from 'better-sqlite3';
import type { MigrationMeta } from 'drizzle-orm/migrator';
import { DatabaseDamagedError } from '../errors.js';
import type { Client } from './connection.js';
import { keepStatements } from './kept-statements.js';

export interface SchemaObject {
  readonly type: 'table' | 'index' | 'view' | 'trigger';
  readonly name: string;
  /** The statement that creates it. */
  readonly sql: string;
}

export interface SchemaDifferences {
  readonly missing: readonly SchemaObject[];
  /** Triggers that no migration creates: they may change what is written. */
  readonly triggers: readonly SchemaObject[];
}

const objectsOf = (client: Client) =>
  client
    .prepare<[], SchemaObject>(
      // Tables first: indexes and views need them.
      "select type, name, sql from sqlite_schema where sql is not null and name not like 'sqlite_%' order by type <> 'table'",
    )
    .all();

/** @param applied - The migrations that the database has. */
export function schemaDifferences(client: Client, applied: readonly MigrationMeta[]): SchemaDifferences {
  const model = keepStatements(new Database(':memory:'));
  try {
    for (const { sql } of applied) for (const statement of sql) model.exec(statement);
    const [expected, present] = [objectsOf(model), objectsOf(client)];
    const isIn = (list: readonly SchemaObject[], one: SchemaObject) =>
      list.some(({ type, name }) => type === one.type && name === one.name);
    return {
      missing: expected.filter((one) => !isIn(present, one)),
      triggers: present.filter((one) => one.type === 'trigger' && !isIn(expected, one)),
    };
  } finally {
    model.close();
  }
}

/** For a database without an object that cannot be created again. */
export function lacks(path: string, { type, name }: SchemaObject, cause?: unknown): DatabaseDamagedError {
  const why = `its ${type} ${name} is missing; restore a backup`;
  return new DatabaseDamagedError(`The database ${path} cannot be used: ${why}`, { cause });
}

/**
 * Creates missing views and indexes: they hold nothing of their own.
 *
 * @throws DatabaseDamagedError - A table is missing, or an index cannot be created for the rows that there are.
 */
export function restoreObjects(client: Client, path: string, missing: readonly SchemaObject[]): void {
  for (const one of missing) {
    if (one.type === 'table') throw lacks(path, one);
    try {
      client.exec(one.sql);
    } catch (error) {
      throw lacks(path, one, error);
    }
  }
}
