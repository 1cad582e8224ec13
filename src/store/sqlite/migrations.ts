// Applies the generated migrations in drizzle/sqlite to a database.
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readMigrationFiles, type MigrationMeta } from 'drizzle-orm/migrator';
import { DatabaseUnusableError } from '../errors.js';
import { editedList, missingMigrations } from '../missing-migrations.js';
import { sqliteCode, type Client } from './connection.js';
import { isRememberedSchema, rememberSchema, restoreObjects, schemaDifferences } from './schema-objects.js';

/** The folder at the root of the package. The relative path is the same from src/store/sqlite and dist/store/sqlite. */
const FOLDER = fileURLToPath(new URL('../../../drizzle/sqlite', import.meta.url));

/** Drizzle's own table, so that its tools understand the database. */
const TABLE = '__drizzle_migrations';

/** The migrations that this program knows. */
export function knownMigrations(): readonly MigrationMeta[] {
  return readMigrationFiles({ migrationsFolder: FOLDER });
}

/** Any of the product's tables. */
const OWN_TABLE = 'completions';

/**
 * The creation times of the applied migrations, which identify them; `null` for a database without tables.
 *
 * @throws DatabaseUnusableError - It belongs to another program, or the list of them is gone.
 */
function appliedMigrations(client: Client, path: string): ReadonlySet<number> | null {
  const names = client.prepare("select name from sqlite_schema where type = 'table'").pluck().all();
  if (names.length === 0) return null;
  if (!names.includes(OWN_TABLE))
    throw new DatabaseUnusableError(`The database ${path} cannot be used: it belongs to another program`);
  if (!names.includes(TABLE)) throw editedList(path);
  const applied = client.prepare(`select created_at from ${TABLE}`).pluck().all();
  if (applied.length === 0) throw editedList(path);
  return new Set(applied.map(Number));
}

/**
 * Checks, without writing, whether a database is new, Countersign's, or another program's.
 *
 * @throws DatabaseNewerError - It has migrations that this program does not know.
 * @throws DatabaseUnusableError - It belongs to another program, or its list of migrations was edited.
 */
export function inspect(
  client: Client,
  path: string,
  known: readonly MigrationMeta[],
): { readonly applied: readonly MigrationMeta[]; readonly missing: readonly MigrationMeta[] } {
  const times = appliedMigrations(client, path);
  if (times === null) return { applied: [], missing: known };
  const missing = missingMigrations(times, known, path);
  return { applied: known.filter((migration) => !missing.includes(migration)), missing };
}

/**
 * Checks a database that is only read: what a file without tables holds is not known, so it is not "well".
 *
 * @throws DatabaseUnusableError - It has no tables, or as `inspect`.
 */
export function requireTables(
  client: Client,
  path: string,
  known: readonly MigrationMeta[],
): ReturnType<typeof inspect> {
  const found = inspect(client, path, known);
  if (found.applied.length > 0) return found;
  const why = `it has no tables of Countersign; a copy of a database needs the file ${basename(path)}-wal, too, if there is one`;
  throw new DatabaseUnusableError(`The database ${path} cannot be used: ${why}`);
}

/**
 * Applies missing migrations under an exclusive lock, so that two programs that open the database do not both
 * apply them. Views and indexes that somebody has removed are created again.
 *
 * @param acquire - Runs in the same transaction. If it throws, nothing is changed.
 * @returns The result of `acquire`.
 */
export function migrate<T>(
  client: Client,
  path: string,
  known: readonly MigrationMeta[],
  acquire: () => T,
): T {
  return client
    .transaction(() => {
      const { applied, missing } = inspect(client, path, known);
      if (!isRememberedSchema(client, applied))
        restoreObjects(client, path, schemaDifferences(client, applied).missing);
      client.exec(
        `create table if not exists ${TABLE} (id integer primary key, hash text not null, created_at numeric)`,
      );
      const note = client.prepare(`insert into ${TABLE} (hash, created_at) values (?, ?)`);
      for (const migration of missing) {
        for (const statement of migration.sql) apply(client, path, statement);
        note.run(migration.hash, migration.folderMillis);
      }
      rememberSchema(client, known);
      return acquire();
    })
    .exclusive();
}

/** @throws DatabaseUnusableError - The database has already what the statement adds. */
function apply(client: Client, path: string, statement: string): void {
  try {
    client.exec(statement);
  } catch (error) {
    throw sqliteCode(error) === 'SQLITE_ERROR' ? editedList(path, error) : error;
  }
}
